import type { LedgerState, Seen } from "../one-reply.ts";

/** The state of an endpoint's ledger at its answer, from the `X-Aptos-*` headers. A 404 has them, too. */
export interface AptosLedgerState extends LedgerState {
  /** The chain id. */
  readonly chain: number;
  /** The reply holds everything up to this version, and nothing after it. `timestampMs` is the time of its block. */
  readonly version: bigint;
}

/**
 * A reply of an Aptos node. A later block has a later time, which expires transactions. A transaction that the reply
 * does not show has not happened by then, or is older than `lowestAvailable`.
 */
export type AptosSeen<T> = Seen<T, AptosLedgerState>;
