import { NODE_BATCH_LIMIT, type Observed, type Seen, type SuiCoin } from "../../chain/sui/node.ts";
import { done, type Outcome } from "../../errors.ts";
import type { MissingMoney } from "../../fund/missing-money.ts";
import { dropMissing, takeListing } from "../../fund/own-transactions.ts";
import { forgetPartyCoin, PARTY_DUST_MIST } from "../../fund/party-coins.ts";
import { batchesOf } from "../../paging.ts";
import type { SuiFundCore } from "./core.ts";

/** Pages of one scan: whoever sends coins by the thousand must not keep it from the rest of its work. */
const PAGES_PER_SCAN = 20;
/** Coins of a listing that are taken in by one commit. */
const COINS_PER_COMMIT = 250;
/** Coins that one scan looks for on the chain, because it shows less money than the books. */
const LOOKED_FOR_PER_SCAN = 500;
/** More than this one call cannot compare. */
const MAX_PAGES = 200;

/** Every coin of an address, for a comparison; null: there are too many. */
export async function everyCoin(core: SuiFundCore, address: string): Promise<Outcome<readonly SuiCoin[] | null>> {
  const coins: SuiCoin[] = [];
  let after: Uint8Array | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed: Awaited<ReturnType<typeof core.node.coins>> = await core.node.coins(address, after);
    if (!listed.ok) return listed;
    coins.push(...listed.value.coins);
    after = listed.value.next;
    if (after === null) return done(coins);
  }
  return done(null);
}

/** Takes in what the chain lists as the fund's coins: some pages at a time, and on from there the next time. */
export class FundListing {
  readonly #core: SuiFundCore;
  /** Where the next scan goes on; null: at the beginning. */
  #after: Uint8Array | null = null;
  #seenPartyIds = new Set<string>();
  #seenDustMist = 0n;
  /** In party coins that are too small to be noted, by the last complete listing. */
  #partyDustMist = 0n;
  readonly #missing: MissingMoney;
  #lookedForAfter = "";
  #foundMist = 0n;
  #completedAtMs = 0;

  constructor(core: SuiFundCore, missing: MissingMoney) {
    this.#core = core;
    this.#missing = missing;
  }

  /** The deposits that this instance has booked, MIST: also of a listing that broke off. */
  get foundMist(): bigint {
    return this.#foundMist;
  }

  /** When a listing was last complete, by this instance. */
  get completedAtMs(): number {
    return this.#completedAtMs;
  }

  /** Whether a listing has begun and not yet come to its end. The place lives in memory only. */
  get isUnderWay(): boolean {
    return this.#after !== null;
  }

  /** What nodes count in the coin balance and the books do not. */
  elsewhereMist(): bigint {
    return this.#core.store.partyMist() + this.#partyDustMist;
  }

  /** @returns `node_unavailable`. */
  async takeIn(address: string): Promise<Outcome<null>> {
    for (let page = 0; page < PAGES_PER_SCAN; page++) {
      const listed = await this.#core.node.coins(address, this.#after);
      if (!listed.ok) {
        this.#begin();
        return listed;
      }
      this.#takePage(listed.value.coins);
      this.#after = listed.value.next;
      if (this.#after === null) {
        this.#complete();
        break;
      }
    }
    return done(null);
  }

  #begin(): void {
    this.#after = null;
    this.#seenPartyIds = new Set();
    this.#seenDustMist = 0n;
  }

  #takePage(coins: readonly SuiCoin[]): void {
    const core = this.#core;
    for (const { objectId, owner, balanceMist } of coins)
      if (owner.kind !== "consensus") this.#missing.confirm(objectId);
      // Dust is not noted, and whoever sends it by the thousand must not fill the memory.
      else if (balanceMist >= PARTY_DUST_MIST) this.#seenPartyIds.add(objectId);
    for (const batch of batchesOf(coins, COINS_PER_COMMIT)) {
      const taken = core.commit(() => takeListing(core.store, batch, core.nowMs()));
      this.#foundMist += taken.depositedMist;
      this.#seenDustMist += taken.partyDustMist;
    }
  }

  #complete(): void {
    const core = this.#core;
    const seen = this.#seenPartyIds;
    const unseen = core.store.partyCoinIds().filter((objectId) => !seen.has(objectId));
    for (const batch of batchesOf(unseen, COINS_PER_COMMIT))
      core.commit(() => {
        for (const objectId of batch) forgetPartyCoin(core.store, objectId);
      });
    this.#partyDustMist = this.#seenDustMist;
    this.#completedAtMs = core.nowMs();
    this.#begin();
  }

  /**
   * Drops coins that are booked and do not exist: a listing may have invented them. Asked after a listing, if the chain
   * shows less money than the books.
   */
  async dropInvented(): Promise<void> {
    const core = this.#core;
    const ids = core.store.freeCoinIdsAfter(this.#lookedForAfter, LOOKED_FOR_PER_SCAN);
    this.#lookedForAfter = ids.length < LOOKED_FOR_PER_SCAN ? "" : (ids.at(-1) ?? "");
    for (const batch of batchesOf(ids, NODE_BATCH_LIMIT)) {
      const observed = await core.node.observeCoins(batch);
      if (!observed.ok) return;
      for (const [index, objectId] of batch.entries()) this.#note(objectId, observed.value, index);
    }
  }

  #note(objectId: string, observed: Seen<readonly Observed[]>, index: number): void {
    const core = this.#core;
    const coin = core.store.coin(objectId);
    const shown = observed.value[index];
    if (coin?.state !== "free" || shown === "no_answer") return;
    if (shown !== null) this.#missing.confirm(objectId);
    else if (this.#missing.isDisproved(objectId, `${coin.version}`, observed, core.nowMs())) {
      const droppedMist = core.commit(() => dropMissing(core.store, objectId, core.nowMs()));
      const { fundId } = core.record;
      core.deps.log("fund.coin_dropped", { fund: fundId, objectId, amountMist: droppedMist.toString() });
    }
  }
}
