// Sui only: coins pay, and their versions prove how a transaction ended.

import type { CoinVersion, Observed, ObservedCoin } from "../../chain/sui/coins.ts";
import type { SuiExecution } from "../../chain/sui/execution.ts";
import type { SuiSeen } from "../../chain/sui/seen.ts";
import { addEntry } from "../ledger/usage.ts";
import { loseToConsensus } from "./party-coins.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship } from "./store.ts";

/**
 * Merges a transaction's payment coins into its gas coin and takes off the paid amount, as the chain does.
 *
 * @param paidMist gas, and all else that the transaction took out of the gas coin. Negative if it put something in.
 * @returns false, having written nothing, if the effects do not fit the bytes that the fund signed.
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
  // The chain gives every written object a version above all inputs' versions.
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

/** Frees a coin at the version that the chain shows. Books the change of its balance, which the fund did not make. */
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

/** The chain's evidence about a transaction that a look-up missed. */
export interface InputEvidence {
  /** The transaction's inputs by their ids, read before the look-up. Null if no coin was read. */
  readonly coins: SuiSeen<ReadonlyMap<string, Observed>> | null;
  /** The look-up that missed it, at the coins' checkpoint or a later one. */
  readonly miss: SuiSeen<null>;
}

/** The proven outcome of a transaction that a look-up missed. Null until an outcome is proved. */
export type ProvenOutcome = "dead" | "executed" | null;

/** The fields of a transaction whose outcome is unproved. */
export type Missed = Pick<SuiSponsorship, "digest" | "expirationEpoch" | "sinceCheckpoint" | "createdAtMs">;

/** The shortest average interval between checkpoints: `min_checkpoint_interval_ms` (sui-protocol-config). */
const MIN_CHECKPOINT_INTERVAL_MS = 200;
/** The most that our clock may have been ahead of the chain's when a row was made. */
const CLOCK_MARGIN_MS = 3_600_000;

/** Checks whether the endpoint still has every checkpoint in which the transaction may be. */
export function coversLife(transaction: Pick<Missed, "sinceCheckpoint" | "createdAtMs">, miss: SuiSeen<null>): boolean {
  const { sinceCheckpoint } = transaction;
  const isBelieved = sinceCheckpoint !== null && !isRefuted(sinceCheckpoint, transaction, miss);
  const since = isBelieved ? sinceCheckpoint : earliestCheckpoint(transaction, miss);
  return miss.lowestAvailable <= since && miss.checkpoint >= since;
}

/**
 * Checks whether an endpoint refutes a row's checkpoint. The endpoint of the row's facts may have given too high a
 * checkpoint, which no other would ever reach. An endpoint that has not reached it long after the row was made refutes
 * it.
 */
function isRefuted(
  sinceCheckpoint: bigint,
  { createdAtMs }: Pick<Missed, "createdAtMs">,
  miss: SuiSeen<null>,
): boolean {
  return miss.timestampMs - createdAtMs > CLOCK_MARGIN_MS && miss.checkpoint < sinceCheckpoint;
}

/**
 * Returns the least checkpoint of the chain when a row without a believed checkpoint was made. It follows from the
 * row's age at the endpoint's own checkpoint. An endpoint that has kept somewhat more than the row's age can prove its
 * outcome.
 */
function earliestCheckpoint({ createdAtMs }: Pick<Missed, "createdAtMs">, miss: SuiSeen<null>): bigint {
  const ageMs = Math.max(0, miss.timestampMs - createdAtMs) + CLOCK_MARGIN_MS;
  const earliest = miss.checkpoint - BigInt(Math.ceil(ageMs / MIN_CHECKPOINT_INTERVAL_MS));
  return earliest > 0n ? earliest : 0n;
}

/**
 * Weighs the chain's evidence about a transaction's inputs. The transaction is dead in three cases:
 *
 * - Another transaction has consumed one of its inputs at a higher version.
 * - Consensus orders one of its inputs.
 * - Its last epoch is over.
 *
 * If its last epoch is over and it was the last writer of one input, it has been executed. The look-up then missed it
 * because the node no longer keeps it.
 *
 * The order of reads matters. If a version moved before a later look-up missed the digest, another transaction moved
 * it. Before the epoch is over, an input whose last writer is this very digest only shows that the look-up lags. If the
 * chain shows no input, the end of the epoch alone proves nothing. The endpoint that missed the digest must still have
 * the whole life of the transaction. An endpoint that has pruned the transaction misses it, too.
 *
 * @param inputs the objects that the transaction takes, at the versions that it names.
 * @param overtaken true if the books show that another transaction has consumed one more of its inputs.
 */
export function proveOutcome(
  transaction: Missed,
  inputs: readonly { readonly objectId: string; readonly version: bigint }[],
  evidence: InputEvidence,
  overtaken = false,
): ProvenOutcome {
  const { digest, expirationEpoch } = transaction;
  if (!isInOrder(evidence)) return null;
  const isOver = isPastEpoch(expirationEpoch, evidence);
  let consumed = overtaken;
  let shown = true;
  for (const { objectId, version } of inputs) {
    const observed = observedIn(evidence, objectId);
    if (observed === "no_answer") return null;
    if (observed?.previousTransaction === digest) return isOver ? "executed" : null;
    if (observed === null || observed.version < version) shown = false;
    // No version names an object that consensus orders. The chain always refuses bytes that name one by its version.
    else consumed ||= observed.version > version || observed.owner.kind !== "address";
  }
  if (shown && consumed) return "dead";
  return isOver && ((shown && inputs.length > 0) || coversLife(transaction, evidence.miss)) ? "dead" : null;
}

/** Checks whether the look-up stands at the reading of the coins or after it, on the same chain. */
export function isInOrder({ coins, miss }: InputEvidence): boolean {
  return coins === null || (miss.chain === coins.chain && miss.checkpoint >= coins.newestCheckpoint);
}

/** Checks whether an epoch is over, by the reading of the coins and by the look-up. */
export function isPastEpoch(epoch: bigint, { coins, miss }: InputEvidence): boolean {
  return miss.epoch > epoch && (coins === null || coins.epoch > epoch);
}

/** Returns a coin as the evidence shows it. Null if the evidence does not have it. */
export function observedIn({ coins }: Pick<InputEvidence, "coins">, objectId: string): Observed {
  return coins?.value.get(objectId) ?? null;
}

/** Does the same as `observedIn`. Null also if the endpoint could not answer about the coin. */
export function shownIn(evidence: Pick<InputEvidence, "coins">, objectId: string): ObservedCoin | null {
  const observed = observedIn(evidence, objectId);
  return observed === "no_answer" ? null : observed;
}

/**
 * Frees the payment of a dead transaction at the versions that the chain shows. Keeps the fund's own version of a coin
 * that the chain does not show. Keeps it too if the endpoint lags behind the books.
 */
export function releasePayment(store: SuiFundStore, digest: string, evidence: InputEvidence, nowMs: number): void {
  for (const coin of store.coinsHeldBy(digest)) {
    const found = shownIn(evidence, coin.objectId);
    const observed = found !== null && found.version >= coin.version ? found : null;
    if (observed !== null && observed.owner.kind !== "address") loseToConsensus(store, coin, nowMs);
    else adoptVersion(store, coin, observed ?? coin, nowMs);
  }
}

/** Returns the amount that held coins lack on the chain, MIST. A coin that the chain does not show counts as empty. */
export function observedCostMist(held: readonly FundCoin[], evidence: InputEvidence): bigint {
  const shownMist = ({ objectId }: FundCoin) => shownIn(evidence, objectId)?.balanceMist ?? 0n;
  return held.reduce((sum, coin) => sum + coin.balanceMist - shownMist(coin), 0n);
}

/**
 * Books the rest of a transaction's payment if the chain shows the coins but no longer the effects.
 *
 * @returns the amount that the transaction took out of the coins, MIST.
 */
export function adoptObservedPayment(store: SuiFundStore, digest: string, evidence: InputEvidence): bigint {
  const held = store.coinsHeldBy(digest);
  const takenMist = observedCostMist(held, evidence);
  for (const coin of held) {
    const observed = shownIn(evidence, coin.objectId);
    if (observed === null)
      store.putCoin({ ...coin, state: "gone", heldByDigest: null, balanceMist: 0n, maintenance: false });
    else {
      const { version, digest: objectDigest, balanceMist } = observed;
      store.putCoin({ ...coin, version, digest: objectDigest, balanceMist, state: "free", heldByDigest: null });
    }
  }
  return takenMist;
}

/**
 * Frees the payment of a closed transaction at the versions that the chain shows. A coin that is not the fund's alone
 * is gone.
 *
 * @returns the change of the balance, MIST. The caller books it.
 */
export function takeOverPayment(
  store: SuiFundStore,
  held: readonly FundCoin[],
  evidence: Pick<InputEvidence, "coins">,
  address: string,
): bigint {
  let changeMist = 0n;
  for (const coin of held) {
    const shown = shownIn(evidence, coin.objectId);
    if (shown === null || shown.owner.kind !== "address" || shown.owner.address !== address) {
      store.putCoin({ ...coin, state: "gone", heldByDigest: null, maintenance: false });
      changeMist -= coin.balanceMist;
    } else {
      const { version, digest, balanceMist } = shown;
      store.putCoin({ ...coin, version, digest, balanceMist, state: "free", heldByDigest: null });
      changeMist += balanceMist - coin.balanceMist;
    }
  }
  return changeMist;
}

/** Returns true if the network charges no gas for a sponsorship. Nothing else has a budget of 0. */
export function isGasless({ gasObjectId, gasBudgetAtoms }: Pick<SuiSponsorship, "gasObjectId" | "gasBudgetAtoms">) {
  return gasObjectId === null && gasBudgetAtoms === 0n;
}

/**
 * Returns true if a signature of the fund over these bytes is irrevocable. Without a coin, no transaction of the fund
 * can make it worthless. It may execute until its last epoch is over, even if a node refused it.
 */
export function isIrrevocable({ gasObjectId }: Pick<SuiSponsorship, "gasObjectId">): boolean {
  return gasObjectId === null;
}
