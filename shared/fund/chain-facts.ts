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
