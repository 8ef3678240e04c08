import { COINS, coinDigits } from "../../../shared/coin-text.ts";
import type { Chain } from "../../../shared/networks.ts";

/** The digits behind the point of an amount of at least one coin. */
const DIGITS = 4;
/** The digits that count of a smaller amount. */
const SIGNIFICANT = 3;

/** An amount as a page shows it. */
export interface AmountText {
  /** The amount in coins, rounded for reading: `1,234.5678 SUI`. */
  readonly shown: string;
  /** The amount in base units: `1234567812345 MIST`. */
  readonly exact: string;
  /** The digits alone, to be copied. */
  readonly digits: string;
  /** True if the shown amount is the exact one. */
  readonly isExact: boolean;
}

/** Writes an amount of MIST or octas for people. It rounds to the nearest digit that is shown, and never to zero. */
export function amountText(chain: Chain, atoms: bigint): AmountText {
  const { coin, unit, decimals } = COINS[chain];
  const abs = atoms < 0n ? -atoms : atoms;
  const dropped = droppedDigits(abs, decimals);
  const step = 10n ** BigInt(dropped);
  const rounded = ((abs + step / 2n) / step) * step;
  const [whole = "", fraction] = coinDigits(chain, rounded).split(".");
  const sign = atoms < 0n ? "−" : "";
  return {
    shown: `${sign}${grouped(whole)}${fraction === undefined ? "" : `.${fraction}`} ${coin}`,
    exact: `${atoms} ${unit}`,
    digits: atoms.toString(),
    isExact: rounded === abs,
  };
}

/** Returns how many of the last digits are not shown. */
function droppedDigits(abs: bigint, decimals: number): number {
  const length = abs.toString().length;
  const kept = length > decimals ? length - decimals + DIGITS : SIGNIFICANT;
  return Math.max(length - kept, 0);
}

/** Groups the digits of a whole number: `1234567` → `1,234,567`. */
export function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Reads an amount of coins that a person has typed: `0.5` → 500000000n MIST. Null if it is no amount of this chain. A
 * comma is refused: it groups digits for some people, and begins the fraction for others.
 */
export function atomsOfText(chain: Chain, text: string): bigint | null {
  const { decimals } = COINS[chain];
  const [, whole = "", fraction = ""] = /^(\d{1,20})(?:\.(\d{1,20}))?$/.exec(text.trim()) ?? [];
  if (whole === "" || fraction.length > decimals) return null;
  return BigInt(whole) * 10n ** BigInt(decimals) + BigInt(fraction.padEnd(decimals, "0"));
}

/** States the form that an amount must have. */
export function amountFault(chain: Chain): string {
  return `must be an amount of ${coinName(chain)} without a comma, such as 0.5`;
}

/** Returns the name of a chain's coin. */
export function coinName(chain: Chain): string {
  return COINS[chain].coin;
}
