import { type LedgerState, type Seen, seenIn } from "../one-reply.ts";

/**
 * The progress of an endpoint on its chain, by one of its replies.
 *
 * A node appends the headers with its height after the method has run (`sui-rpc-api`, `response.rs`). They bound the
 * content of a reply, and never prove it. So each question follows a reply that names the height. Behind a load
 * balancer another node may answer. Its own headers must name the same chain and at least that height.
 */
export interface SuiLedgerState extends LedgerState {
  /** Base58 genesis digest. */
  readonly chain: string;
  /** The reply holds everything up to this checkpoint, unless it is pruned. `timestampMs` is its time. */
  readonly checkpoint: bigint;
  /** Epoch of that checkpoint. */
  readonly epoch: bigint;
  /** The reply holds nothing after this checkpoint. */
  readonly newestCheckpoint: bigint;
}

/** A reply of a Sui node. */
export type SuiSeen<T> = Seen<T, SuiLedgerState>;

/**
 * Combines two readings of different objects to one that claims no more than either. It holds everything up to the
 * lower checkpoint, and nothing after the higher one. Objects that either endpoint has pruned count as pruned.
 *
 * @returns null if they come from two chains, which cannot be combined.
 */
export function joinSeen<T, U, V>(
  one: SuiSeen<T>,
  other: SuiSeen<U>,
  join: (one: T, other: U) => V,
): SuiSeen<V> | null {
  if (one.chain !== other.chain) return null;
  const { endpoint, chain, checkpoint, timestampMs, epoch } = one.checkpoint <= other.checkpoint ? one : other;
  const newestCheckpoint = highestOf(one.newestCheckpoint, other.newestCheckpoint);
  const lowestAvailable = highestOf(one.lowestAvailable, other.lowestAvailable);
  const state = { endpoint, chain, checkpoint, timestampMs, epoch, newestCheckpoint, lowestAvailable };
  return seenIn(state, join(one.value, other.value));
}

/** Lowers a reply's epoch to one that the caller believes has begun. A later epoch is still one endpoint's claim. */
export function upToEpoch<T>(seen: SuiSeen<T>, believed: bigint): SuiSeen<T> {
  return seen.epoch > believed ? seenIn({ ...seen, epoch: believed }, seen.value) : seen;
}

/**
 * Makes a look-up without a result from another reading, as if the endpoint kept no history. It proves only the
 * progress of the chain. It replaces look-ups that no endpoint answers.
 */
export function withoutHistory(seen: SuiSeen<unknown>): SuiSeen<null> {
  const { newestCheckpoint } = seen;
  return seenIn({ ...seen, checkpoint: newestCheckpoint, lowestAvailable: newestCheckpoint + 1n }, null);
}

function highestOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
