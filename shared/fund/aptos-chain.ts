import type { LedgerState } from "../chain/aptos/node.ts";
import type { ChainMemory } from "./chain-facts.ts";

/** Older than this, what is remembered of the ledger is written anew. */
const REMEMBER_AGAIN_AFTER_MS = 600_000;

/** What a fund remembers of an Aptos ledger: its version stands where another chain has an epoch. */
export function memoryOf({ chainId, version, timeMs }: LedgerState): ChainMemory {
  return { chainIdentifier: String(chainId), epoch: version, seenAtMs: timeMs };
}

/**
 * Whether a ledger is another one than the fund's: of another chain id, or one that was begun again under the same. An
 * endpoint that only lags shows a lower version at an earlier time; at a later time it cannot.
 */
export function isAnotherLedger(ledger: LedgerState, seen: ChainMemory | null): boolean {
  if (seen === null) return false;
  const { chainIdentifier, epoch, seenAtMs } = memoryOf(ledger);
  return chainIdentifier !== seen.chainIdentifier || (epoch < seen.epoch && seenAtMs > seen.seenAtMs);
}

/** Not with each answer: it costs a write. */
export function isWorthRemembering({ timeMs }: LedgerState, seen: ChainMemory | null): boolean {
  return seen === null || timeMs - seen.seenAtMs > REMEMBER_AGAIN_AFTER_MS;
}
