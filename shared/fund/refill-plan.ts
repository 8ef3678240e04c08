import { MAX_U64, MIST_PER_SUI } from "../amounts.ts";
import type { CoinStore, FundCoin } from "./coin-store.ts";

interface Tier {
  readonly sizeMist: bigint;
  /** Fewer free coins than this: the tier is refilled, up to twice the mark. */
  readonly lowWaterMark: number;
  /** Stocked with at most the fund's balance divided by this, so that a small fund is not ground to dust. */
  readonly balanceDivisor: bigint;
}

/** A sponsorship locks one coin, so many small coins carry many sponsorships at once. Small tiers serve most. */
const TIERS: readonly [Tier, ...Tier[]] = [
  { sizeMist: MIST_PER_SUI / 100n, lowWaterMark: 32, balanceDivisor: 2n },
  { sizeMist: MIST_PER_SUI / 20n, lowWaterMark: 8, balanceDivisor: 4n },
  { sizeMist: MIST_PER_SUI / 4n, lowWaterMark: 4, balanceDivisor: 8n },
  { sizeMist: MIST_PER_SUI, lowWaterMark: 2, balanceDivisor: 8n },
];

/**
 * A coin above this is a source to split from, and is lent only for a budget that no pool coin covers: otherwise one
 * abandoned sponsorship could lock the whole fund.
 */
export const LENDABLE_MIST = 2n * MIST_PER_SUI;

/** Coins made by one transaction: bounded by the chain's 512 arguments a command. */
const MAX_SPLIT = 256;
/** More callers in flight want more coins ready: this share of the lent ones. */
const READY_SHARE_OF_LENT = 4;

export interface SplitPlan {
  readonly source: FundCoin;
  /** Amounts of the new coins. What remains stays in the source and pays the gas. */
  readonly splitMist: readonly bigint[];
}

export interface PoolDemand {
  /** Budgets of the calls that wait for a coin right now. */
  readonly waitingBudgetsMist: readonly bigint[];
  /** Sponsorships that hold a coin right now. */
  readonly lentCount: number;
  /** Upper bound of the gas that the split itself may cost, MIST per new coin. */
  readonly gasPerCoinMist: bigint;
}

/** Half a tier up to half of the next one: a coin that has paid once or twice still serves its tier. */
function boundsOf(index: number, tier: Tier): readonly [bigint, bigint] {
  const next = TIERS[index + 1];
  return [tier.sizeMist / 2n, next === undefined ? MAX_U64 : next.sizeMist / 2n];
}

function tierFor(budgetMist: bigint): number {
  const index = TIERS.findIndex(({ sizeMist }) => budgetMist <= sizeMist);
  return index === -1 ? TIERS.length - 1 : index;
}

/** How many coins a tier lacks, at most `MAX_SPLIT`. Calls that wait are served even beyond the stock's share. */
function lacking(store: CoinStore, index: number, tier: Tier, demand: PoolDemand): number {
  const waiting = demand.waitingBudgetsMist.filter((budgetMist) => tierFor(budgetMist) === index).length;
  const share = Number(store.totals().balanceMist / (tier.balanceDivisor * tier.sizeMist));
  const lentMark = index === 0 ? Math.floor(demand.lentCount / READY_SHARE_OF_LENT) : 0;
  const mark = Math.min(Math.max(tier.lowWaterMark, lentMark), share, MAX_SPLIT);
  const [atLeastMist, belowMist] = boundsOf(index, tier);
  const free = store.countFree(atLeastMist, belowMist, mark + waiting);
  if (waiting === 0 && free >= mark) return 0;
  return Math.min(Math.max(Math.min(2 * mark, share) - free, 0) + waiting, MAX_SPLIT);
}

/**
 * Chooses what to split next: the smallest tier that is short, from the largest free coin. Null when the pool is
 * stocked, or when no coin is large enough to be worth splitting.
 */
export function planSplit(store: CoinStore, demand: PoolDemand): SplitPlan | null {
  const [source] = store.largestFree(MAX_U64, 1);
  if (source === undefined) return null;
  for (const [index, tier] of TIERS.entries()) {
    const wanted = lacking(store, index, tier, demand);
    // One share more than is split off stays behind, so that a source is never ground up whole.
    const affordable = Number(source.balanceMist / (tier.sizeMist + demand.gasPerCoinMist)) - 1;
    const count = Math.min(wanted, affordable);
    if (count >= 1) return { source, splitMist: Array.from({ length: count }, () => tier.sizeMist) };
  }
  return null;
}

/** Storage of a coin object is 988,000 MIST at today's prices; the rest covers the transaction's own computation. */
export const GAS_PER_COIN_MIST = 2_000_000n;
/** More lent coins than this do not make a refill larger. */
export const COUNT_LENT_LIMIT = MAX_SPLIT * READY_SHARE_OF_LENT;
