import type { ProbedLedger } from "../chain/probe.ts";
import { isNewerProtocol } from "../chain/sui/protocol-version.ts";
import type { Network } from "../networks.ts";

/** An endpoint that is further behind the newest one of its network lags. */
const MAX_BEHIND_MS = 60_000;
/** A block that is further ahead of the service's clock is a fault of the endpoint that shows it. */
const MAX_AHEAD_MS = 60_000;
/** The number of failed checks in a row that makes an endpoint unhealthy. One good check makes it healthy again. */
const FAILURES_UNTIL_UNHEALTHY = 2;

/** The result of one check of one endpoint. */
export type NodeReading =
  | { readonly ok: true; readonly latencyMs: number; readonly ledger: ProbedLedger }
  | { readonly ok: false; readonly latencyMs: number; readonly fault: string };

/** An endpoint of a network, named by its host. */
export interface NodeName {
  readonly network: Network;
  readonly endpoint: string;
}

/** The results of an endpoint's checks. Its counters last as long as the endpoint is configured. */
export interface NodeHealth extends NodeName {
  readonly checks: number;
  readonly failures: number;
  readonly failuresInARow: number;
  /** The sum over all checks, failed ones included. */
  readonly totalLatencyMs: number;
  readonly latencyMs: number;
  readonly checkedAtMs: number;
  /** The last good answer. Null if there was none yet. */
  readonly goodAtMs: number | null;
  /** Its lag behind the newest endpoint of its network, at its last answer. Null if it never answered. */
  readonly behindMs: number | null;
  /** The last ledger that it showed with a possible time. Null if there was none yet. */
  readonly ledger: ProbedLedger | null;
  /** The cause of the last failure, for the operator. Null if the last check was good. */
  readonly fault: string | null;
  /** The first of the failures in a row. Null if the last check was good. */
  readonly failingSinceMs: number | null;
}

/** An endpoint as shown: with whether it counts as unhealthy, and whether a fund or key uses its network. */
export interface NodeView extends NodeHealth {
  readonly unhealthySinceMs: number | null;
  readonly isInUse: boolean;
}

/** A configured endpoint that was never checked. */
export interface UncheckedNode extends Pick<NodeHealth, "network" | "endpoint"> {
  readonly isInUse: boolean;
}

/**
 * Returns the time of the newest block that any endpoint of a network shows. Null if none answers. A block too far ahead
 * does not count. Otherwise one wrong endpoint would make all others lag.
 */
export function newestLedgerMs(readings: Iterable<NodeReading>, nowMs: number): number | null {
  const times = [...readings].flatMap((reading) =>
    reading.ok && !isAhead(reading.ledger, nowMs) ? [reading.ledger.ledgerAtMs] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}

function isAhead({ ledgerAtMs }: ProbedLedger, nowMs: number): boolean {
  return ledgerAtMs - nowMs > MAX_AHEAD_MS;
}

/**
 * Adds a check to the known state of an endpoint.
 *
 * @param before null for its first check.
 * @param newestMs the newest block that any endpoint of the network has shown in the same round.
 */
export function addCheck(
  before: NodeHealth | null,
  name: NodeName,
  reading: NodeReading,
  newestMs: number | null,
  nowMs: number,
): NodeHealth {
  // A time too far ahead may be no valid date, so it is not kept.
  const ledger = reading.ok && !isAhead(reading.ledger, nowMs) ? reading.ledger : null;
  const behindMs = ledger === null ? null : Math.max(0, (newestMs ?? ledger.ledgerAtMs) - ledger.ledgerAtMs);
  const fault = faultOf(reading, behindMs, nowMs);
  return {
    ...name,
    checks: (before?.checks ?? 0) + 1,
    failures: (before?.failures ?? 0) + (fault === null ? 0 : 1),
    failuresInARow: fault === null ? 0 : (before?.failuresInARow ?? 0) + 1,
    totalLatencyMs: (before?.totalLatencyMs ?? 0) + reading.latencyMs,
    latencyMs: reading.latencyMs,
    checkedAtMs: nowMs,
    goodAtMs: fault === null ? nowMs : (before?.goodAtMs ?? null),
    behindMs: behindMs ?? before?.behindMs ?? null,
    ledger: ledger ?? before?.ledger ?? null,
    fault,
    failingSinceMs: fault === null ? null : (before?.failingSinceMs ?? nowMs),
  };
}

/** Returns since when an endpoint is unhealthy. Null if it is healthy. */
export function unhealthySinceMs({ failuresInARow, failingSinceMs }: NodeHealth): number | null {
  return failuresInARow >= FAILURES_UNTIL_UNHEALTHY ? failingSinceMs : null;
}

/** Returns whether an endpoint shows a protocol version that is later than all that this build knows. */
export function hasNewerProtocol({ ledger }: Pick<NodeHealth, "ledger">): boolean {
  return isNewerProtocol(ledger?.protocolVersion ?? null);
}

/** The states of an endpoint, as operators see them. */
export const nodeStates = ["healthy", "unhealthy", "unchecked"] as const;

/** Returns the state of an endpoint. It is `unchecked` until a check was good, or two in a row have failed. */
export function nodeState(node: NodeView | UncheckedNode): (typeof nodeStates)[number] {
  if (!("checks" in node)) return "unchecked";
  if (node.unhealthySinceMs !== null) return "unhealthy";
  return node.goodAtMs === null ? "unchecked" : "healthy";
}

function faultOf(reading: NodeReading, behindMs: number | null, nowMs: number): string | null {
  if (!reading.ok) return reading.fault;
  if (isAhead(reading.ledger, nowMs))
    return `its newest block is ${Math.round((reading.ledger.ledgerAtMs - nowMs) / 1_000)} s ahead of this service's clock`;
  if (behindMs === null || behindMs <= MAX_BEHIND_MS) return null;
  return `it lags: ${Math.round(behindMs / 1_000)} s behind another endpoint`;
}

/** Names endpoints by their hosts, because the rest of a URL may hold a key. A further one of a host has a number. */
export function endpointNames(urls: readonly string[]): ReadonlyMap<string, string> {
  const seen = new Map<string, number>();
  return new Map(
    urls.map((url) => {
      const { host } = new URL(url);
      const count = (seen.get(host) ?? 0) + 1;
      seen.set(host, count);
      return [url, count === 1 ? host : `${host}#${count}`];
    }),
  );
}
