/* Sui only: An Aptos fund has one store, and no coins to list. */

import { partsOf, withValue } from "../../../chain/seen.ts";
import type { Observed, SuiCoin } from "../../../chain/sui/coins.ts";
import type { CoinPage, PageTokens } from "../../../chain/sui/listing.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import type { SuiSeen } from "../../../chain/sui/seen.ts";
import { done, type Outcome } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import type { MissingMoney } from "../../ledger/missing-money.ts";
import { isClosed } from "../../recovery.ts";
import { adoptCoinListing, dropMissing } from "../adopt.ts";
import { type ListingPlace, ListingPlaces } from "../listing-places.ts";
import { forgetPartyCoin, PARTY_DUST_MIST } from "../party-coins.ts";
import type { SuiFundCore } from "./chain.ts";
import { NewCoins } from "./new-coins.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** Pages of one scan. A sender of coins by the thousand must not keep the scan from the rest of its work. */
const PAGES_PER_SCAN = 20;
/** Coins of a listing that one commit takes in. */
const COINS_PER_COMMIT = 250;
/** Coins that one scan looks for on the chain if it shows less money than the books. */
const LOOKED_FOR_PER_SCAN = 500;
/** One call cannot compare more pages than this. */
const MAX_PAGES = 200;

/** A dropped coin, which no endpoint has. */
interface Dropped {
  readonly objectId: string;
  readonly amountMist: string;
  /** Hosts of the endpoints that have missed it. */
  readonly endpoints: string;
}

/** Lists every coin of an address as one endpoint shows them, for a comparison. Null if there are too many. */
export async function everyCoin(core: SuiFundCore, address: string): Promise<Outcome<readonly SuiCoin[] | null>> {
  const coins: SuiCoin[] = [];
  const pages: CoinPage[] = [];
  const tokens: PageTokens = {
    of: (url) => {
      const last = pages.at(-1);
      if (last === undefined) return null;
      return last.url === url ? last.next : undefined;
    },
    failed: () => {},
  };
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await core.node.coins(address, tokens);
    if (!listed.ok) return listed;
    coins.push(...listed.value.coins.value);
    pages.push(listed.value);
    if (listed.value.next === null) return done(coins);
  }
  return done(null);
}

/**
 * Books the coins that the chain lists as the fund's. Takes some pages at a time, and continues from there the next
 * time. Each endpoint has a listing of its own. The first complete one counts.
 */
export class SuiListing {
  readonly #core: SuiFundCore;
  readonly #places: ListingPlaces;
  /** The sum of party coins that are too small to be noted, by the last complete listing. */
  #partyDustMist = 0n;
  readonly #missing: MissingMoney;
  readonly #newCoins: NewCoins;
  readonly #watch: SuiStateWatch;
  #foundMist = 0n;
  #completedAtMs = 0;

  constructor(core: SuiFundCore, missing: MissingMoney, watch: SuiStateWatch) {
    this.#core = core;
    this.#watch = watch;
    this.#missing = missing;
    this.#newCoins = new NewCoins(core);
    const newSeed = () => new DataView(core.deps.randomBytes(4).buffer).getInt32(0);
    this.#places = new ListingPlaces(() => core.nowMs(), newSeed);
  }

  /** The deposits that this instance has booked, MIST. A listing that broke off counts too. */
  get foundMist(): bigint {
    return this.#foundMist;
  }

  /** The time at which this instance last completed a listing. 0 if it has completed none. */
  get completedAtMs(): number {
    return this.#completedAtMs;
  }

  /** True from the first page of a listing to its end. The place lives in memory only. */
  get isUnderWay(): boolean {
    return this.#places.isUnderWay;
  }

  /** Returns the amount that nodes count in the coin balance and the books do not, MIST. */
  elsewhereMist(): bigint {
    return this.#core.store.partyMist() + this.#partyDustMist;
  }

  /**
   * Lists the next pages and books them.
   *
   * @returns `node_unavailable`. The coins listed by then stay booked.
   */
  async takeIn(address: string): Promise<Outcome<null>> {
    const places = this.#places;
    places.passOverNone();
    this.#newCoins.begin();
    for (let page = 0; page < PAGES_PER_SCAN; page++) {
      // A listing that is longer than one scan may be endless. So other endpoints get the second half of the next
      // scans.
      if (page === PAGES_PER_SCAN / 2) places.passOver(PAGES_PER_SCAN);
      const failuresBefore = places.failures;
      const listed = await this.#core.node.coins(address, places);
      const heldBack = listed.ok ? await this.#watch.unexplained(listed.value.coins.value) : null;
      if (heldBack === "behind") return done(null);
      if (listed.ok && heldBack !== null && (await this.#takePage(listed.value, heldBack))) break;
      if (listed.ok || places.takeBack()) continue;
      // If no endpoint was called, all of them rest.
      return places.failures === failuresBefore ? done(null) : listed;
    }
    return done(null);
  }

  /** @returns whether the listing is complete. */
  async #takePage({ url, coins, next }: CoinPage, heldBack: ReadonlySet<string>): Promise<boolean> {
    const explained = withValue(coins, (listed) => listed.filter(({ objectId }) => !heldBack.has(objectId)));
    const believed = await this.#newCoins.withoutUnconfirmed(explained);
    const place = this.#places.at(url);
    this.#takeCoins(place, believed);
    const end = place.take({ objectIds: coins.value.map(({ objectId }) => objectId), next });
    if (end === "endless" && this.#places.endless(url)) {
      const fields = { fund: this.#core.record.fundId, endpoint: new URL(url).host, pages: place.pages };
      this.#core.deps.log("fund.listing_endless", fields);
    }
    if (end === "complete") this.#complete(url, place);
    return end === "complete";
  }

  #takeCoins(place: ListingPlace, coins: SuiSeen<readonly SuiCoin[]>): void {
    const core = this.#core;
    // Dust is not noted. A sender of dust by the thousand must not fill the memory.
    for (const { objectId, owner, balanceMist } of coins.value)
      if (owner.kind === "consensus" && balanceMist >= PARTY_DUST_MIST) place.showsParty(objectId);
    for (const batch of partsOf(coins, COINS_PER_COMMIT)) {
      // A recovery may have begun during the await. It books the unexplained difference.
      if (isClosed(core.record)) return;
      const taken = core.commit(() => {
        // Doubts are rare, and a deletion for each listed coin takes long.
        if (core.store.doubts.hasOfCoins())
          for (const { objectId, owner } of batch.value)
            if (owner.kind !== "consensus") this.#missing.confirm(objectId);
        return adoptCoinListing(core.store, batch, core.nowMs());
      });
      this.#foundMist += taken.depositedMist;
      place.partyDustMist += taken.partyDustMist;
    }
  }

  #complete(url: string, place: ListingPlace): void {
    const core = this.#core;
    const unshown = place.unshownParty(core.store.partyCoinIds());
    for (const batch of batchesOf(unshown, COINS_PER_COMMIT))
      core.commit(() => {
        for (const objectId of batch) forgetPartyCoin(core.store, objectId);
      });
    const { doubts } = core.store;
    if (doubts.hasOfCoins()) core.commit(() => doubts.dropOfMovedCoins());
    this.#partyDustMist = place.partyDustMist;
    this.#completedAtMs = core.nowMs();
    this.#places.complete(url);
  }

  /**
   * Drops coins that are booked and do not exist, because a listing may have invented them. Runs after a listing if the
   * chain shows less money than the books.
   */
  async dropInvented(): Promise<void> {
    const core = this.#core;
    const { store } = core;
    const ids = store.freeCoinIdsAfter(store.doubts.lookedForAfter(), LOOKED_FOR_PER_SCAN);
    core.commit(() => store.doubts.setLookedForAfter(ids.length < LOOKED_FOR_PER_SCAN ? "" : (ids.at(-1) ?? "")));
    for (const batch of batchesOf(ids, NODE_BATCH_LIMIT)) {
      const besides = batch.map((objectId) => this.#missing.besides(objectId)).find((host) => host !== undefined);
      const observed = await core.node.observeCoins(batch, besides);
      if (!observed.ok || isClosed(core.record)) return;
      const dropped = core.commit(() =>
        batch.flatMap((objectId, index) => this.#note(objectId, observed.value, index)),
      );
      for (const fields of dropped) core.deps.log("fund.coin_dropped", { fund: core.record.fundId, ...fields });
    }
  }

  /** Weighs one observed coin. Returns the log fields of a dropped coin, or nothing if it was not dropped. */
  #note(objectId: string, observed: SuiSeen<readonly Observed[]>, index: number): readonly Dropped[] {
    const { store } = this.#core;
    const nowMs = this.#core.nowMs();
    const coin = store.coin(objectId);
    const shown = observed.value[index];
    if (coin?.state !== "free" || shown === "no_answer") return [];
    if (shown !== null) {
      this.#missing.confirm(objectId);
      return [];
    }
    const doubt = this.#missing.disprove(objectId, `${coin.version}`, observed, nowMs);
    if (doubt === null) return [];
    if (!store.isUntouchedDeposit(coin)) {
      this.#core.pauseBehindChain(`the coin ${objectId} is gone, and no transaction of the stored state has taken it`);
      return [];
    }
    const amountMist = dropMissing(store, objectId, nowMs).toString();
    return [{ objectId, amountMist, endpoints: `${doubt.endpoint} ${observed.endpoint}` }];
  }
}
