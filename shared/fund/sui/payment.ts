// Sui only: coins pay, and their versions prove how a transaction ended.

import type { CoinVersion, Observed, ObservedCoin } from "../../chain/sui/coins.ts";
import type { SuiExecution } from "../../chain/sui/execution.ts";
import type { Seen } from "../../chain/sui/node.ts";
import { addEntry } from "../ledger/usage.ts";
import { loseToConsensus } from "./party-coins.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship } from "./store.ts";

/**
 * Merges a transaction's payment coins into its gas coin and takes off what was paid, as the chain does.
 *
 * @param paidMist gas, and whatever else the transaction took out of the gas coin; negative when it put something in.
 * @returns false, having written nothing, when the effects cannot be those of the bytes that the fund signed.
 */
export function applyPayment(
  store: SuiFundStore,
  digest: string,
  gasObjectId: string,
  execution: SuiExecution,
  paidMist: bigint,
): boolean {
  const changes = new Map(execution.changedObjects.map((changed) => [changed.objectId, changed]));
  const output = changes.get(gasObjectId)?.output;
  const coins = store.coinsHeldBy(digest);
  const gasCoin = coins.find(({ objectId }) => objectId === gasObjectId);
  if (output?.owner?.kind !== "address" || gasCoin === undefined || execution.gasObjectId !== gasObjectId) return false;
  // Whatever is written gets a version above all that went in.
  if (coins.some(({ version }) => output.version <= version)) return false;
  const merged = coins.filter(({ objectId }) => objectId !== gasObjectId);
  if (merged.some(({ objectId }) => changes.get(objectId)?.operation !== "deleted")) return false;
  const sumMist = coins.reduce((sum, coin) => sum + coin.balanceMist, 0n);
  if (sumMist < paidMist) return false;
  for (const coin of merged)
    store.putCoin({ ...coin, state: "gone", heldByDigest: null, balanceMist: 0n, maintenance: false });
  const { version, digest: objectDigest } = output;
  const balanceMist = sumMist - paidMist;
  store.putCoin({ ...gasCoin, version, digest: objectDigest, balanceMist, state: "free", heldByDigest: null });
  return true;
}

/** Frees a coin at the version that the chain shows, and books a balance that moved without us. */
export function adoptVersion(store: SuiFundStore, coin: FundCoin, observed: CoinVersion, nowMs: number): void {
  const { version, digest, balanceMist } = observed;
  store.putCoin({ ...coin, version, digest, balanceMist, state: "free", heldByDigest: null });
  if (balanceMist !== coin.balanceMist)
    addEntry(store, {
      atMs: nowMs,
      kind: "adjustment",
      reference: coin.objectId,
      balanceAtoms: balanceMist - coin.balanceMist,
    });
}

/** What the chain says of a transaction that a look-up missed. */
export interface InputEvidence {
  /** Its inputs by their ids, read before the look-up. */
  readonly coins: Seen<ReadonlyMap<string, Observed>>;
  /** The look-up that missed it. Stands at least where the reading of the coins stood. */
  readonly miss: Seen<null>;
}

/** What became of a transaction that a look-up missed; null: that is not proved yet. */
export type ProvenOutcome = "dead" | "executed" | null;

/** A transaction whose fate is in question. */
export type Missed = Pick<SuiSponsorship, "digest" | "expirationEpoch" | "sinceCheckpoint" | "createdAtMs">;

/** `min_checkpoint_interval_ms` (sui-protocol-config): checkpoints follow each other no faster, on average. */
const MIN_CHECKPOINT_INTERVAL_MS = 200;
/** As far as our clock may have been ahead of the chain's when a row was made. */
const CLOCK_MARGIN_MS = 3_600_000;

/** Whether the endpoint still has every checkpoint in which the transaction may be. */
export function coversLife(transaction: Pick<Missed, "sinceCheckpoint" | "createdAtMs">, miss: Seen<null>): boolean {
  const { sinceCheckpoint } = transaction;
  const isBelieved = sinceCheckpoint !== null && !isRefuted(sinceCheckpoint, transaction, miss);
  const since = isBelieved ? sinceCheckpoint : earliestCheckpoint(transaction, miss);
  return miss.lowestAvailable <= since && miss.checkpoint >= since;
}

/**
 * An endpoint may have said too high a checkpoint when the row was made, which no other one would ever reach. One that has
 * not reached it long after the row was made refutes it.
 */
function isRefuted(sinceCheckpoint: bigint, { createdAtMs }: Pick<Missed, "createdAtMs">, miss: Seen<null>): boolean {
  return miss.timestampMs - createdAtMs > CLOCK_MARGIN_MS && miss.checkpoint < sinceCheckpoint;
}

/**
 * Of a row without a checkpoint that is believed: the chain had come at least so far when it was made, by its age at the
 * endpoint's own checkpoint. An endpoint that has kept somewhat more than the row's age can tell of it.
 */
function earliestCheckpoint({ createdAtMs }: Pick<Missed, "createdAtMs">, miss: Seen<null>): bigint {
  const ageMs = Math.max(0, miss.timestampMs - createdAtMs) + CLOCK_MARGIN_MS;
  const earliest = miss.checkpoint - BigInt(Math.ceil(ageMs / MIN_CHECKPOINT_INTERVAL_MS));
  return earliest > 0n ? earliest : 0n;
}

/**
 * Weighs what the chain shows of a transaction's inputs. It is dead when one of them has been consumed at a higher
 * version by another transaction, when one of them is ordered by consensus, or when its last epoch is over. It has been
 * executed when its last epoch is over and one of its inputs was last written by it: then the look-up missed it because
 * the node remembers it no more.
 *
 * The order of reads matters: a version that moved before a later look-up missed the digest was moved by another
 * transaction. Before the epoch is over, an input whose last writer is this very digest only shows that the look-up lags.
 * Without an input that the chain shows, the end of the epoch proves nothing unless the endpoint that missed it still has
 * the whole life of the transaction: another one has pruned what it does not find.
 *
 * @param inputs what the transaction takes, at the versions that it names.
 * @param overtaken the books have it that another transaction has consumed one more of its inputs.
 */
export function proveOutcome(
  transaction: Missed,
  inputs: readonly { readonly objectId: string; readonly version: bigint }[],
  { coins, miss }: InputEvidence,
  overtaken = false,
): ProvenOutcome {
  const { digest, expirationEpoch } = transaction;
  if (miss.chainIdentifier !== coins.chainIdentifier || miss.checkpoint < coins.newestCheckpoint) return null;
  const isOver = coins.epoch > expirationEpoch && miss.epoch > expirationEpoch;
  let consumed = overtaken;
  let shown = true;
  for (const { objectId, version } of inputs) {
    const observed = coins.value.get(objectId) ?? null;
    if (observed === "no_answer") return null;
    if (observed?.previousTransaction === digest) return isOver ? "executed" : null;
    if (observed === null || observed.version < version) shown = false;
    // What consensus orders is taken by no version: bytes that name one are refused for ever.
    else consumed ||= observed.version > version || observed.owner.kind !== "address";
  }
  if (shown && consumed) return "dead";
  return isOver && ((shown && inputs.length > 0) || coversLife(transaction, miss)) ? "dead" : null;
}

function shownIn({ coins }: InputEvidence, objectId: string): ObservedCoin | null {
  const observed = coins.value.get(objectId) ?? null;
  return observed === "no_answer" ? null : observed;
}

/**
 * Frees the payment of a transaction that is dead, at the versions that the chain shows; at ours where it shows none, or
 * where the endpoint that was read lags behind what we know.
 */
export function releasePayment(store: SuiFundStore, digest: string, evidence: InputEvidence, nowMs: number): void {
  for (const coin of store.coinsHeldBy(digest)) {
    const found = shownIn(evidence, coin.objectId);
    const observed = found !== null && found.version >= coin.version ? found : null;
    if (observed !== null && observed.owner.kind !== "address") loseToConsensus(store, coin, nowMs);
    else adoptVersion(store, coin, observed ?? coin, nowMs);
  }
}

/**
 * Takes over what a transaction has left of its payment, where the chain shows the coins and not the effects any more.
 *
 * @returns what it took out of the coins, MIST.
 */
export function adoptObservedPayment(store: SuiFundStore, digest: string, evidence: InputEvidence): bigint {
  let takenMist = 0n;
  for (const coin of store.coinsHeldBy(digest)) {
    const observed = shownIn(evidence, coin.objectId);
    takenMist += coin.balanceMist - (observed?.balanceMist ?? 0n);
    if (observed === null)
      store.putCoin({ ...coin, state: "gone", heldByDigest: null, balanceMist: 0n, maintenance: false });
    else {
      const { version, digest: objectDigest, balanceMist } = observed;
      store.putCoin({ ...coin, version, digest: objectDigest, balanceMist, state: "free", heldByDigest: null });
    }
  }
  return takenMist;
}
