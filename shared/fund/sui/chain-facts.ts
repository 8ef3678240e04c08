// Sui only (freshness, isPlausible, weighEpoch): gas prices and expirations on Sui follow epochs.

import { SECOND_LOOK_MS } from "../../chain/failover.ts";
import { lags } from "../../chain/lag.ts";
import type { EpochFacts, FactsReading } from "../../chain/sui/node.ts";
import type { LastSeenChain } from "../last-seen.ts";

/** The facts that the fund signs with. It has weighed them. */
export interface ChainFacts extends EpochFacts {
  /** Base58 genesis digest. */
  readonly chainIdentifier: string;
  readonly epoch: bigint;
  /** No row that is made with these facts can be in an earlier checkpoint. */
  readonly checkpoint: bigint;
  /** Time of the newest checkpoint that the endpoint had. */
  readonly timestampMs: number;
}

/** Facts older than this are used once more and refreshed after the answer. */
const AGING_AFTER_MS = 30_000;
/** Facts older than this are fetched anew before anything is signed. */
const STALE_AFTER_MS = 300_000;

/**
 * Checks whether facts may still be signed with. The reference price changes with the epoch, so the epoch's end makes
 * facts stale.
 */
export function freshness(facts: ChainFacts, nowMs: number): "fresh" | "aging" | "stale" {
  const epochEndMs = facts.epochStartMs + facts.epochDurationMs;
  const ageMs = nowMs - facts.fetchedAtMs;
  // The clock was ahead when they were fetched, so their age is unknown.
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
 * Checks whether a node's facts are possible. The fund would remember an absurd epoch, and no honest node could follow.
 * With a start in the future, a signature that can still execute would count as dead.
 */
export function isPlausible({ epoch, value }: FactsReading, seen: LastSeenChain | null, nowMs: number): boolean {
  const { epochStartMs, epochDurationMs } = value;
  if (epochDurationMs < SHORTEST_EPOCH_MS || epochDurationMs > LONGEST_EPOCH_MS) return false;
  if (epochStartMs > nowMs + MAX_CLOCK_SKEW_MS) return false;
  if (seen === null) return true;
  const elapsedMs = Math.max(0, nowMs - seen.seenAtMs);
  return epoch - seen.epoch <= SPARE_EPOCHS + BigInt(Math.floor((2 * elapsedMs) / epochDurationMs));
}

/** Facts of one endpoint that exceed the fund's belief. They wait for another endpoint, or for a second look. */
export interface ChainClaim extends Pick<FactsReading, "endpoint" | "chain" | "epoch" | "checkpoint" | "timestampMs"> {
  /** The time of the claim, by our own clock. */
  readonly madeAtMs: number;
}

/** A fund's belief about the epoch that nodes report. */
export interface EpochBelief {
  /** The chain and epoch that the fund believes and remembers. Null if no epoch was reported twice. */
  readonly seen: LastSeenChain | null;
  /** Null if no endpoint reports more than the believed epoch. */
  readonly claim: ChainClaim | null;
}

/** The circumstances under which reported facts are weighed. */
export interface WeighContext {
  readonly nowMs: number;
  /** The planned end of the believed epoch, by the chain's clock. Null if it is not known. */
  readonly epochEndMs: number | null;
  /** The fund's signatures execute only in the epochs that they name. */
  readonly bindsToEpoch: boolean;
}

/**
 * Weighs the epoch of plausible facts that is at least the believed one. One reply changes no belief: the fund skips
 * nodes before the believed epoch, and signatures die by it. A change takes a second endpoint, or a second look at the
 * same endpoint after it has advanced.
 *
 * The fund uses facts of the next epoch before that, because an epoch ends for all its transactions at once. If
 * signatures are bound to the epoch, it uses these facts only after the epoch should have begun. It uses the very first
 * facts at once.
 *
 * @returns the belief from now on, and whether the fund may sign with the facts.
 */
export function weighEpoch(
  facts: FactsReading,
  { seen, claim: made }: EpochBelief,
  { nowMs, epochEndMs, bindsToEpoch }: WeighContext,
): EpochBelief & { readonly isUsable: boolean } {
  const claim = made === null ? null : pulledBack(made, nowMs);
  if (seen !== null && facts.epoch <= seen.epoch) {
    const isBehindClaim = claim !== null && claim.endpoint !== facts.endpoint && lags(facts.timestampMs, nowMs);
    return { seen, claim: isBehindClaim ? claim : null, isUsable: !isBehindClaim };
  }
  const agreedEpoch = claim === null ? null : agreedOn(facts, claim, nowMs);
  const { chain: chainIdentifier, epoch } = facts;
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

/**
 * Limits the delay of the second look. A clock that goes back while a claim is open puts it off by no more than usual.
 */
function pulledBack(claim: ChainClaim, nowMs: number): ChainClaim {
  return claim.madeAtMs <= nowMs ? claim : { ...claim, madeAtMs: nowMs };
}

function claimOf(facts: FactsReading, madeAtMs: number): ChainClaim {
  const { endpoint, chain, epoch, checkpoint, timestampMs } = facts;
  return { endpoint, chain, epoch, checkpoint, timestampMs, madeAtMs };
}

function isOfOtherChain({ chain }: FactsReading, claim: ChainClaim | null): boolean {
  return claim !== null && claim.chain !== chain;
}

/** Checks whether an endpoint repeats its claim. */
function repeats(facts: FactsReading, claim: ChainClaim): boolean {
  return (
    facts.endpoint === claim.endpoint &&
    !isOfOtherChain(facts, claim) &&
    facts.epoch >= claim.epoch &&
    facts.checkpoint >= claim.checkpoint &&
    facts.timestampMs >= claim.timestampMs
  );
}

/** Returns the epoch that both readings show as begun. Null if the facts repeat a claim too soon, or do not fit it. */
function agreedOn(facts: FactsReading, claim: ChainClaim, nowMs: number): bigint | null {
  if (isOfOtherChain(facts, claim)) return null;
  if (facts.endpoint !== claim.endpoint) return facts.epoch < claim.epoch ? facts.epoch : claim.epoch;
  const isSecondLook = nowMs - claim.madeAtMs >= SECOND_LOOK_MS && facts.timestampMs > claim.timestampMs;
  return isSecondLook && repeats(facts, claim) ? claim.epoch : null;
}
