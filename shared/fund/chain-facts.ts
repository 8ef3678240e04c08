import type { ChainFacts } from "../chain/sui/node.ts";

/** Older than this, facts are used once more and refreshed after the answer. */
const AGING_AFTER_MS = 30_000;
/** Older than this, they are fetched before anything is signed. */
const STALE_AFTER_MS = 300_000;

/** Whether facts may still be signed with. The reference price changes with the epoch, so its end makes them stale. */
export function freshness(facts: ChainFacts, nowMs: number): "fresh" | "aging" | "stale" {
  const epochEndMs = facts.epochStartMs + facts.epochDurationMs;
  const ageMs = nowMs - facts.fetchedAtMs;
  if (ageMs > STALE_AFTER_MS || (facts.fetchedAtMs < epochEndMs && epochEndMs <= nowMs)) return "stale";
  return ageMs > AGING_AFTER_MS ? "aging" : "fresh";
}

/** What a fund remembers of its chain across restarts. */
export interface ChainMemory {
  readonly chainIdentifier: string;
  readonly epoch: bigint;
}

/**
 * Weighs new facts against what the fund has seen. An endpoint may lag behind by an epoch, which is ignored; another
 * chain identifier means that every coin and signature of the fund belongs to a chain that is gone.
 */
export function weighFacts(seen: ChainMemory | null, facts: ChainFacts): "accept" | "lagging" | "chain_reset" {
  if (seen === null) return "accept";
  if (seen.chainIdentifier !== facts.chainIdentifier) return "chain_reset";
  return facts.epoch < seen.epoch ? "lagging" : "accept";
}
