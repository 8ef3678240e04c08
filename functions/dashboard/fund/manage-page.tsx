import { COST_WORDS } from "../../../shared/fund/cost-words.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { LOW_BALANCE_HINT } from "../fund-words.ts";
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
import { PauseNotice } from "./page.tsx";
import { type ManageResult, Repair } from "./repair.tsx";

const MIB = 1_048_576;

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
          hint={LOW_BALANCE_HINT}
          problem={shown}
        />
        <Field
          name="sponsorshipFee"
          label={`Fee of each completed sponsorship, in ${coin}`}
          value={visit.form.get("sponsorshipFee") ?? texts.sponsorshipFee}
          inputmode="decimal"
          hint="The fund sets it aside for you to withdraw. Users are not charged."
          problem={shown}
        />
        <button type="submit" class="primary">
          Save
        </button>
      </Form>
    </section>
  );
}

function Stop({ visit, fund }: ManageProps) {
  if (!visit.may("POST /funds/:id/revoke")) return null;
  return (
    <section class="panel" aria-labelledby="stop-h">
      <h2 id="stop-h">Stop it for good</h2>
      <p>
        This pauses the fund and takes back every signature that it has given out. A Sui fund moves the coins of these
        signatures, which costs gas. {COST_WORDS.irrevocable}
      </p>
      <Form visit={visit} action={pathTo("funds", fund.id, "revoke")}>
        <Sure>
          Transactions that users have not sent yet will fail.{" "}
          <Amount chain={chainOf(fund.network)} atoms={fund.inFlight} /> is in flight.
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
        <dt>History is kept</dt>
        <dd>{limits.retentionDays} days here, then in the archive</dd>
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
      <div class="cols ragged">
        {visit.may("PATCH /funds/:id") ? <Settings {...props} /> : null}
        <Facts {...props} />
        <Repair {...props} />
        <Stop {...props} />
      </div>
    </>
  );
}
