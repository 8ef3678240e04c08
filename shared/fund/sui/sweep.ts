// Sui only: a coin at a new version makes old signatures worthless; on Aptos only time does.

import type { CoinVersion, SuiCoin } from "../../chain/sui/coins.ts";
import type { SuiExecution } from "../../chain/sui/execution.ts";
import { MAX_GAS_PAYMENT_OBJECTS } from "../../chain/sui/limits.ts";
import { MAX_COINS_PER_COMMAND } from "../../chain/sui/treasury-kinds.ts";
import type { InputEvidence } from "./payment.ts";
import { coversLife, isInOrder, isPastEpoch, observedIn } from "./payment.ts";
import type { SuiFundStore, SuiTreasuryTransaction } from "./store.ts";

/**
 * A sweep is a treasury transaction of a recovery. It moves coins of the fund to new versions, so that no forgotten
 * signature over the old ones can execute. The coins come from the chain, because the books may be older. So a sweep
 * holds no coin of the books, and its end changes none. The recovery then adopts all coins from the chain.
 */

/** The most coins that one sweep moves beside those that pay for it. */
export const MAX_SWEPT_COINS = MAX_COINS_PER_COMMAND - 1;

/** The union of the listings of all endpoints. */
export interface MergedListing {
  /** The coins that the fund owns alone, each at the highest listed version, largest first. */
  readonly coins: readonly CoinVersion[];
  /** The sum of each listing, party coins included, as a node counts them in the coin balance, MIST. */
  readonly sumsMist: readonly bigint[];
  /** Ids of coins that the endpoints list differently. */
  readonly disputed: readonly string[];
}

/** Merges the listings of several endpoints. A coin that one of them hides is still in the result. */
export function mergeListings(listings: readonly (readonly SuiCoin[])[]): MergedListing {
  const newest = new Map<string, SuiCoin>();
  const counts = new Map<string, number>();
  const disputed = new Set<string>();
  for (const listing of listings)
    for (const coin of listing) {
      const known = newest.get(coin.objectId);
      counts.set(coin.objectId, (counts.get(coin.objectId) ?? 0) + 1);
      if (known !== undefined && (known.version !== coin.version || known.balanceMist !== coin.balanceMist))
        disputed.add(coin.objectId);
      if (known === undefined || known.version < coin.version) newest.set(coin.objectId, coin);
    }
  for (const [objectId, count] of counts) if (count !== listings.length) disputed.add(objectId);
  const all = [...newest.values()];
  const coins = all.flatMap(({ owner, ...coin }) => (owner.kind === "address" ? [coin] : []));
  return {
    coins: coins.toSorted((a, b) => (a.balanceMist > b.balanceMist ? -1 : a.balanceMist < b.balanceMist ? 1 : 0)),
    sumsMist: listings.map((listing) => listing.reduce((sum, { balanceMist }) => sum + balanceMist, 0n)),
    disputed: [...disputed],
  };
}

/** The ids of all coins that executed sweeps have moved. */
export function sweptIds(sweeps: readonly SuiTreasuryTransaction[]): ReadonlySet<string> {
  const executed = sweeps.filter(({ state }) => state === "complete" || state === "failed");
  return new Set(executed.flatMap(({ bumpedCoins }) => bumpedCoins.map(({ objectId }) => objectId)));
}

/** Checks whether a listing is later than these sweeps: each coin that they have moved has left its old version. */
export function isAfterSweeps(
  coins: readonly CoinVersion[],
  sweeps: readonly Pick<SuiTreasuryTransaction, "state" | "bumpedCoins">[],
): boolean {
  const executed = sweeps.filter(({ state }) => state === "complete" || state === "failed");
  const before = new Map(executed.flatMap((sweep) => sweep.bumpedCoins.map((coin) => [coin.objectId, coin.version])));
  return coins.every(({ objectId, version }) => version > (before.get(objectId) ?? -1n));
}

/** The coins that pay for a sweep, and the other coins that it moves. */
export interface SweepChoice {
  /** Empty if the address balance pays. */
  readonly payment: readonly CoinVersion[];
  readonly moved: readonly CoinVersion[];
}

/**
 * Chooses the payment of a sweep: the largest coins that cover the budget, otherwise the address balance. Null if
 * neither covers it.
 *
 * @param coins all coins of the fund, largest first.
 * @param batch the coins to move.
 */
export function chooseSweep(
  coins: readonly CoinVersion[],
  batch: readonly CoinVersion[],
  budgetMist: bigint,
  addressBalanceMist: bigint,
): SweepChoice | null {
  const payment: CoinVersion[] = [];
  let sumMist = 0n;
  for (const coin of coins.slice(0, MAX_GAS_PAYMENT_OBJECTS)) {
    if (sumMist >= budgetMist) break;
    payment.push(coin);
    sumMist += coin.balanceMist;
  }
  if (sumMist >= budgetMist) {
    const paying = new Set(payment.map(({ objectId }) => objectId));
    return { payment, moved: batch.filter(({ objectId }) => !paying.has(objectId)) };
  }
  return addressBalanceMist >= budgetMist ? { payment: [], moved: batch } : null;
}

/**
 * Ends an executed sweep. After a success or a failure, its inputs have a higher version.
 *
 * @returns false, having written nothing, if the effects leave an input at its version.
 */
export function endSweep(store: SuiFundStore, sweep: SuiTreasuryTransaction, execution: SuiExecution): boolean {
  const changes = new Map(execution.changedObjects.map((changed) => [changed.objectId, changed]));
  for (const { objectId, version } of sweep.bumpedCoins) {
    const changed = changes.get(objectId);
    if (changed === undefined || (changed.output !== null && changed.output.version <= version)) return false;
  }
  putEnded(store, sweep, execution.success ? "complete" : "failed");
  return true;
}

/**
 * Closes a sweep that can never execute. Another transaction has moved one of its coins, or its epoch is over. A false
 * death does no harm: another sweep then moves the coins once more.
 *
 * @returns true if the sweep is over.
 */
export function closeSweep(store: SuiFundStore, sweep: SuiTreasuryTransaction, evidence: InputEvidence): boolean {
  const { miss } = evidence;
  if (!isInOrder(evidence)) return false;
  const isOver = isPastEpoch(sweep.expirationEpoch, evidence);
  const isMoved = sweep.bumpedCoins.some(({ objectId, version }) => {
    const observed = observedIn(evidence, objectId);
    if (observed === "no_answer") return false;
    if (observed === null) return coversLife(sweep, miss);
    return observed.version > version && observed.previousTransaction !== sweep.digest;
  });
  if (!isMoved && !(isOver && coversLife(sweep, miss))) return false;
  putEnded(store, sweep, "dead");
  return true;
}

function putEnded(store: SuiFundStore, sweep: SuiTreasuryTransaction, state: "complete" | "failed" | "dead"): void {
  store.putTreasuryTransaction({ ...sweep, state, transactionBytes: new Uint8Array() });
  store.setDue("own", sweep.digest, null);
}
