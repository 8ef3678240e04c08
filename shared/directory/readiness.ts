import type { Network } from "../networks.ts";
import { hasNewerProtocol, type NodeView, type UncheckedNode } from "./node-health.ts";
import type { ServiceReport } from "./service-report.ts";

/** A round is reported every five minutes. A report older than this means that no rounds run. */
const REPORT_OVERDUE_MS = 1_200_000;
/** An endpoint has answered lately if its last good answer is not older. Anybody's look at readiness starts a check. */
const LATELY_MS = 60_000;

/** The causes for which the service cannot do its work. */
export const unreadyCauses = [
  "storage_failed",
  "newer_state",
  "wrong_secrets",
  "key_service",
  "no_node_answers",
  "storage_full",
  "work_overdue",
  "objects_unreadable",
  "checks_overdue",
] as const;

/** One cause, and the number of things that it concerns. It names none of them, because anybody may read it. */
export interface Unready {
  readonly cause: (typeof unreadyCauses)[number];
  readonly count: number;
}

/**
 * Counts the networks in use whose every endpoint has failed its last check, and has not answered well lately. An
 * endpoint whose check is not done yet, or is old, has not failed.
 */
function silentNetworks(nodes: readonly (NodeView | UncheckedNode)[], nowMs: number): number {
  const used = new Set<Network>();
  const answering = new Set<Network>();
  for (const node of nodes) {
    if (!node.isInUse) continue;
    used.add(node.network);
    // A time of a clock that was ahead counts, too.
    const isGood = "goodAtMs" in node && node.goodAtMs !== null && nowMs - node.goodAtMs <= LATELY_MS;
    const hasFailed = "fault" in node && node.fault !== null;
    if (isGood || !hasFailed) answering.add(node.network);
  }
  return used.size - answering.size;
}

/** Notices for an operator, while the service works. */
export const notices = ["newer_protocol"] as const;

/** One notice, and the number of networks in use that it concerns. */
export interface Notice {
  readonly notice: (typeof notices)[number];
  readonly count: number;
}

/** Returns notices for an operator: networks in use whose protocol version is later than all known ones. */
export function noticesBy(nodes: readonly (NodeView | UncheckedNode)[]): readonly Notice[] {
  const newer = new Set(
    nodes.flatMap((node) => (node.isInUse && "ledger" in node && hasNewerProtocol(node) ? [node.network] : [])),
  );
  return newer.size === 0 ? [] : [{ notice: "newer_protocol", count: newer.size }];
}

/** The known state of the rounds over every project and fund. */
export interface Rounds {
  /** Null if there was none yet. */
  readonly last: { readonly report: ServiceReport; readonly atMs: number } | null;
  /** The delay of the next round. 0 if it is not late. */
  readonly lateMs: number;
}

/** Returns the reasons why the service cannot work, by the nodes and the last report of a round. */
export function unreadyBy(
  nodes: readonly (NodeView | UncheckedNode)[],
  { last, lateMs }: Rounds,
  nowMs: number,
): readonly Unready[] {
  const { storageFull = 0, overdue = 0, unreadable = 0 } = last?.report ?? {};
  const isLate = last === null ? lateMs > REPORT_OVERDUE_MS : Math.abs(nowMs - last.atMs) > REPORT_OVERDUE_MS;
  const counted: readonly Unready[] = [
    { cause: "no_node_answers", count: silentNetworks(nodes, nowMs) },
    { cause: "storage_full", count: storageFull },
    { cause: "work_overdue", count: overdue },
    { cause: "objects_unreadable", count: unreadable },
    { cause: "checks_overdue", count: isLate ? 1 : 0 },
  ];
  return counted.filter(({ count }) => count > 0);
}
