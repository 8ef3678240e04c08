/**
 * A dimension by which a fund counts its ended sponsorships. The sums over all keys are those of the whole fund.
 * A name of `target` is `0x…::module::function`, with the package in full length.
 */
export type DailyDimension = "key" | "sender" | "target";

/** The counters of one name on one UTC day. A sponsorship counts on the day of its end. */
export interface DailyCounts {
  /** The sponsorships that the chain has executed, aborted ones included. */
  readonly executed: number;
  /** The part of `executed` that the chain shows as aborted. */
  readonly failed: number;
  /** The sponsorships that can never execute. */
  readonly abandoned: number;
  /** The sponsorships whose end no node shows, and that can never execute any more. */
  readonly unresolvable: number;
  /** The charges of the chain, rebates deducted. Negative if more was given back. */
  readonly chargedAtoms: bigint;
  /** The operator's fees. */
  readonly feeAtoms: bigint;
  /** The storage rebates within `chargedAtoms`. */
  readonly rebateAtoms: bigint;
  /** The gas of transactions that recycled abandoned sponsorships. */
  readonly maintenanceAtoms: bigint;
}

/** The counters of one name. They cover a day if they are read by day, otherwise all days that were read. */
export interface DailyRow extends DailyCounts {
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly name: string;
}

/** The counters of a day without any end. */
export const NOTHING_COUNTED: DailyCounts = {
  executed: 0,
  failed: 0,
  abandoned: 0,
  unresolvable: 0,
  chargedAtoms: 0n,
  feeAtoms: 0n,
  rebateAtoms: 0n,
  maintenanceAtoms: 0n,
};

/** The name for a day's further names beyond the bound of its dimension, and for all names of an old day. */
export const OTHER_NAMES = "(other)";
/**
 * The most names of a dimension on one day. A stranger can make senders and targets, and must not fill the disk. Null
 * if the dimension needs no bound, because only an operator makes keys.
 */
export const NAMES_A_DAY: Readonly<Record<DailyDimension, number | null>> = { key: null, sender: 1_000, target: 200 };

/** Adds counts. */
export function addCounts(one: DailyCounts, other: DailyCounts): DailyCounts {
  return {
    executed: one.executed + other.executed,
    failed: one.failed + other.failed,
    abandoned: one.abandoned + other.abandoned,
    unresolvable: one.unresolvable + other.unresolvable,
    chargedAtoms: one.chargedAtoms + other.chargedAtoms,
    feeAtoms: one.feeAtoms + other.feeAtoms,
    rebateAtoms: one.rebateAtoms + other.rebateAtoms,
    maintenanceAtoms: one.maintenanceAtoms + other.maintenanceAtoms,
  };
}
