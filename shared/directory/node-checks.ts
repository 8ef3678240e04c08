import type { Deps } from "../bindings/deps.ts";
import type { Fetch } from "../bindings/ports.ts";
import { probeEndpoint, probeFault } from "../chain/probe.ts";
import { SharedRounds } from "../durable/shared-rounds.ts";
import { type Network, networks } from "../networks.ts";
import type { ServiceEvent } from "../observe/events.ts";
import { unlessAborted, withTimeLimit } from "../timing.ts";
import {
  addCheck,
  endpointNames,
  hasNewerProtocol,
  type NodeHealth,
  type NodeReading,
  type NodeView,
  newestLedgerMs,
  type UncheckedNode,
  unhealthySinceMs,
} from "./node-health.ts";
import { NodeRows } from "./node-rows.ts";

/** An answer that takes longer is a failure. A call of the service would wait for it as long. */
const PROBE_TIMEOUT_MS = 4_000;
/** A probe of Sui makes two requests. The platform lets six wait at once. */
const PROBES_AT_ONCE = 3;
/** The cause of a check whose request got no answer. */
const UNREACHABLE = "the endpoint could not be reached";
/** The results of a round are shown for so long before anybody's question starts another one. */
const ROUND_KEPT_MS = 20_000;

/** The checks of one network that a round has done so far. */
interface NetworkChecks {
  readonly network: Network;
  readonly done: Map<
    string,
    { readonly before: NodeHealth | null; readonly reading: NodeReading; readonly atMs: number }
  >;
}

interface PlannedProbe {
  readonly checks: NetworkChecks;
  readonly url: string;
  readonly endpoint: string;
}

/** Checks every configured endpoint at intervals, and keeps the results. */
export class NodeChecks {
  readonly #deps: Deps;
  readonly #rows: NodeRows;
  readonly #raise: (event: ServiceEvent) => Promise<void>;
  readonly #networksInUse: () => ReadonlySet<Network>;
  readonly #reports: SharedRounds<void>;
  /** Networks that have changed to a protocol version that is not known, until the next report. */
  readonly #newer: NodeHealth[] = [];
  #round: Promise<void> | null = null;

  /** @param raise raises an event in every project. It resolves in bounded time, also if a project does not answer. */
  constructor(
    sql: SqlStorage,
    deps: Deps,
    networksInUse: () => ReadonlySet<Network>,
    raise: (event: ServiceEvent) => Promise<void>,
  ) {
    this.#deps = deps;
    this.#rows = new NodeRows(sql);
    this.#networksInUse = networksInUse;
    this.#raise = raise;
    this.#reports = new SharedRounds(() =>
      this.#raiseAll().catch((error: unknown) => deps.log("node.report_failed", { error: String(error) })),
    );
  }

  /** Checks every endpoint, unless that was done lately. Callers at the same time share one round. It never throws. */
  check(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const sinceMs = nowMs - (this.#rows.lastRoundMs() ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back must not stop the checks.
    if (this.#round === null && sinceMs >= 0 && sinceMs < ROUND_KEPT_MS) return Promise.resolve();
    this.#round ??= this.#checkAll()
      .catch((error: unknown) => this.#deps.log("node.checks_failed", { error: String(error) }))
      .finally(() => {
        this.#round = null;
      });
    return this.#round;
  }

  /**
   * Raises the events that the rounds have caused. It is no part of a round, because projects may be slow, and no check
   * may wait for them. Callers at the same time share one report. It never throws.
   */
  report(): Promise<void> {
    return this.#reports.run();
  }

  /** Lists every configured endpoint, in the order of the configuration. */
  list(): readonly (NodeView | UncheckedNode)[] {
    const inUse = this.#networksInUse();
    const known = this.#rows.all();
    return networks.flatMap((network) =>
      [...endpointNames(this.#deps.config.nodes[network]).values()].map((endpoint) => {
        const health = known.find((row) => row.network === network && row.endpoint === endpoint);
        const isInUse = inUse.has(network);
        return health === undefined
          ? { network, endpoint, isInUse }
          : { ...health, isInUse, unhealthySinceMs: unhealthySinceMs(health) };
      }),
    );
  }

  async #checkAll(): Promise<void> {
    this.#rows.startRound(this.#deps.clock.nowMs());
    const waiting = this.#inOrder().values();
    const probe = async () => {
      for (const { checks, url, endpoint } of waiting)
        this.#add(checks, endpoint, await this.#probe(checks.network, url, endpoint));
    };
    await Promise.all(Array.from({ length: PROBES_AT_ONCE }, probe));
    this.#rows.keepOnly(this.list());
  }

  /**
   * Lists the probes of a round. Networks in use come first, and the first endpoint of each network comes before a
   * second one. So no network waits for all endpoints of another one.
   */
  #inOrder(): readonly PlannedProbe[] {
    const inUse = this.#networksInUse();
    return networks
      .flatMap((network) => {
        const checks: NetworkChecks = { network, done: new Map() };
        return [...endpointNames(this.#deps.config.nodes[network])].map(([url, endpoint], index) => ({
          isInUse: inUse.has(network),
          index,
          probe: { checks, url, endpoint },
        }));
      })
      .toSorted((one, other) => Number(other.isInUse) - Number(one.isInUse) || one.index - other.index)
      .map(({ probe }) => probe);
  }

  /** Stores a reading at once, because others may take seconds. It may show that earlier ones of the round lag. */
  #add({ network, done }: NetworkChecks, endpoint: string, reading: NodeReading): void {
    const nowMs = this.#deps.clock.nowMs();
    const before = this.#rows.find({ network, endpoint });
    const wasNewer = this.#rows.all().some((row) => row.network === network && hasNewerProtocol(row));
    done.set(endpoint, { before, reading, atMs: nowMs });
    const newestMs = newestLedgerMs(
      [...done.values()].map((check) => check.reading),
      nowMs,
    );
    for (const [name, check] of done)
      this.#rows.put(addCheck(check.before, { network, endpoint: name }, check.reading, newestMs, check.atMs));
    const now = this.#rows.find({ network, endpoint });
    if (!wasNewer && now !== null && hasNewerProtocol(now)) this.#newer.push(now);
  }

  async #probe(network: Network, url: string, endpoint: string): Promise<NodeReading> {
    /** The faults of requests that got no answer, in the runtime's words. Nobody outside understands these. */
    const unanswered: unknown[] = [];
    const startedAtMs = performance.now();
    const latencyMs = () => Math.max(0, Math.round(performance.now() - startedAtMs));
    try {
      const ledger = await withTimeLimit(PROBE_TIMEOUT_MS, (abort) => {
        const fetch: Fetch = (input, init) =>
          this.#deps.nodeFetch(input, init).catch((error: unknown) => {
            if (!abort.aborted) unanswered.push(error);
            throw error;
          });
        // An endpoint that heeds no abort must not hold the round.
        return unlessAborted(abort, probeEndpoint(network, url, fetch, abort));
      });
      return { ok: true, latencyMs: latencyMs(), ledger };
    } catch (error) {
      if (unanswered.length === 0) return { ok: false, latencyMs: latencyMs(), fault: probeFault(error, url) };
      this.#deps.log("node.unreachable", { network, endpoint, error: probeFault(unanswered[0], url) });
      return { ok: false, latencyMs: latencyMs(), fault: UNREACHABLE };
    }
  }

  /**
   * Raises the events of networks whose protocol is newer than this build. One that is lost by a restart stays a notice
   * of readiness. Raises the events of endpoints that have become unhealthy, or have recovered, on networks in use. The row is marked
   * after the event. So a crash in between repeats an event, and loses none.
   */
  async #raiseAll(): Promise<void> {
    const inUse = this.#networksInUse();
    for (const { network, endpoint, ledger } of this.#newer.splice(0)) {
      const data = { network, endpoint, protocolVersion: ledger?.protocolVersion ?? "" };
      this.#deps.log("node.newer_protocol", data);
      if (inUse.has(network)) await this.#raise({ type: "node.newer_protocol", data });
    }
    for (const health of this.#rows.unreported()) {
      const { network, endpoint, fault, goodAtMs } = health;
      if (!inUse.has(network)) continue;
      const name = { network, endpoint };
      const isUnhealthy = unhealthySinceMs(health) !== null;
      const lastGoodAt = goodAtMs === null ? null : new Date(goodAtMs).toISOString();
      this.#deps.log(isUnhealthy ? "node.unhealthy" : "node.healthy", { ...name, fault });
      await this.#raise(
        isUnhealthy
          ? { type: "node.unhealthy", data: { ...name, cause: fault ?? "", lastGoodAt } }
          : { type: "node.recovered", data: name },
      );
      this.#rows.markReported(name, isUnhealthy);
    }
  }
}
