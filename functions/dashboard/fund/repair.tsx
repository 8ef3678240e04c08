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
          ? "The books equal the chain, to the last base unit."
          : "The books and the chain differ. An open transaction explains a difference until it is settled."}
      </p>
      <dl class="facts">
        <dt>Coins in the books</dt>
        <dd>
          <Amount chain={chain} atoms={compared.bookedCoins} />
        </dd>
        <dt>Coins on the chain</dt>
        <dd>
          <Amount chain={chain} atoms={compared.coinsOnChain} />
        </dd>
        <dt>Address balance, booked</dt>
        <dd>
          <Amount chain={chain} atoms={compared.bookedAddressBalance} />
        </dd>
        <dt>Address balance, on chain</dt>
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
      <p>Settle what is open, and compare every coin in the books with the chain.</p>
      <button type="submit">Compare with the chain</button>
    </Form>
  );
}

function Recover({ visit, fund }: RepairProps) {
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "recover")}>
      <p>After a backup was put back: bring the fund's state up to its chain.</p>
      <RecoverCost />
      <button type="submit">Recover</button>
    </Form>
  );
}

function Confirm({ visit, fund }: RepairProps) {
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "confirm-withdrawals")}>
      <p>Withdrawals need a second confirmation since the recovery.</p>
      <Sure>No such key will be used again. {COST_WORDS.confirmWithdrawals}</Sure>
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
        label="Close a row that no node can show"
        value={visit.form.get("digest") ?? ""}
        hint="Its digest or hash. Only a row that can never execute is closed. The ledger notes a correction."
        problem={shown}
        required
      />
      <Sure>It is closed in the books for good. {COST_WORDS.forceClose}</Sure>
      <button type="submit">Close the row</button>
    </Form>
  );
}

function DropCoin({ visit, fund, form, problem }: RepairProps) {
  const shown = form === "drop" ? problem : null;
  return (
    <Form visit={visit} action={pathTo("funds", fund.id, "drop-coin")} problem={shown}>
      <Field
        name="objectId"
        label="Drop a coin that no node shows as the fund's"
        value={visit.form.get("objectId") ?? ""}
        hint="Its object id. Only a coin that is free, and that no node shows as the fund's, is dropped."
        problem={shown}
        required
      />
      <Sure>{COST_WORDS.dropCoin}</Sure>
      <button type="submit">Drop the coin</button>
    </Form>
  );
}

/** The forms that compare a fund with its chain, and repair its books. Nothing for a role that may send none of them. */
export function Repair(props: RepairProps) {
  const { visit, fund, compared } = props;
  const isUnconfirmed = fund.recovery?.withdrawals === "unconfirmed";
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
