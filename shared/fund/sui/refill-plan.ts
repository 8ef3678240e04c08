// Sui only: coins are split and merged.

import { MAX_U64, MIST_PER_SUI } from "../../amounts.ts";
import { MAX_COINS_PER_COMMAND } from "../../chain/sui/treasury-kinds.ts";
import type { FundCoin, SuiFundStore } from "./store.ts";

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
export const MAX_POOL_COIN_MIST = 2n * MIST_PER_SUI;

/** Coins made, or merged, by one transaction. */
const MAX_SPLIT = MAX_COINS_PER_COMMAND;
/** More callers in flight want more coins ready: this share of the lent ones. */
const READY_SHARE_OF_HELD = 4;

/** Coins set aside for the fund's treasury transactions, so that it can recycle and pay out while all others are held. */
const MAINTENANCE_COINS = 3;
const MAINTENANCE_COIN_MIST = MIST_PER_SUI / 20n;
/** A maintenance coin with less than this is used up: it is merged into the next source. */
const MAINTENANCE_LEAST_MIST = MIST_PER_SUI / 100n;
/** A fund with less than this sets nothing aside: whatever coin is free pays for its treasury transactions. */
const MAINTENANCE_FROM_MIST = 2n * MIST_PER_SUI;

/** Free coins below half of the smallest tier serve nobody. So many of them, and they are merged. */
const DUST_COINS = 32;
const DUST_BELOW_MIST = TIERS[0].sizeMist / 2n;

export interface SplitPlan {
  readonly purpose: "split" | "maintenance";
  /** Merged into the first of them. What is not split off stays in it and pays the gas. */
  readonly sources: readonly [FundCoin, ...FundCoin[]];
  /** Amounts of the new coins. */
  readonly createdMist: readonly bigint[];
}

export interface PoolDemand {
  /** Budgets of the calls that wait for a coin right now. */
  readonly waitingBudgetsMist: readonly bigint[];
  /** Sponsorships that hold a coin right now. */
  readonly heldCount: number;
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

/** Counts as one of the coins set aside, whether or not it is in use right now. */
function isUsable({ state, balanceMist }: FundCoin): boolean {
  return state !== "free" || balanceMist >= MAINTENANCE_LEAST_MIST;
}

/** New maintenance coins; used-up ones are merged on the way. */
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

/** How many coins of a size a source can pay for. One share more than is split off stays behind. */
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
 * Coins that have paid until they are too small to pay again become one that can be split anew. A coin that covers the
 * gas comes first: anybody can send coins here that cover nothing.
 */
function planMerge(store: SuiFundStore): SplitPlan | null {
  const dust = store.dust(DUST_BELOW_MIST, MAX_SPLIT - 1);
  if (dust.length < DUST_COINS) return null;
  const payer = store.smallestFree(DUST_BELOW_MIST, MAX_U64) ?? dust.at(-1);
  if (payer === undefined) return null;
  return { purpose: "split", sources: [payer, ...dust.filter((coin) => coin !== payer)], createdMist: [] };
}

/**
 * Chooses what to split or merge next: maintenance coins while nobody waits, then the smallest tier that is short,
 * from the largest free coin; then dust. Null when the pool is in order, or when there is nothing to make it of.
 */
export function planSplit(store: SuiFundStore, demand: PoolDemand): SplitPlan | null {
  const [source] = store.largestFree(MAX_U64, 1);
  if (source === undefined) return null;
  const maintenance = demand.waitingBudgetsMist.length === 0 ? planMaintenance(store, source, demand) : null;
  return maintenance ?? planTiers(store, source, demand) ?? planMerge(store);
}

/** The smallest coin that can pay for a treasury transaction: one set aside for that, otherwise any that is free. */
export function maintenancePayment(store: SuiFundStore, budgetMist: bigint): FundCoin | null {
  const aside = store.maintenanceCoins().find((coin) => coin.state === "free" && coin.balanceMist >= budgetMist);
  return aside ?? store.smallestFree(budgetMist, MAX_U64);
}

/** Storage of a coin object is 988,000 MIST at today's prices; the rest covers the transaction's own computation. */
export const GAS_PER_COIN_MIST = 2_000_000n;
/** More lent coins than this do not make a refill larger. */
export const HELD_COUNT_LIMIT = MAX_SPLIT * READY_SHARE_OF_HELD;
