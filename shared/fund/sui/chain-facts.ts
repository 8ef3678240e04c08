// Sui only (freshness, isPlausible, weighEpoch): gas prices and expirations on Sui follow epochs.

import { SECOND_LOOK_MS } from "../../chain/failover.ts";
import { lags } from "../../chain/lag.ts";
import type { ChainFacts } from "../../chain/sui/node.ts";
import type { LastSeenChain } from "../last-seen.ts";

/** Older than this, facts are used once more and refreshed after the answer. */
const AGING_AFTER_MS = 30_000;
/** Older than this, they are fetched before anything is signed. */
const STALE_AFTER_MS = 300_000;

/** Whether facts may still be signed with. The reference price changes with the epoch, so its end makes them stale. */
export function freshness(facts: ChainFacts, nowMs: number): "fresh" | "aging" | "stale" {
  const epochEndMs = facts.epochStartMs + facts.epochDurationMs;
  const ageMs = nowMs - facts.fetchedAtMs;
  // Fetched by a clock that was ahead: nobody knows how old they are.
  if (ageMs < 0) return "stale";
  if (ageMs > STALE_AFTER_MS || (facts.fetchedAtMs < epochEndMs && epochEndMs <= nowMs)) return "stale";
  return ageMs > AGING_AFTER_MS ? "aging" : "fresh";
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
export function isPlausible(facts: ChainFacts, seen: LastSeenChain | null, nowMs: number): boolean {
  const { epoch, epochStartMs, epochDurationMs } = facts;
  if (epochDurationMs < SHORTEST_EPOCH_MS || epochDurationMs > LONGEST_EPOCH_MS) return false;
  if (epochStartMs > nowMs + MAX_CLOCK_SKEW_MS) return false;
  if (seen === null) return true;
  const elapsedMs = Math.max(0, nowMs - seen.seenAtMs);
  return epoch - seen.epoch <= SPARE_EPOCHS + BigInt(Math.floor((2 * elapsedMs) / epochDurationMs));
}

/** What an endpoint says beyond what the fund believes. It waits for another endpoint, or for a second look. */
export interface ChainClaim
  extends Pick<ChainFacts, "endpoint" | "chainIdentifier" | "epoch" | "checkpoint" | "timestampMs"> {
  /** By our clock. */
  readonly madeAtMs: number;
}

/** What a fund makes of the epochs that nodes tell it. */
export interface EpochBelief {
  /** What is believed, and remembered; null: no epoch has been told twice. */
  readonly seen: LastSeenChain | null;
  /** Null: nothing is told beyond it. */
  readonly claim: ChainClaim | null;
}

export interface WeighContext {
  readonly nowMs: number;
  /** When the epoch that is believed should end, by the chain's clock; null: not known. */
  readonly epochEndMs: number | null;
  /** What the fund signs can be executed in the epochs that it names alone. */
  readonly bindsToEpoch: boolean;
}

/**
 * Weighs the epoch that plausible facts tell of, at least the one that is believed. One reply changes no belief: nodes
 * before a believed epoch are not asked any more, and signatures die by it. It takes a second endpoint, or a second look
 * at the same one that has advanced meanwhile.
 *
 * Facts of the next epoch are used before that, since an epoch ends for all of its transactions at once; where what is
 * signed is bound to it, only from the time on at which it should begin. So are the first facts of all.
 *
 * @returns the belief from now on, and whether the facts may be signed with.
 */
export function weighEpoch(
  facts: ChainFacts,
  { seen, claim: made }: EpochBelief,
  { nowMs, epochEndMs, bindsToEpoch }: WeighContext,
): EpochBelief & { readonly isUsable: boolean } {
  const claim = made === null ? null : pulledBack(made, nowMs);
  if (seen !== null && facts.epoch <= seen.epoch) {
    const isBehindClaim = claim !== null && claim.endpoint !== facts.endpoint && lags(facts.timestampMs, nowMs);
    return { seen, claim: isBehindClaim ? claim : null, isUsable: !isBehindClaim };
  }
  const agreedEpoch = claim === null ? null : agreedOn(facts, claim, nowMs);
  const { chainIdentifier, epoch } = facts;
  const isNews = agreedEpoch !== null && (seen === null || agreedEpoch > seen.epoch);
  const believed = isNews ? { chainIdentifier, epoch: agreedEpoch, seenAtMs: nowMs } : seen;
  const isNext = believed !== null && epoch === believed.epoch + 1n;
  const mayHaveBegun = !bindsToEpoch || (epochEndMs !== null && epochEndMs <= nowMs);
  const stays = !isNews && claim !== null && repeats(facts, claim);
  return {
    seen: believed,
    claim: believed?.epoch === epoch ? null : stays ? claim : claimOf(facts, nowMs),
    isUsable: believed === null ? !isOfOtherChain(facts, claim) : believed.epoch === epoch || (isNext && mayHaveBegun),
  };
}

/** A clock that goes back while a claim is open puts its second look off by no more than any other's. */
function pulledBack(claim: ChainClaim, nowMs: number): ChainClaim {
  return claim.madeAtMs <= nowMs ? claim : { ...claim, madeAtMs: nowMs };
}

function claimOf(facts: ChainFacts, madeAtMs: number): ChainClaim {
  const { endpoint, chainIdentifier, epoch, checkpoint, timestampMs } = facts;
  return { endpoint, chainIdentifier, epoch, checkpoint, timestampMs, madeAtMs };
}

function isOfOtherChain({ chainIdentifier }: ChainFacts, claim: ChainClaim | null): boolean {
  return claim !== null && claim.chainIdentifier !== chainIdentifier;
}

/** Whether an endpoint goes on saying what it has claimed. */
function repeats(facts: ChainFacts, claim: ChainClaim): boolean {
  return (
    facts.endpoint === claim.endpoint &&
    !isOfOtherChain(facts, claim) &&
    facts.epoch >= claim.epoch &&
    facts.checkpoint >= claim.checkpoint &&
    facts.timestampMs >= claim.timestampMs
  );
}

/** The epoch that has begun by both; null: facts that repeat a claim at once, or do not fit it, add nothing to it. */
function agreedOn(facts: ChainFacts, claim: ChainClaim, nowMs: number): bigint | null {
  if (isOfOtherChain(facts, claim)) return null;
  if (facts.endpoint !== claim.endpoint) return facts.epoch < claim.epoch ? facts.epoch : claim.epoch;
  const isSecondLook = nowMs - claim.madeAtMs >= SECOND_LOOK_MS && facts.timestampMs > claim.timestampMs;
  return isSecondLook && repeats(facts, claim) ? claim.epoch : null;
}
