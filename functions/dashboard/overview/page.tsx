import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { networkText } from "../fund-words.ts";
import type { KeySpend, ProjectFunds } from "../gather.ts";
import { Amount } from "../parts/amount.tsx";
import { Plot } from "../parts/plot.tsx";
import { lastsText, runwayText } from "../parts/time-text.ts";
import { pathTo } from "../paths.ts";
import type { DaySeries } from "./days.ts";
import type { Need } from "./needs.ts";
import { LeftOut, Spenders } from "./spenders.tsx";

/** Everything that the overview shows. */
export interface OverviewData {
  readonly needs: readonly Need[];
  readonly projects: readonly ProjectFunds[];
  readonly series: DaySeries;
  readonly spenders: readonly KeySpend[];
  /** True if there are more funds than the page has read. */
  readonly isPart: boolean;
  /** The funds that the plots and the spenders cover. */
  readonly detailed: readonly Fund[];
  readonly nowMs: number;
  readonly mayCreate: boolean;
}

/** A line of the axis between whole numbers has no label. */
const count = (value: number) => (Number.isInteger(value) ? value.toLocaleString("en") : "");
const coins = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

function Needs({ needs }: { readonly needs: readonly Need[] }) {
  return (
    <section class="panel" aria-labelledby="needs-h">
      <h2 id="needs-h">Needs you</h2>
      {needs.length === 0 ? (
        <p>
          <span class="tag ok">Nothing is wrong now</span> No fund, node or webhook needs a person.
        </p>
      ) : (
        <ul class="need">
          {needs.map(({ tone, tag, name, text, link }) => (
            <li>
              <span class={`tag ${tone}`}>{tag}</span>
              <span>
                <b>{name}</b> {text}
              </span>
              <a href={link.path} aria-label={`${link.label}: ${name}`}>
                {link.label}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface CardOfFund {
  readonly fund: Fund;
  readonly project: string;
  readonly nowMs: number;
}

/** A fund in one card: its money, its runway and its state. */
export function FundCard({ fund, project, nowMs }: CardOfFund) {
  const chain = chainOf(fund.network);
  const isShort = fund.runwayDays !== null && fund.runwayDays < 14;
  const [tone, state] = fund.paused
    ? ["bad", "Paused"]
    : BigInt(fund.available) <= 0n
      ? ["bad", "Empty"]
      : isShort || fund.low
        ? ["warn", fund.runwayDays === null ? "Low" : runwayText(fund.runwayDays)]
        : ["ok", fund.runwayDays === null ? "Open" : runwayText(fund.runwayDays)];
  return (
    <article class="card">
      <div class="row">
        <h3>
          <a href={pathTo("funds", fund.id)}>{fund.name}</a>
        </h3>
        <span class={`tag ${tone}`}>{state}</span>
      </div>
      <p class="big">
        <Amount chain={chain} atoms={fund.available} />
      </p>
      <p class="fine">{lastsText(fund, nowMs)}</p>
      <p class="row fine">
        <span>
          {networkText(fund.network)} · {project}
        </span>
        <span>
          <Amount chain={chain} atoms={fund.inFlight} /> in flight
        </span>
      </p>
    </article>
  );
}

/** The page of only the parts that follow the service. The overview's script fetches it. */
const LIVE = pathTo("live");

/** Shows the items that need a person, and follows the service. */
export function LiveNeeds({ needs }: Pick<OverviewData, "needs">) {
  return (
    <div id="live-needs" data-live={LIVE}>
      <Needs needs={needs} />
    </div>
  );
}

/** Shows the funds of all projects, and follows the service. */
export function LiveFunds({ projects, nowMs }: Pick<OverviewData, "projects" | "nowMs">) {
  return (
    <div class="cards" id="live-funds" data-live={LIVE}>
      {projects.flatMap(({ project, funds }) =>
        funds.map((fund) => <FundCard fund={fund} project={project.name} nowMs={nowMs} />),
      )}
    </div>
  );
}

/** The first page: what needs a person, the money, and what happened by day. */
export function OverviewPage({ needs, projects, series, spenders, isPart, detailed, nowMs, mayCreate }: OverviewData) {
  const cards = projects.flatMap(({ project, funds }) => funds.map((fund) => ({ fund, project: project.name })));
  const { days, completed, failed, abandoned, refused, spentSui, spentApt } = series;
  const hasSui = cards.some(({ fund }) => chainOf(fund.network) === "sui");
  const hasAptos = cards.some(({ fund }) => chainOf(fund.network) === "aptos");
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <p class="fine onscreen">
          As of <time datetime={new Date(nowMs).toISOString()}>{new Date(nowMs).toUTCString().slice(5, 22)} UTC</time>
        </p>
      </div>
      <LiveNeeds needs={needs} />
      <section aria-labelledby="funds-h" class="stack">
        <div class="head">
          <h2 id="funds-h">Left to sponsor with</h2>
          {mayCreate ? (
            <p class="acts">
              <a href={pathTo("start")}>Set up another project</a>
            </p>
          ) : null}
        </div>
        <LiveFunds projects={projects} nowMs={nowMs} />
        {isPart ? (
          <p class="hint">
            There are more projects or funds than this page reads. <a href={pathTo("funds")}>All funds</a>
          </p>
        ) : null}
      </section>
      <LeftOut detailed={detailed} shown={cards.length} />
      {detailed.length > 0 && <Spenders spenders={spenders} />}
      {(detailed.length > 0 || cards.length === 0) && (
        <section class="cols" aria-label="By day">
          <div class="panel">
            <Plot
              title="Sponsorships and refusals by day"
              days={days}
              series={[
                { name: "completed", values: completed },
                { name: "refused", values: refused },
                { name: "aborted", values: failed },
                { name: "not executed", values: abandoned },
              ]}
              format={count}
              empty="Nothing was sponsored or refused"
            />
          </div>
          {hasSui || !hasAptos ? (
            <div class="panel">
              <Plot
                title="Spent on Sui by day, in SUI"
                days={days}
                series={[{ name: "SUI spent", values: spentSui }]}
                format={coins}
                empty="Nothing was spent"
              />
            </div>
          ) : null}
          {hasAptos ? (
            <div class="panel">
              <Plot
                title="Spent on Aptos by day, in APT"
                days={days}
                series={[{ name: "APT spent", values: spentApt }]}
                format={coins}
                empty="Nothing was spent"
              />
            </div>
          ) : null}
        </section>
      )}
    </>
  );
}
