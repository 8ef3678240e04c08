import { COINS } from "../../../../shared/coin-text.ts";
import { type Chain, chains } from "../../../../shared/networks.ts";

/** An amount that was typed with the name of its coin. */
export interface CoinAmount {
  readonly chain: Chain;
  /** MIST or octas, as a decimal string. */
  readonly atoms: string;
}

const TYPED = /^([0-9]{1,20})(?:\.([0-9]{1,20}))? ?([A-Za-z]{3})$/;

/** Reads an amount with the name of its coin: `0.01SUI`, `2 APT`. Null for any other text, such as a bare number. */
export function coinAmount(text: string): CoinAmount | null {
  const [, whole = "", fraction = "", name = ""] = TYPED.exec(text.trim()) ?? [];
  const chain = chains.find((each) => COINS[each].coin === name.toUpperCase());
  if (chain === undefined || fraction.length > COINS[chain].decimals) return null;
  const atoms = BigInt(whole + fraction.padEnd(COINS[chain].decimals, "0"));
  return { chain, atoms: atoms.toString() };
}
