import { formatCoin } from "../../../coin-text.ts";
import type { Chain } from "../../../networks.ts";

const SHOWN_DIGITS = 4;
const MIN_DIGITS = 16;

/** Shortens a digest, an address or an id: `0x71c4…09be`. A text that is short already stays. */
export function shortened(text: string): string {
  const [prefix = ""] = /^(0x|[a-z]+_)?/.exec(text) ?? [];
  const rest = text.slice(prefix.length);
  return rest.length <= MIN_DIGITS ? text : `${prefix}${rest.slice(0, SHOWN_DIGITS)}…${rest.slice(-SHOWN_DIGITS)}`;
}

/** Shortens a Move target: `0x9f12…e2b1::game::play`. */
export function shortTarget(target: string): string {
  const [packageId = "", ...names] = target.split("::");
  return [shortened(packageId), ...names].join("::");
}

/** Writes an instant for people: `2026-11-23 14:02:14 UTC`. Leaves any other text unchanged. */
export function timeText(instant: string): string {
  const atMs = Date.parse(instant);
  return Number.isNaN(atMs) ? instant : `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Returns a text with its times, long addresses and base units written for people. */
export function readable(text: string, chain: Chain): string {
  return text
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z/g, timeText)
    .replaceAll(/\b0x[0-9a-f]{17,64}\b/g, shortened)
    .replaceAll(/\b(\d{1,20}) (?:MIST|octas)\b/g, (_, atoms: string) => formatCoin(chain, BigInt(atoms)));
}

/** Returns the chain of a network's name. An unknown name counts as Sui. */
export function chainOfName(network: string | null): Chain {
  return network?.startsWith("APTOS_") ? "aptos" : "sui";
}
