import type { Chain } from "../networks.ts";

/**
 * The gas budget that a withdrawal needs at the usual gas prices, rounded up: MIST or octas. Only its dry run shows
 * the exact one.
 */
export const ABOUT_WITHDRAWAL_GAS: Readonly<Record<Chain, bigint>> = { sui: 5_000_000n, aptos: 100_000n };

/** The money of a fund that a withdrawal can use. */
export interface WithdrawalMoney {
  /** The money in the form that pays, earned fees included, without the reserve. */
  readonly payableAtoms: bigint;
  /** The reserve, which pays the gas if it covers the whole budget. */
  readonly reserveAtoms: bigint;
}

/** Returns the most that one withdrawal can send. If no reserve covers the gas, the same money pays it. */
export function mostAfterGas({ payableAtoms, reserveAtoms }: WithdrawalMoney, gasAtoms: bigint): bigint {
  const most = reserveAtoms >= gasAtoms ? payableAtoms : payableAtoms - gasAtoms;
  return most < 0n ? 0n : most;
}
