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
  /** When that epoch was first seen, by our clock. */
  readonly seenAtMs: number;
}

const SHORTEST_EPOCH_MS = 60_000;
const LONGEST_EPOCH_MS = 30 * 86_400_000;
const MAX_CLOCK_SKEW_MS = 600_000;
/** Epochs that a chain may gain on its own schedule. */
const SPARE_EPOCHS = 8n;

/**
 * Whether a chain can be as a node says. An absurd epoch would be remembered, and no honest node could follow; a start
 * in the future would let a signature be called dead that can still execute.
 */
export function isPlausible(facts: ChainFacts, seen: ChainMemory | null, nowMs: number): boolean {
  const { epoch, epochStartMs, epochDurationMs } = facts;
  if (epochDurationMs < SHORTEST_EPOCH_MS || epochDurationMs > LONGEST_EPOCH_MS) return false;
  if (epochStartMs > nowMs + MAX_CLOCK_SKEW_MS) return false;
  if (seen === null) return true;
  const elapsedMs = Math.max(0, nowMs - seen.seenAtMs);
  return epoch - seen.epoch <= SPARE_EPOCHS + BigInt(Math.floor((2 * elapsedMs) / epochDurationMs));
}
