// Sui only: coins are split and merged.

import { MAX_U64, MIST_PER_SUI } from "../../amounts.ts";
import { MAX_COINS_PER_COMMAND } from "../../chain/sui/treasury-kinds.ts";
import type { FundCoin, SuiFundStore } from "./store.ts";

/** A size of pool coins. */
export interface Tier {
  readonly sizeMist: bigint;
  /** A tier with fewer free coins than this is refilled, up to twice the mark. */
  readonly lowWaterMark: number;
  /** A tier is stocked with at most the fund's balance divided by this, so that a small fund is not split into dust. */
  readonly balanceDivisor: bigint;
}

/**
 * The sizes of pool coins. A sponsorship locks one coin, so many small coins carry many sponsorships at once. Small
 * tiers serve most.
 */
export const TIERS: readonly [Tier, ...Tier[]] = [
  { sizeMist: MIST_PER_SUI / 100n, lowWaterMark: 32, balanceDivisor: 2n },
  { sizeMist: MIST_PER_SUI / 20n, lowWaterMark: 8, balanceDivisor: 4n },
  { sizeMist: MIST_PER_SUI / 4n, lowWaterMark: 4, balanceDivisor: 8n },
  { sizeMist: MIST_PER_SUI, lowWaterMark: 2, balanceDivisor: 8n },
];

/**
 * A coin above this is a source to split from. It pays only for a budget that no pool coin covers. Otherwise one
 * abandoned sponsorship could lock the whole fund.
 */
export const MAX_POOL_COIN_MIST = 2n * MIST_PER_SUI;

/** The most coins that one transaction makes or merges. */
const MAX_SPLIT = MAX_COINS_PER_COMMAND;
/** Many concurrent calls need more free coins: one for this many held ones. */
const READY_SHARE_OF_HELD = 4;

/** Coins set aside for treasury transactions, so that the fund can recycle and pay out while all others are held. */
const MAINTENANCE_COINS = 3;
const MAINTENANCE_COIN_MIST = MIST_PER_SUI / 20n;
/** A maintenance coin with less than this counts as used up. It is merged into the next source. */
const MAINTENANCE_LEAST_MIST = MIST_PER_SUI / 100n;
/** A fund with less than this sets nothing aside. Any free coin pays for its treasury transactions. */
const MAINTENANCE_FROM_MIST = 2n * MIST_PER_SUI;

/** Free coins below half of the smallest tier serve no budget. When there are this many, they are merged. */
const DUST_COINS = 32;
const DUST_BELOW_MIST = TIERS[0].sizeMist / 2n;

/** One split or merge of the fund's coins. */
export interface SplitPlan {
  readonly purpose: "split" | "maintenance";
  /** The sources are merged into the first one. The part that is not split off stays in it and pays the gas. */
  readonly sources: readonly [FundCoin, ...FundCoin[]];
  /** Amounts of the new coins. */
  readonly createdMist: readonly bigint[];
}

/** The demand for coins that a plan must serve. */
export interface PoolDemand {
  /** Budgets of the calls that wait for a coin now. */
  readonly waitingBudgetsMist: readonly bigint[];
  /** Coins that sponsorships hold now. */
  readonly heldCount: number;
  /** The upper bound of the gas of the split, MIST for each new coin. */
  readonly gasPerCoinMist: bigint;
}

/**
 * Returns the bounds of a tier: half its size up to half of the next one. A coin that has paid once or twice still
 * serves its tier.
 */
export function boundsOf(index: number, tier: Tier): readonly [bigint, bigint] {
  const next = TIERS[index + 1];
  return [tier.sizeMist / 2n, next === undefined ? MAX_U64 : next.sizeMist / 2n];
}

/**
 * The names of the tiers of coins. Those of the pool are their sizes, MIST. `source`: other coins are split from it.
 * `dust`: too small to pay for any budget. `maintenance`: set aside for treasury transactions.
 */
export const coinTiers = ["10000000", "50000000", "250000000", "1000000000", "source", "dust", "maintenance"] as const;
/** The name of one tier. */
export type CoinTier = (typeof coinTiers)[number];

/** Returns the tier of a coin. */
export function tierOf({ balanceMist, maintenance }: Pick<FundCoin, "balanceMist" | "maintenance">): CoinTier {
  if (maintenance) return "maintenance";
  if (balanceMist > MAX_POOL_COIN_MIST) return "source";
  const size = TIERS.findLast((tier) => balanceMist >= tier.sizeMist / 2n)?.sizeMist;
  return coinTiers.find((name) => name === String(size)) ?? "dust";
}

function tierFor(budgetMist: bigint): number {
  const index = TIERS.findIndex(({ sizeMist }) => budgetMist <= sizeMist);
  return index === -1 ? TIERS.length - 1 : index;
}

/** Counts the coins that a tier lacks, at most `MAX_SPLIT`. Serves waiting calls even beyond the stock's share. */
function lacking(store: SuiFundStore, index: number, tier: Tier, demand: PoolDemand): number {
  const waiting = demand.waitingBudgetsMist.filter((budgetMist) => tierFor(budgetMist) === index).length;
  const share = Number(store.totals().balanceAtoms / (tier.balanceDivisor * tier.sizeMist));
  const heldMark = index === 0 ? Math.floor(demand.heldCount / READY_SHARE_OF_HELD) : 0;
  const mark = Math.min(Math.max(tier.lowWaterMark, heldMark), share, MAX_SPLIT);
  const [atLeastMist, belowMist] = boundsOf(index, tier);
  const free = store.countFree(atLeastMist, belowMist, mark + waiting);
  if (waiting === 0 && free >= mark) return 0;
  return Math.min(Math.max(Math.min(2 * mark, share) - free, 0) + waiting, MAX_SPLIT);
}

/** Checks whether a maintenance coin still counts as one, in use or free. */
function isUsable({ state, balanceMist }: FundCoin): boolean {
  return state !== "free" || balanceMist >= MAINTENANCE_LEAST_MIST;
}

/** Plans new maintenance coins. Merges used-up ones on the way. */
function planMaintenance(store: SuiFundStore, source: FundCoin, demand: PoolDemand): SplitPlan | null {
  const kept = store.maintenanceCoins();
  const missing = MAINTENANCE_COINS - kept.filter(isUsable).length;
  if (missing <= 0 || store.totals().balanceAtoms < MAINTENANCE_FROM_MIST) return null;
  if (affordable(source, MAINTENANCE_COIN_MIST, demand) < missing) return null;
  return {
    purpose: "maintenance",
    sources: [source, ...kept.filter((coin) => !isUsable(coin))],
    createdMist: Array.from({ length: missing }, () => MAINTENANCE_COIN_MIST),
  };
}

/** Counts the coins of a size that a source can pay for. A share of one more coin stays behind. */
function affordable(source: FundCoin, sizeMist: bigint, { gasPerCoinMist }: PoolDemand): number {
  return Number(source.balanceMist / (sizeMist + gasPerCoinMist)) - 1;
}

function planTiers(store: SuiFundStore, source: FundCoin, demand: PoolDemand): SplitPlan | null {
  for (const [index, tier] of TIERS.entries()) {
    const count = Math.min(lacking(store, index, tier, demand), affordable(source, tier.sizeMist, demand));
    if (count >= 1)
      return {
        purpose: "split",
        sources: [source],
        createdMist: Array.from({ length: count }, () => tier.sizeMist),
      };
  }
  return null;
}

/**
 * Plans the merge of dust into a coin that can be split anew. A coin that covers the gas comes first, because anybody
 * can send dust here.
 */
function planMerge(store: SuiFundStore): SplitPlan | null {
  const dust = store.dust(DUST_BELOW_MIST, MAX_SPLIT - 1);
  if (dust.length < DUST_COINS) return null;
  const payer = store.smallestFree(DUST_BELOW_MIST, MAX_U64) ?? dust.at(-1);
  if (payer === undefined) return null;
  return { purpose: "split", sources: [payer, ...dust.filter((coin) => coin !== payer)], createdMist: [] };
}

/**
 * Chooses the next split or merge. Maintenance coins come first, while no call waits. The smallest tier that lacks
 * coins is next, from the largest free coin. Dust comes last. Null if the pool is in order, or if nothing can be split
 * or merged.
 */
export function planSplit(store: SuiFundStore, demand: PoolDemand): SplitPlan | null {
  const [source] = store.largestFree(MAX_U64, 1);
  if (source === undefined) return null;
  const maintenance = demand.waitingBudgetsMist.length === 0 ? planMaintenance(store, source, demand) : null;
  return maintenance ?? planTiers(store, source, demand) ?? planMerge(store);
}

/**
 * Picks the coin that pays for a treasury transaction: a maintenance coin, otherwise the smallest free one. Null if no
 * free coin covers the budget.
 */
export function maintenancePayment(store: SuiFundStore, budgetMist: bigint): FundCoin | null {
  const aside = store.maintenanceCoins().find((coin) => coin.state === "free" && coin.balanceMist >= budgetMist);
  return aside ?? store.smallestFree(budgetMist, MAX_U64);
}

/** Storage of a coin object is 988,000 MIST at today's prices. The rest covers the transaction's own computation. */
export const GAS_PER_COIN_MIST = 2_000_000n;
/** The count of held coins above which a refill grows no more. */
export const HELD_COUNT_LIMIT = MAX_SPLIT * READY_SHARE_OF_HELD;
