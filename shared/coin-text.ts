import type { Chain } from "./networks.ts";

/** The coin that pays for gas on each chain, and its base unit. */
export const COINS = {
  sui: { coin: "SUI", unit: "MIST", decimals: 9 },
  aptos: { coin: "APT", unit: "octas", decimals: 8 },
} as const;

/** The balance, in coins, below which a new fund should warn. A first deposit of a tenth of a coin is twice as much. */
export const SUGGESTED_LOW_BALANCE = "0.05";

/** Writes a non-negative amount of base units in coins, without trailing zeros and unit: `1.23456789`. */
export function coinDigits(chain: Chain, amountAtoms: bigint): string {
  const { decimals } = COINS[chain];
  const atomsPerCoin = 10n ** BigInt(decimals);
  const fraction = (amountAtoms % atomsPerCoin).toString().padStart(decimals, "0").replace(/0+$/, "");
  return `${amountAtoms / atomsPerCoin}${fraction ? `.${fraction}` : ""}`;
}

/**
 * Formats an amount for people and logs: `1234567890n` → `1.23456789 SUI`, or `12.3456789 APT`. It is never parsed
 * back.
 */
export function formatCoin(chain: Chain, amountAtoms: bigint): string {
  const sign = amountAtoms < 0n ? "-" : "";
  const abs = amountAtoms < 0n ? -amountAtoms : amountAtoms;
  return `${sign}${coinDigits(chain, abs)} ${COINS[chain].coin}`;
}

/** Formats an amount of MIST in SUI, as `formatCoin`. */
export function formatSui(amountMist: bigint): string {
  return formatCoin("sui", amountMist);
}
