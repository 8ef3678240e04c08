import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Answers, Fund } from "../answers.ts";
import { Amount } from "../parts/amount.tsx";
import { coinName } from "../parts/amount-text.ts";
import { Done } from "../parts/done.tsx";
import { Field, Form, Sure } from "../parts/form.tsx";
import { Id } from "../parts/id.tsx";
import { Originals } from "../parts/originals.tsx";
import { Ago } from "../parts/time.tsx";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { FundHead } from "./head.tsx";
import { PauseNotice, RecoverCost } from "./page.tsx";

const MIB = 1_048_576;

/** What a form of this page has answered. */
export interface ManageResult {
  readonly form: "settings" | "close" | null;
  readonly problem: Problem | null;
  readonly compared: Answers["POST /funds/:id/reconcile"] | null;
}

interface ManageProps extends ManageResult {
  readonly visit: Visit;
  readonly fund: Fund;
  /** The present settings as a person types them, with amounts in coins. */
  readonly texts: { readonly name: string; readonly lowBalance: string; readonly sponsorshipFee: string };
}

function Settings({ visit, fund, texts, form, problem }: ManageProps) {
  const coin = coinName(chainOf(fund.network));
  const shown = form === "settings" ? problem : null;
  return (
    <section class="panel" aria-labelledby="settings-h">
      <h2 id="settings-h">Settings</h2>
      <Form visit={visit} action={pathTo("funds", fund.id, "manage")} problem={shown}>
        <Originals texts={texts} form={visit.form} />
        <Field
          name="name"
          label="Name"
          value={visit.form.get("name") ?? texts.name}
          problem={shown}
          required
          maxlength={100}
        />
        <Field
          name="lowBalance"
          label={`Warn below, in ${coin}`}
          value={visit.form.get("lowBalance") ?? texts.lowBalance}
          inputmode="decimal"
          hint="Webhooks get an event when the available amount falls below. Empty: no warning."
          problem={shown}
        />
        <Field
          name="sponsorshipFee"
          label={`Fee of each completed sponsorship, in ${coin}`}
          value={visit.form.get("sponsorshipFee") ?? texts.sponsorshipFee}
          inputmode="decimal"
          hint="A figure in your books: it is set aside for you, and nobody is charged."
          problem={shown}
        />
        <button type="submit" class="primary">
          Save
        </button>
      </Form>
    </section>
  );
}

function Compared({
  compared,
  fund,
}: {
  readonly compared: NonNullable<ManageProps["compared"]>;
  readonly fund: Fund;
}) {
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

function Repair({ visit, fund, form, problem, compared }: ManageProps) {
  const shown = form === "close" ? problem : null;
  const unconfirmed = fund.recovery?.withdrawals === "unconfirmed";
  return (
    <section class="panel" aria-labelledby="repair-h">
      <h2 id="repair-h">Check and repair</h2>
      {compared === null ? null : <Compared compared={compared} fund={fund} />}
      {visit.may("POST /funds/:id/reconcile") ? (
        <Form visit={visit} action={pathTo("funds", fund.id, "reconcile")}>
          <p>Settle what is open, and compare every coin in the books with the chain.</p>
          <button type="submit">Compare with the chain</button>
        </Form>
      ) : null}
      {visit.may("POST /funds/:id/recover") ? (
        <Form visit={visit} action={pathTo("funds", fund.id, "recover")}>
          <p>After a backup was put back: bring the fund's state up to its chain.</p>
          <RecoverCost />
          <button type="submit">Recover</button>
        </Form>
      ) : null}
      {unconfirmed && visit.maySend("POST /funds/:id/recover", "withdrawals") ? (
        <Form visit={visit} action={pathTo("funds", fund.id, "confirm-withdrawals")}>
          <p>Withdrawals need a second confirmation since the recovery.</p>
          <Sure>No Idempotency-Key from before the recovery will be used again. Such a key would pay again.</Sure>
          <button type="submit">End the confirmations</button>
        </Form>
      ) : null}
      {visit.may("POST /funds/:id/force-close") ? (
        <Form visit={visit} action={pathTo("funds", fund.id, "force-close")} problem={shown}>
          <Field
            name="digest"
            label="Close a row that no node can show"
            value={visit.form.get("digest") ?? ""}
            hint="Its digest or hash. Only a row that can never execute any more is closed. The ledger notes a correction."
            problem={shown}
            required
          />
          <Sure>
            It is closed in the books for good. A withdrawal that ends as unresolvable may have paid, and its
            Idempotency-Key never pays again.
          </Sure>
          <button type="submit">Close the row</button>
        </Form>
      ) : null}
    </section>
  );
}

function Stop({ visit, fund }: ManageProps) {
  if (!visit.may("POST /funds/:id/revoke")) return null;
  return (
    <section class="panel" aria-labelledby="stop-h">
      <h2 id="stop-h">Stop it for good</h2>
      <p>
        Pause the fund and take back every signature that it has given out. On Sui with coins each one is made worthless
        by moving its coin, which costs gas. On Aptos and out of an address balance a signature stays good until its
        end.
      </p>
      <Form visit={visit} action={pathTo("funds", fund.id, "revoke")}>
        <Sure>
          Users who have not executed yet will fail. <Amount chain={chainOf(fund.network)} atoms={fund.inFlight} /> is
          in flight.
        </Sure>
        <button type="submit" class="danger">
          Pause and take back all signatures
        </button>
      </Form>
    </section>
  );
}

function Facts({ visit, fund }: ManageProps) {
  const { limits, storage } = fund;
  return (
    <section class="panel" aria-labelledby="facts-h">
      <h2 id="facts-h">Facts</h2>
      <dl class="facts">
        <dt>Fund</dt>
        <dd>
          <Id text={fund.id} />
        </dd>
        <dt>Project</dt>
        <dd>
          <Id text={fund.projectId} />
        </dd>
        <dt>Pays by</dt>
        <dd>{fund.mode.replaceAll("_", " ")}</dd>
        <dt>Made</dt>
        <dd>
          <Ago at={fund.createdAt} nowMs={visit.nowMs} />
        </dd>
        <dt>Rows are kept</dt>
        <dd>{limits.retentionDays} days after their end</dd>
        <dt>Storage</dt>
        <dd>
          {storage === null
            ? "not known now"
            : `${(storage.usedBytes / MIB).toFixed(1)} of ${Math.round(limits.fundBytes / MIB)} MiB`}
        </dd>
      </dl>
    </section>
  );
}

/** The rarer things that an operator does with a fund. */
export function ManagePage(props: ManageProps) {
  const { visit, fund } = props;
  return (
    <>
      <FundHead fund={fund} part="manage" />
      <Done visit={visit} />
      <PauseNotice fund={fund} visit={visit} />
      <div class="cols">
        {visit.may("PATCH /funds/:id") ? <Settings {...props} /> : null}
        <Facts {...props} />
        <Repair {...props} />
        <Stop {...props} />
      </div>
    </>
  );
}
