import type { Deps } from "../bindings/deps.ts";
import { probeEndpoint, probeFault } from "../chain/probe.ts";
import { type Network, networks } from "../networks.ts";
import type { ServiceEvent } from "../observe/events.ts";
import { batchesOf } from "../paging.ts";
import { withTimeLimit } from "../timing.ts";
import {
  endpointNames,
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
/** The results of a round are shown for so long before anybody's question starts another one. */
const ROUND_KEPT_MS = 20_000;

/** Checks every configured endpoint now and then, and keeps what the checks have shown. */
export class NodeChecks {
  readonly #deps: Deps;
  readonly #rows: NodeRows;
  readonly #raise: (event: ServiceEvent) => Promise<void>;
  readonly #networksInUse: () => ReadonlySet<Network>;
  #round: Promise<void> | null = null;

  /** @param raise raises an event in every project. It resolves once every project has been called. */
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
    const inUse = this.#networksInUse();
    // If many endpoints hang, those that are needed are known first.
    const inOrder = networks.toSorted((one, other) => Number(inUse.has(other)) - Number(inUse.has(one)));
    for (const network of inOrder) await this.#checkNetwork(network);
    this.#rows.keepOnly(this.list());
    await this.#report();
  }

  async #checkNetwork(network: Network): Promise<void> {
    const readings = new Map<string, NodeReading>();
    for (const batch of batchesOf([...endpointNames(this.#deps.config.nodes[network])], PROBES_AT_ONCE))
      await Promise.all(
        batch.map(async ([url, endpoint]) => {
          readings.set(endpoint, await this.#probe(network, url));
        }),
      );
    const newestMs = newestLedgerMs(readings.values());
    for (const [endpoint, reading] of readings)
      this.#rows.add({ network, endpoint }, reading, newestMs, this.#deps.clock.nowMs());
  }

  async #probe(network: Network, url: string): Promise<NodeReading> {
    const startedAtMs = performance.now();
    const latencyMs = () => Math.max(0, Math.round(performance.now() - startedAtMs));
    try {
      const ledger = await withTimeLimit(PROBE_TIMEOUT_MS, (abort) =>
        probeEndpoint(network, url, this.#deps.nodeFetch, abort),
      );
      return { ok: true, latencyMs: latencyMs(), ledger };
    } catch (error) {
      return { ok: false, latencyMs: latencyMs(), fault: probeFault(error, url) };
    }
  }

  /**
   * Raises the events of endpoints that have become unhealthy, or have recovered, on networks in use. The row is marked
   * after the event. So a crash in between repeats an event, and loses none.
   */
  async #report(): Promise<void> {
    const inUse = this.#networksInUse();
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
