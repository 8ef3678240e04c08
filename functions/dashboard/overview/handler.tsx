import type { Fund } from "../answers.ts";
import { CallBudget } from "../call-budget.ts";
import { allFunds, DETAILED_FUNDS, daysOfFunds, SHOWN_SPENDERS, spendByKey, webhooksOf } from "../gather.ts";
import { pathTo } from "../paths.ts";
import { type DashboardPage, go, page, type Reply, type Visit } from "../visit.ts";
import { seriesOf } from "./days.ts";
import { needsOf } from "./needs.ts";
import { LiveFunds, LiveNeeds, OverviewPage } from "./page.tsx";

/** Spending by day, refusals, and spending by key. */
const CALLS_OF_FUND = 3;

/** Orders funds so that those that spend come first, and those that are empty soonest before others. */
function busiestFirst(funds: readonly Fund[]): readonly Fund[] {
  const days = ({ runwayDays }: Fund) => runwayDays ?? Number.POSITIVE_INFINITY;
  return funds.toSorted((one, other) => (days(one) === days(other) ? 0 : days(one) - days(other)));
}

/** Reads the data of the overview, within one budget of calls. @throws Refused */
async function watch(visit: Visit) {
  const { nowMs } = visit;
  const budget = new CallBudget();
  const { projects, isWhole, unreadable } = await allFunds(visit, budget);
  const funds = projects.flatMap((each) => each.funds);
  const named = projects.map(({ project }) => project);
  const withWebhooks = budget.take(named, 1);
  const hasNames = budget.take([SHOWN_SPENDERS], SHOWN_SPENDERS).length > 0;
  const detailed = hasNames ? budget.take(busiestFirst(funds).slice(0, DETAILED_FUNDS), CALLS_OF_FUND) : [];
  const [days, webhooks, nodes, tokens] = await Promise.all([
    daysOfFunds(visit, detailed),
    webhooksOf(visit, withWebhooks),
    visit.call("GET /nodes"),
    visit.may("GET /tokens") ? visit.call("GET /tokens") : null,
  ]);
  const others = funds
    .filter((fund) => !detailed.includes(fund))
    .map((fund) => ({ fund, spend: null, refusals: null }));
  const needs = needsOf({
    days: [...days, ...others],
    projects: named,
    webhooks,
    nodes: nodes.ok ? nodes.value.items : [],
    tokens: tokens?.ok ? tokens.value.items : [],
    unreadable: [...unreadable, ...projects.flatMap((each) => each.unreadable)],
    nowMs,
  });
  const isPart = !isWhole || withWebhooks.length < named.length;
  return { needs, projects, named, days, detailed, isPart, isEmpty: funds.length === 0 && unreadable.length === 0 };
}

async function overview(visit: Visit): Promise<Reply> {
  const { nowMs } = visit;
  const { needs, projects, named, days, detailed, isPart, isEmpty } = await watch(visit);
  if (isEmpty && visit.may("POST /projects")) return go(pathTo("start"));
  return page(
    "Overview",
    <OverviewPage
      needs={needs}
      projects={projects}
      series={seriesOf(days, nowMs)}
      spenders={await spendByKey(visit, detailed, named)}
      isPart={isPart}
      detailed={detailed}
      nowMs={nowMs}
      mayCreate={visit.may("POST /projects")}
    />,
  );
}

async function live(visit: Visit): Promise<Reply> {
  const { needs, projects } = await watch(visit);
  return page(
    "Overview",
    <>
      <LiveNeeds needs={needs} />
      <LiveFunds projects={projects} nowMs={visit.nowMs} />
    </>,
  );
}

/** The pages of the overview. */
export const overviewPages: readonly DashboardPage[] = [
  { method: "GET", path: "/", needs: ["GET /projects"], respond: overview },
  { method: "GET", path: "/live", needs: ["GET /projects"], respond: live },
];
