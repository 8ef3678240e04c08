import { COST_WORDS } from "../../../shared/fund/cost-words.ts";
import { RECOVERING } from "../../../shared/fund/views.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund, Key, Spend, Sponsorship } from "../answers.ts";
import { pauseText } from "../fund-words.ts";
import { seriesOf } from "../overview/days.ts";
import { Amount, MaybeAmount } from "../parts/amount.tsx";
import { Done } from "../parts/done.tsx";
import { Form, Sure } from "../parts/form.tsx";
import { Id, Targets } from "../parts/id.tsx";
import { Plot } from "../parts/plot.tsx";
import { PolicyInWords } from "../parts/policy.tsx";
import { SpentHint } from "../parts/spent.tsx";
import { SponsorshipTag } from "../parts/status-tag.tsx";
import { Ago } from "../parts/time.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { sentence } from "../problem.tsx";
import type { Visit } from "../visit.ts";
import { FundHead } from "./head.tsx";
import { Balance, Deposit } from "./money.tsx";

/** The content of a fund's first page. A part is null if it did not answer. */
export interface FundData {
  readonly visit: Visit;
  readonly fund: Fund;
  readonly days: Spend | null;
  readonly byKey: Spend | null;
  readonly byTarget: Spend | null;
  readonly keys: readonly Key[];
  readonly sponsorships: readonly Sponsorship[] | null;
}

const UNREAD = "This part cannot be read now. Load the page again in some seconds.";

/** The box before a recovery. */
export function RecoverCost() {
  const { closes, takes, changes } = COST_WORDS.recover;
  return (
    <Sure>
      {closes} {takes} {changes}
    </Sure>
  );
}

/** Explains why a fund is closed, and offers the action that opens it. */
export function PauseNotice({ fund, visit }: { readonly fund: Fund; readonly visit: Visit }) {
  const cause = pauseText(fund);
  const { recovery } = fund;
  const isNeeded = recovery?.state === "needed";
  const opensByItself = fund.pausedCause === RECOVERING;
  if (cause === null) return null;
  return (
    <section class="panel" aria-labelledby="pause-h">
      <h2 id="pause-h">This fund sponsors nothing</h2>
      <p>{sentence(cause)}</p>
      {recovery?.waitingFor == null ? null : <p>Its recovery waits for {recovery.waitingFor}.</p>}
      {recovery?.evidence == null ? null : <p class="fine">{sentence(recovery.evidence)}</p>}
      <div class="acts">
        {isNeeded && visit.may("POST /funds/:id/recover") ? (
          <Form visit={visit} action={pathTo("funds", fund.id, "recover")}>
            <RecoverCost />
            <button type="submit" class="primary">
              Recover this fund
            </button>
          </Form>
        ) : null}
        {!isNeeded && !opensByItself && visit.may("PATCH /funds/:id") ? (
          <Form visit={visit} action={pathTo("funds", fund.id, "open")}>
            <button type="submit" class="primary">
              Let it sponsor again
            </button>
          </Form>
        ) : null}
      </div>
    </section>
  );
}

function Spenders(props: Pick<FundData, "byKey" | "byTarget" | "keys" | "fund">) {
  const { byKey, byTarget, keys, fund } = props;
  const chain = chainOf(fund.network);
  const nameOf = (id: string) => keys.find((key) => key.id === id)?.name ?? id;
  return (
    <section class="panel" aria-labelledby="spenders-h">
      <h2 id="spenders-h">Who spent it, last 7 days</h2>
      {byKey === null ? <p class="empty">{UNREAD}</p> : null}
      {byKey?.items.length === 0 ? <p class="empty">Nothing was spent.</p> : null}
      {byKey === null || byKey.items.length === 0 ? null : (
        <div class="wrap">
          <table>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col" class="n">
                  Executed
                </th>
                <th scope="col" class="n lg">
                  Aborted
                </th>
                <th scope="col" class="n">
                  Spent
                </th>
              </tr>
            </thead>
            <tbody>
              {byKey.items.slice(0, 5).map((row) => (
                <tr>
                  <th scope="row">
                    <a href={pathTo("keys", row.name)}>{nameOf(row.name)}</a>
                  </th>
                  <td class="n">{row.executed}</td>
                  <td class="n lg">{row.failed}</td>
                  <td class="n">
                    <Amount chain={chain} atoms={row.spent} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {byTarget === null || byTarget.items.length === 0 ? null : (
        <p>
          Most went to <Targets targets={byTarget.items.slice(0, 3).map(({ name }) => name)} />
        </p>
      )}
      <SpentHint />
    </section>
  );
}

function Last({ sponsorships, fund, visit }: Pick<FundData, "sponsorships" | "fund" | "visit">) {
  const chain = chainOf(fund.network);
  return (
    <section class="panel" aria-labelledby="last-h">
      <div class="head">
        <h2 id="last-h">Last sponsorships</h2>
        <a href={pathTo("funds", fund.id, "sponsorships")}>All of them</a>
      </div>
      <div id="live-last" data-live="">
        {sponsorships === null ? <p class="empty">{UNREAD}</p> : null}
        {sponsorships?.length === 0 ? (
          <p class="empty">
            None yet. The first one shows here by itself.{" "}
            <a href={withQuery(pathTo("start"), { project: fund.projectId, fund: fund.id })}>How to sponsor</a>
          </p>
        ) : null}
        {sponsorships === null || sponsorships.length === 0 ? null : (
          <div class="wrap">
            <table>
              <thead>
                <tr>
                  <th scope="col">Digest</th>
                  <th scope="col">How it stands</th>
                  <th scope="col" class="lg">
                    Sender
                  </th>
                  <th scope="col" class="n">
                    Charged
                  </th>
                  <th scope="col" class="n lg">
                    Made
                  </th>
                </tr>
              </thead>
              <tbody>
                {sponsorships.map((each) => (
                  <tr>
                    <td>
                      <Id text={each.digest} href={`${pathTo("explain")}?q=${encodeURIComponent(each.digest)}`} />
                    </td>
                    <td>
                      <SponsorshipTag row={each} />
                    </td>
                    <td class="lg">
                      <Id text={each.sender} />
                    </td>
                    <td class="n">
                      <MaybeAmount chain={chain} atoms={each.charged} />
                    </td>
                    <td class="n lg">
                      <Ago at={each.createdAt} nowMs={visit.nowMs} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </section>
  );
}

/** The first page of a fund: its money, where to deposit, who spends it, and what its policy allows. */
export function FundPage({ visit, fund, days, byKey, byTarget, keys, sponsorships }: FundData) {
  const mayPause = !fund.paused && visit.may("PATCH /funds/:id");
  const plot = seriesOf([{ fund, spend: days, refusals: null }], visit.nowMs);
  const isSui = chainOf(fund.network) === "sui";
  return (
    <>
      <FundHead fund={fund} part={null}>
        {visit.may("POST /funds/:id/withdraw") ? (
          <a class="button" href={pathTo("funds", fund.id, "withdraw")}>
            Withdraw
          </a>
        ) : null}
        {mayPause ? (
          <Form visit={visit} action={pathTo("funds", fund.id, "pause")}>
            <button type="submit">Pause</button>
          </Form>
        ) : null}
      </FundHead>
      <Done visit={visit} />
      <PauseNotice fund={fund} visit={visit} />
      <div class="cols">
        <Balance fund={fund} visit={visit} />
        <Deposit fund={fund} visit={visit} />
      </div>
      <div class="cols">
        <section class="panel" aria-label="Spent by day">
          <Plot
            title={`Spent by day, in ${isSui ? "SUI" : "APT"}`}
            days={plot.days}
            series={[{ name: `${isSui ? "SUI" : "APT"} spent`, values: isSui ? plot.spentSui : plot.spentApt }]}
            format={(value) => value.toLocaleString("en", { maximumSignificantDigits: 3 })}
            empty="Nothing was spent"
          />
        </section>
        <Spenders byKey={byKey} byTarget={byTarget} keys={keys} fund={fund} />
      </div>
      <Last sponsorships={sponsorships} fund={fund} visit={visit} />
      <section class="panel" aria-labelledby="policy-h">
        <div class="head">
          <h2 id="policy-h">What its policy allows</h2>
          {visit.may("PATCH /funds/:id") && <a href={pathTo("funds", fund.id, "policy")}>Change</a>}
        </div>
        <PolicyInWords policy={fund.policy} owner={{ kind: "fund", chain: chainOf(fund.network) }} />
      </section>
    </>
  );
}
