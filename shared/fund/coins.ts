import type { ObservedCoin, SuiCoin, SuiExecution } from "../chain/sui/node.ts";
import { book } from "./books.ts";
import type { FundCoin, FundStore } from "./fund-store.ts";

/**
 * Merges a transaction's payment coins into its gas coin and takes off what was paid, as the chain does.
 *
 * @param paidMist gas, and whatever else the transaction took out of the gas coin; negative when it put something in.
 * @returns false, having written nothing, when the effects cannot be those of the bytes that the fund signed.
 */
export function payFromCoins(
  store: FundStore,
  digest: string,
  gasObjectId: string,
  execution: SuiExecution,
  paidMist: bigint,
): boolean {
  const changes = new Map(execution.changedObjects.map((changed) => [changed.objectId, changed]));
  const output = changes.get(gasObjectId)?.output;
  const coins = store.coinsOf(digest);
  const gasCoin = coins.find(({ objectId }) => objectId === gasObjectId);
  if (output?.owner?.kind !== "address" || gasCoin === undefined || execution.gasObjectId !== gasObjectId) return false;
  // Whatever is written gets a version above all that went in.
  if (coins.some(({ version }) => output.version <= version)) return false;
  const merged = coins.filter(({ objectId }) => objectId !== gasObjectId);
  if (merged.some(({ objectId }) => changes.get(objectId)?.operation !== "deleted")) return false;
  const sumMist = coins.reduce((sum, coin) => sum + coin.balanceMist, 0n);
  if (sumMist < paidMist) return false;
  for (const coin of merged)
    store.putCoin({ ...coin, state: "gone", holder: null, balanceMist: 0n, maintenance: false });
  const { version, digest: objectDigest } = output;
  const balanceMist = sumMist - paidMist;
  store.putCoin({ ...gasCoin, version, digest: objectDigest, balanceMist, state: "free", holder: null });
  return true;
}

/** Frees a coin at the version that the chain shows, and books a balance that moved without us. */
export function adoptVersion(store: FundStore, coin: FundCoin, observed: SuiCoin, nowMs: number): void {
  const { version, digest, balanceMist } = observed;
  store.putCoin({ ...coin, version, digest, balanceMist, state: "free", holder: null });
  if (balanceMist !== coin.balanceMist)
    book(store, {
      atMs: nowMs,
      kind: "adjustment",
      reference: coin.objectId,
      balanceAtoms: balanceMist - coin.balanceMist,
    });
}

/** What the chain said before, and in, the look-up that missed the digest. */
export interface DeathEvidence {
  /** Read before the look-up. */
  readonly coins: readonly (ObservedCoin | null)[];
  readonly epoch: bigint;
  readonly epochStartMs: number;
  /** How far the endpoint that missed the digest had seen. */
  readonly checkpointTimeMs: number;
}

/** What became of a transaction that a look-up missed; null: that is not proved yet. */
export type Fate = "dead" | "executed" | null;

/**
 * Weighs what the chain shows of a transaction's inputs. It is dead when one of them has been consumed at a higher
 * version by another transaction, or when its last epoch is over. It has been executed when its last epoch is over and
 * one of its inputs was last written by it: then the look-up missed it because the node remembers it no more.
 *
 * The order of reads matters: a version that moved before a later look-up missed the digest was moved by another
 * transaction. Before the epoch is over, an input whose last writer is this very digest only shows that the look-up lags.
 *
 * @param inputs what the transaction takes, at the versions that it names.
 * @param overtaken the books have it that another transaction has consumed one more of its inputs.
 */
export function fateOf(
  { digest, expirationEpoch }: { readonly digest: string; readonly expirationEpoch: bigint },
  inputs: readonly { readonly objectId: string; readonly version: bigint }[],
  evidence: DeathEvidence,
  overtaken = false,
): Fate {
  // An endpoint that has not seen the new epoch begin may still be hiding an execution of the last one.
  const over = evidence.epoch > expirationEpoch && evidence.checkpointTimeMs >= evidence.epochStartMs;
  let consumed = overtaken;
  let shown = true;
  for (const { objectId, version } of inputs) {
    const observed = evidence.coins.find((candidate) => candidate?.objectId === objectId);
    if (observed?.previousTransaction === digest) return over ? "executed" : null;
    if (observed == null || observed.version < version) shown = false;
    else consumed ||= observed.version > version;
  }
  return over || (shown && consumed) ? "dead" : null;
}

/**
 * Frees the payment of a transaction that is dead, at the versions that the chain shows; at ours where it shows none, or
 * where the endpoint that was read lags behind what we know.
 */
export function freePayment(store: FundStore, digest: string, evidence: DeathEvidence, nowMs: number): void {
  for (const coin of store.coinsOf(digest)) {
    const observed = evidence.coins.find((candidate) => candidate?.objectId === coin.objectId);
    adoptVersion(store, coin, observed != null && observed.version >= coin.version ? observed : coin, nowMs);
  }
}

/**
 * Takes over what a transaction has left of its payment, where the chain shows the coins and not the effects any more.
 *
 * @returns what it took out of the coins, MIST.
 */
export function adoptPayment(store: FundStore, digest: string, evidence: DeathEvidence): bigint {
  let takenMist = 0n;
  for (const coin of store.coinsOf(digest)) {
    const observed = evidence.coins.find((candidate) => candidate?.objectId === coin.objectId);
    takenMist += coin.balanceMist - (observed?.balanceMist ?? 0n);
    if (observed == null) store.putCoin({ ...coin, state: "gone", holder: null, balanceMist: 0n, maintenance: false });
    else {
      const { version, digest: objectDigest, balanceMist } = observed;
      store.putCoin({ ...coin, version, digest: objectDigest, balanceMist, state: "free", holder: null });
    }
  }
  return takenMist;
}
