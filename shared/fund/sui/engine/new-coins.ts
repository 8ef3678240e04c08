/* Sui only: An Aptos fund has one store, and no coins to list. */

import { SECOND_LOOK_MS } from "../../../chain/failover.ts";
import { lags } from "../../../chain/lag.ts";
import { partsOf, withValue } from "../../../chain/seen.ts";
import type { Observed, SuiCoin } from "../../../chain/sui/coins.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import type { SuiSeen } from "../../../chain/sui/seen.ts";
import { UNANSWERED } from "../../ledger/missing-money.ts";
import { awaitedCoins, changesBooks, isShownAlike } from "../adopt.ts";
import type { SuiFundCore } from "./chain.ts";

/** New coins of one endpoint that one scan looks up. The rest waits for the next listing. */
const CHECKED_PER_SCAN = 5_000;
/** Calls at the same time. */
const CALLS_AT_ONCE = 5;
/**
 * A scan of an unchanged balance lists the coins every ten minutes, and scans are at most five minutes apart. A longer
 * pause begins the waiting anew.
 */
const MAX_PAUSE_MS = 1_200_000;

/**
 * Checks listed coins that would change the books. One listing may invent coins or versions, so an endpoint of another
 * host has to show each of them. If no other endpoint answers in two scans, the listing is believed.
 */
export class NewCoins {
  readonly #core: SuiFundCore;
  /** The coins that this scan has looked up, by the host that has listed them. */
  readonly #checked = new Map<string, number>();
  #scanAtMs = 0;

  constructor(core: SuiFundCore) {
    this.#core = core;
  }

  /** Begins a scan. */
  begin(): void {
    this.#checked.clear();
    this.#scanAtMs = this.#core.nowMs();
  }

  /** Returns the listed coins. Leaves out those that would change the books and that no other endpoint shows. */
  async withoutUnconfirmed(listing: SuiSeen<readonly SuiCoin[]>): Promise<SuiSeen<readonly SuiCoin[]>> {
    const { store, endpointCount } = this.#core;
    if (endpointCount <= 1) return listing;
    const changing = () => {
      const awaited = awaitedCoins(store);
      const booked = store.coinsOf(listing.value.map(({ objectId }) => objectId));
      return withValue(listing, (coins) => coins.filter((coin) => changesBooks(booked, awaited, coin)));
    };
    const asked = changing();
    if (asked.value.length === 0) return listing;
    // An endpoint may list a coin twice, and lie once. So each entry is confirmed by itself.
    const confirmed = new Set(await this.#confirmed(asked));
    // A coin that was held before the await may be free now. Its entry is not confirmed.
    const refused = new Set(changing().value.filter((coin) => !confirmed.has(coin)));
    if (refused.size === 0) return listing;
    const { deps, record } = this.#core;
    deps.log("fund.coins_unconfirmed", { fund: record.fundId, endpoint: listing.endpoint, coins: refused.size });
    return withValue(listing, (coins) => coins.filter((coin) => !refused.has(coin)));
  }

  /** Returns the entries that another endpoint shows alike. */
  async #confirmed(listing: SuiSeen<readonly SuiCoin[]>): Promise<readonly SuiCoin[]> {
    const before = this.#checked.get(listing.endpoint) ?? 0;
    const asked = withValue(listing, (coins) => coins.slice(0, Math.max(CHECKED_PER_SCAN - before, 0)));
    this.#checked.set(listing.endpoint, before + asked.value.length);
    const confirmed: SuiCoin[] = [];
    const unanswered: SuiCoin[] = [];
    for (const group of partsOf(asked, CALLS_AT_ONCE * NODE_BATCH_LIMIT)) {
      const batches = partsOf(group, NODE_BATCH_LIMIT);
      const answers = await Promise.all(batches.map((batch) => this.#observe(batch)));
      for (const [index, batch] of batches.entries())
        for (const [at, coin] of batch.value.entries()) {
          const shown = answers[index]?.[at] ?? null;
          if (shown === "no_answer") unanswered.push(coin);
          else if (isShownAlike(coin, shown)) confirmed.push(coin);
        }
    }
    if (asked.value.length === 0) return [];
    return this.#believesAlone(listing.endpoint, unanswered.length > 0) ? [...confirmed, ...unanswered] : confirmed;
  }

  /** Reads coins at another host. An endpoint that lags answers nothing, because it may not know them yet. */
  async #observe({ value, endpoint }: SuiSeen<readonly SuiCoin[]>): Promise<readonly Observed[]> {
    const ids = value.map(({ objectId }) => objectId);
    const observed = await this.#core.node.observeCoins(ids, endpoint);
    const isAnswer = observed.ok && !lags(observed.value.timestampMs, this.#core.nowMs());
    return isAnswer ? observed.value.value : ids.map(() => "no_answer");
  }

  /** Records whether another endpoint has answered. Returns true if none has answered since an earlier scan. */
  #believesAlone(endpoint: string, isUnanswered: boolean): boolean {
    const core = this.#core;
    const { doubts } = core.store;
    const known = doubts.doubt(UNANSWERED);
    if (!isUnanswered) {
      if (known !== null) core.commit(() => doubts.dropDoubt(UNANSWERED));
      return false;
    }
    const nowMs = core.nowMs();
    const lastMs = known?.missedAtMs ?? null;
    const goesOn = known?.endpoint === endpoint && lastMs !== null && Math.abs(nowMs - lastMs) <= MAX_PAUSE_MS;
    const sinceMs = goesOn ? Math.min(known.sinceMs, nowMs) : nowMs;
    core.commit(() =>
      doubts.putDoubt(UNANSWERED, { booked: "", sinceMs, bookedByMs: sinceMs, endpoint, missedAtMs: nowMs }),
    );
    return goesOn && sinceMs < this.#scanAtMs && nowMs - sinceMs >= SECOND_LOOK_MS;
  }
}
