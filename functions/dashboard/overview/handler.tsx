import { allFunds, DETAILED_FUNDS, daysOfFunds, spendByKey, webhooksOf } from "../gather.ts";
import { pathTo } from "../paths.ts";
import { type DashboardPage, go, page, type Visit } from "../visit.ts";
import { seriesOf } from "./days.ts";
import { needsOf } from "./needs.ts";
import { OverviewPage } from "./page.tsx";

async function overview(visit: Visit) {
  const { nowMs } = visit;
  const { projects, isWhole, unreadable } = await allFunds(visit);
  const funds = projects.flatMap((each) => each.funds);
  if (funds.length === 0 && unreadable.length === 0 && visit.may("POST /projects")) return go(pathTo("start"));
  const [days, webhooks, nodes, tokens, spenders] = await Promise.all([
    daysOfFunds(visit, funds),
    webhooksOf(
      visit,
      projects.map(({ project }) => project),
    ),
    visit.call("GET /nodes"),
    visit.may("GET /tokens") ? visit.call("GET /tokens") : null,
    spendByKey(visit, projects),
  ]);
  const needs = needsOf({
    days,
    webhooks,
    nodes: nodes.ok ? nodes.value.items : [],
    tokens: tokens?.ok ? tokens.value.items : [],
    unreadable: [...unreadable, ...projects.flatMap((each) => each.unreadable)],
    nowMs,
  });
  return page(
    "Overview",
    <OverviewPage
      needs={needs}
      projects={projects}
      series={seriesOf(days, nowMs)}
      spenders={spenders}
      isPart={!isWhole || funds.length > DETAILED_FUNDS}
      nowMs={nowMs}
      mayCreate={visit.may("POST /projects")}
    />,
  );
}

/** The pages of the overview. */
export const overviewPages: readonly DashboardPage[] = [
  { method: "GET", path: "/", needs: ["GET /projects"], respond: overview },
];
