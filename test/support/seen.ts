import type { SequenceUse } from "../../shared/chain/aptos/node.ts";
import type { AptosLedgerState, AptosSeen } from "../../shared/chain/aptos/seen.ts";
import { seenIn } from "../../shared/chain/one-reply.ts";
import type { Seen } from "../../shared/chain/seen.ts";

/** A reply of an Aptos node, at version 20 of a ledger that has pruned nothing. */
export function aptosSeen<T>(value: T, change: Partial<AptosLedgerState> = {}): AptosSeen<T> {
  const state = { endpoint: "node.test", chain: 4, version: 20n, timestampMs: 0, lowestAvailable: 0n };
  return seenIn({ ...state, ...change }, value);
}

/** What an Aptos node says of a sequence number. */
export function sequenceSeen(use: SequenceUse, change: Partial<AptosLedgerState> = {}): AptosSeen<SequenceUse> {
  return aptosSeen(use, change);
}

/** A reply of any chain, of which only its time and its endpoint matter. */
export function seenAt(timestampMs: number, endpoint = "node.test"): Seen<null> {
  return seenIn({ endpoint, chain: "chain", timestampMs, lowestAvailable: 0n }, null);
}
