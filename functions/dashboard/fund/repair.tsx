import { COST_WORDS } from "../../../shared/fund/cost-words.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Answers, Fund } from "../answers.ts";
import { Amount } from "../parts/amount.tsx";
import { Field, Form, Sure } from "../parts/form.tsx";
import { Id } from "../parts/id.tsx";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { RecoverCost } from "./page.tsx";

/** The answer of a form of the page of a fund's management. */
export interface ManageResult {
  /** The form that was refused. Null if none was. */
  readonly form: "settings" | "close" | "drop" | null;
  readonly problem: Problem | null;
  readonly compared: Answers["POST /funds/:id/reconcile"] | null;
}

interface RepairProps extends ManageResult {
  readonly visit: Visit;
  readonly fund: Fund;
}

function Compared(props: { readonly compared: NonNullable<ManageResult["compared"]>; readonly fund: Fund }) {
  const { compared, fund } = props;
  const chain = chainOf(fund.network);
  return (
    <div role="status" class="stack">
      <p class={`note ${compared.exact ? "ok" : "bad"}`}>
        {compared.exact
          ? "The records of the fund and the chain agree exactly."
          : "The records of the fund and the chain differ. An open transaction can be the cause: compare again in a minute."}
      </p>
      <dl class="facts">
        <dt>Coins in the records</dt>
        <dd>
          <Amount chain={chain} atoms={compared.bookedCoins} />
        </dd>
        <dt>Coins on the chain</dt>
        <dd>
          <Amount chain={chain} atoms={compared.coinsOnChain} />
        </dd>
        <dt>Address balance in the records</dt>
        <dd>
          <Amount chain={chain} atoms={compared.bookedAddressBalance} />
        </dd>
        <dt>Address balance on the chain</dt>
        <dd>
          <Amount chain={chain} atoms={compared.addressBalanceOnChain} />
        </dd>
      </dl>
      {compared.differences.map(({ objectId, cause }) => (
        <p>
          <Id text={objectId} /> {cause === null ? "has no explanation" : <>is in the open transaction {cause}</>}
        </p>
      ))}
    </div>
  );
}

function Reconcile({ visit, fund }: RepairProps) {
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "reconcile")}>
      <p>Look up open transactions, and compare every coin in the records with the chain.</p>
      <button type="submit">Compare with the chain</button>
    </Form>
  );
}

function Recover({ visit, fund }: RepairProps) {
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "recover")}>
      <p>Do this after you have restored a backup. The records then catch up with the chain.</p>
      <RecoverCost />
      <button type="submit">Recover</button>
    </Form>
  );
}

function Confirm({ visit, fund }: RepairProps) {
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "confirm-withdrawals")}>
      <p>Since the recovery, each withdrawal needs a second confirmation.</p>
      <Sure>My programs repeat no withdrawal from before the recovery. {COST_WORDS.confirmWithdrawals}</Sure>
      <button type="submit">End the confirmations</button>
    </Form>
  );
}

function ForceClose({ visit, fund, form, problem }: RepairProps) {
  const shown = form === "close" ? problem : null;
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "force-close")} problem={shown}>
      <Field
        name="digest"
        label="Close a transaction that no node can find"
        value={visit.form.get("digest") ?? ""}
        hint="Enter its digest or hash. It is closed only if it can never execute. The ledger gets a correction."
        problem={shown}
        required
      />
      <Sure>It stays closed in the records for good. {COST_WORDS.forceClose}</Sure>
      <button type="submit">Close the transaction</button>
    </Form>
  );
}

function DropCoin({ visit, fund, form, problem }: RepairProps) {
  const shown = form === "drop" ? problem : null;
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "drop-coin")} problem={shown}>
      <Field
        name="objectId"
        label="Remove a coin that the fund no longer owns"
        value={visit.form.get("objectId") ?? ""}
        hint="Enter its object id. It is removed only if it is free and no node shows it as the fund's."
        problem={shown}
        required
      />
      <Sure>{COST_WORDS.dropCoin}</Sure>
      <button type="submit">Remove the coin</button>
    </Form>
  );
}

/** The forms that compare a fund with its chain, and repair its books. Nothing for a role that may send none of them. */
export function Repair(props: RepairProps) {
  const { visit, fund, compared } = props;
  const { recovery } = fund;
  const isUnconfirmed = recovery?.state === "done" && recovery.withdrawals === "unconfirmed";
  const forms = [
    visit.may("POST /funds/:id/reconcile") && <Reconcile {...props} />,
    visit.may("POST /funds/:id/recover") && <Recover {...props} />,
    isUnconfirmed && visit.maySend("POST /funds/:id/recover", "withdrawals") && <Confirm {...props} />,
    visit.may("POST /funds/:id/force-close") && <ForceClose {...props} />,
    fund.mode === "coin" && visit.may("POST /funds/:id/drop-coin") && <DropCoin {...props} />,
  ].filter((form) => form !== false);
  if (forms.length === 0 && compared === null) return null;
  return (
    <section class="panel" aria-labelledby="repair-h">
      <h2 id="repair-h">Check and repair</h2>
      {compared === null ? null : <Compared compared={compared} fund={fund} />}
      {forms}
    </section>
  );
}
