import type { NodeView, UncheckedNode } from "../directory/node-health.ts";
import { type Unready, unreadyCauses } from "../directory/readiness.ts";
import type { FundMetrics } from "../fund/metrics.ts";
import type { ProjectMetrics } from "../project/views.ts";
import type { Labels, MetricFamily, Sample } from "./open-metrics.ts";

/** A project as a scrape has read it. */
interface ReadProject {
  readonly projectId: string;
  readonly metrics: ProjectMetrics;
  /** The calls that its access keys have refused, by reason. Null if one of the keys was not read. */
  readonly keyRefusals: Readonly<Record<string, number>> | null;
}

/** Everything that one scrape has read. */
export interface Scrape {
  readonly causes: readonly Unready[];
  readonly nodes: readonly (NodeView | UncheckedNode)[];
  readonly projects: readonly ReadProject[];
  readonly funds: readonly FundMetrics[];
  /** Objects that gave no answer in time. */
  readonly silent: { readonly projects: number; readonly funds: number; readonly keys: number };
  /** True if there were more objects than one scrape reads. */
  readonly isTruncated: boolean;
}

const SECOND_MS = 1_000;

type Read<Item> = (item: Item) => readonly (readonly [Labels, number | bigint | null])[];

/** Makes a metric of a list. A value of null has no sample. */
function family<Item>(
  name: string,
  type: MetricFamily["type"],
  help: string,
  items: readonly Item[],
  labelsOf: (item: Item) => Labels,
  read: Read<Item>,
): MetricFamily {
  const samples = items.flatMap((item) =>
    read(item).flatMap(([labels, value]): readonly Sample[] =>
      value === null ? [] : [{ labels: { ...labelsOf(item), ...labels }, value }],
    ),
  );
  return { name: `gasworks_${name}`, type, help, samples };
}

function fundFamilies(funds: readonly FundMetrics[]): readonly MetricFamily[] {
  const of = (name: string, type: MetricFamily["type"], help: string, read: Read<FundMetrics>) =>
    family(
      name,
      type,
      help,
      funds,
      ({ network, projectId, fundId }) => ({ network, project: projectId, fund: fundId }),
      read,
    );
  const one = (name: string, help: string, read: (fund: FundMetrics) => number | bigint | null) =>
    of(name, "gauge", help, (fund) => [[{}, read(fund)]]);
  return [
    of("fund_sponsorships", "gauge", "Sponsorships that can still execute.", ({ live }) =>
      Object.entries(live).map(([state, count]) => [{ state }, count]),
    ),
    of("fund_sponsorships_ended", "counter", "Sponsorships that have ended.", ({ ended }) => [
      [{ outcome: "succeeded" }, ended.executed - ended.failed],
      [{ outcome: "failed" }, ended.failed],
      [{ outcome: "abandoned" }, ended.abandoned],
      [{ outcome: "unresolvable" }, ended.unresolvable],
    ]),
    of("fund_refusals", "counter", "Calls that the fund has refused, by reason.", ({ refusals }) =>
      Object.entries(refusals).map(([reason, calls]) => [{ reason }, calls]),
    ),
    of(
      "fund_spent_atoms",
      "gauge",
      "MIST or octas spent so far: the sum of its parts. A rebate can lower it.",
      ({ ended }) => [
        [{ part: "charged" }, ended.chargedAtoms],
        [{ part: "fee" }, ended.feeAtoms],
        [{ part: "maintenance" }, ended.maintenanceAtoms],
      ],
    ),
    one("fund_balance_atoms", "MIST or octas that the fund owns.", ({ balanceAtoms }) => balanceAtoms),
    one("fund_available_atoms", "MIST or octas that can pay now.", ({ availableAtoms }) => availableAtoms),
    one("fund_in_flight_atoms", "MIST or octas withheld for open sponsorships.", ({ inFlightAtoms }) => inFlightAtoms),
    one("fund_accrued_fees_atoms", "MIST or octas of fees that were not collected.", (fund) => fund.accruedFeesAtoms),
    one(
      "fund_runway_seconds",
      "Time for which the available amount lasts at the rate of the last seven days.",
      ({ runwayMs }) => (runwayMs === null ? null : runwayMs / SECOND_MS),
    ),
    of("fund_coins", "gauge", "Coins of the fund by state and tier.", ({ coins }) =>
      coins.map(({ state, tier, count }) => [{ state, tier }, count]),
    ),
    one(
      "fund_settlement_lag_seconds",
      "How late the earliest look-up of a sponsorship is.",
      (fund) => fund.settlementLateMs / SECOND_MS,
    ),
    one("fund_work_late_seconds", "How late the earliest due work is.", ({ lateMs }) => lateMs / SECOND_MS),
    one("fund_paused", "1 if the fund sponsors nothing.", ({ isPaused }) => Number(isPaused)),
    one("fund_low", "1 if the available amount is below lowBalance.", ({ isLow }) => Number(isLow)),
    one("fund_storage_used_bytes", "Disk that the fund uses.", ({ storage }) => storage.usedBytes),
    one("fund_storage_budget_bytes", "Disk budget of the fund.", ({ storage }) => storage.budgetBytes),
  ];
}

function projectFamilies(projects: Scrape["projects"]): readonly MetricFamily[] {
  const of = (name: string, help: string, read: Read<ProjectMetrics>) =>
    family(
      name,
      "gauge",
      help,
      projects,
      ({ projectId }) => ({ project: projectId }),
      ({ metrics }) => read(metrics),
    );
  return [
    of("project_deliveries_pending", "Events that wait for a webhook.", (one) => [[{}, one.deliveriesPending]]),
    of("project_deliveries_dropped", "Events that no present webhook got.", (one) => [[{}, one.deliveriesDropped]]),
    of("project_webhooks", "Webhooks by state.", ({ webhooks }) => [
      [{ state: "active" }, webhooks.active],
      [{ state: "disabled" }, webhooks.disabled],
    ]),
    of("project_work_late_seconds", "How late the earliest due work is.", (one) => [[{}, one.lateMs / SECOND_MS]]),
    of("project_storage_used_bytes", "Disk that the project uses.", ({ storage }) => [[{}, storage.usedBytes]]),
    of("project_storage_budget_bytes", "Disk budget of the project.", ({ storage }) => [[{}, storage.budgetBytes]]),
    family(
      "project_key_refusals",
      "counter",
      "Calls that the access keys of the project have refused, by reason.",
      projects,
      ({ projectId }) => ({ project: projectId }),
      ({ keyRefusals }) => Object.entries(keyRefusals ?? {}).map(([reason, calls]) => [{ reason }, calls]),
    ),
  ];
}

function nodeFamilies(nodes: Scrape["nodes"]): readonly MetricFamily[] {
  const checked = nodes.filter((node): node is NodeView => "checks" in node);
  const of = (name: string, type: MetricFamily["type"], help: string, read: (node: NodeView) => number | null) =>
    family(
      name,
      type,
      help,
      checked,
      ({ network, endpoint }) => ({ network, endpoint }),
      (node) => [[{}, read(node)]],
    );
  const seconds = (ms: number | null) => (ms === null ? null : ms / SECOND_MS);
  return [
    of("node_checks", "counter", "Checks of the endpoint.", ({ checks }) => checks),
    of("node_check_failures", "counter", "Checks that have failed.", ({ failures }) => failures),
    of("node_check_seconds", "counter", "Time that all checks took.", ({ totalLatencyMs }) => seconds(totalLatencyMs)),
    of("node_latency_seconds", "gauge", "Time that the last check took.", ({ latencyMs }) => seconds(latencyMs)),
    of("node_healthy", "gauge", "0 after two failed checks in a row.", (one) => Number(one.unhealthySinceMs === null)),
    of("node_in_use", "gauge", "1 if a fund or key uses the network.", ({ isInUse }) => Number(isInUse)),
    of("node_lag_seconds", "gauge", "Time behind the newest endpoint of the network.", (one) => seconds(one.behindMs)),
    of("node_last_good_timestamp_seconds", "gauge", "Time of the last good answer.", (one) => seconds(one.goodAtMs)),
    of("node_ledger_timestamp_seconds", "gauge", "Time of the newest block.", ({ ledger }) =>
      seconds(ledger?.ledgerAtMs ?? null),
    ),
  ];
}

function serviceFamilies({ causes, silent, isTruncated }: Scrape): readonly MetricFamily[] {
  const of = (name: string, help: string, samples: readonly Sample[]): MetricFamily => ({
    name: `gasworks_${name}`,
    type: "gauge",
    help,
    samples,
  });
  const countOf = (wanted: Unready["cause"]) => causes.find(({ cause }) => cause === wanted)?.count ?? 0;
  return [
    of("ready", "1 if the service can do its work.", [{ labels: {}, value: Number(causes.length === 0) }]),
    of(
      "unready",
      "Things for which the service is not ready, by cause.",
      unreadyCauses.map((cause) => ({ labels: { cause }, value: countOf(cause) })),
    ),
    of("scrape_silent_objects", "Objects that gave this scrape no answer.", [
      { labels: { kind: "project" }, value: silent.projects },
      { labels: { kind: "fund" }, value: silent.funds },
      { labels: { kind: "key" }, value: silent.keys },
    ]),
    of("scrape_truncated", "1 if there are more objects than one scrape reads.", [
      { labels: {}, value: Number(isTruncated) },
    ]),
  ];
}

/** Makes the metrics of a scrape. Labels are networks, ids and words of a bounded list, never senders. */
export function metricsOf(scrape: Scrape): readonly MetricFamily[] {
  return [
    ...serviceFamilies(scrape),
    ...nodeFamilies(scrape.nodes),
    ...projectFamilies(scrape.projects),
    ...fundFamilies(scrape.funds),
  ];
}
