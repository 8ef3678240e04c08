import { formatCoin } from "../../../../../shared/coin-text.ts";
import type { Chain } from "../../../../../shared/networks.ts";
import { isAtoms, isOfType, type JsonSchema, nonNull } from "../json-schema.ts";
import { inert } from "../terminal/inert.ts";
import type { Column } from "../terminal/text-table.ts";

/** A missing value. */
const NOTHING = "-";
const MAX_CELL_CHARACTERS = 1_000;
const AMOUNT = /^-?[0-9]+$/;

/** Returns the side on which the values of a field stand. */
export function alignOf(schema: JsonSchema): Column["align"] {
  return isAtoms(schema) || isOfType(schema, "integer") || isOfType(schema, "number") ? "right" : "left";
}

/** Returns a time without its milliseconds: `2026-11-23 08:00:00Z`. */
function shownTime(text: string): string {
  return text.replace("T", " ").replace(/\.[0-9]+Z$/, "Z");
}

/**
 * Returns a value as one line of inert text.
 *
 * @param chain whose coin an amount is in. Null if it is unknown: the amount is then the plain number.
 */
export function cellOf(schema: JsonSchema, value: unknown, chain: Chain | null): string {
  if (value === null || value === undefined || value === "") return NOTHING;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((entry) => typeof entry !== "object"))
    return value.length === 0 ? NOTHING : inert(value.join(", ").slice(0, MAX_CELL_CHARACTERS));
  if (typeof value === "object" && Object.keys(value).length === 0) return NOTHING;
  if (typeof value === "object") return inert(JSON.stringify(value).slice(0, MAX_CELL_CHARACTERS));
  const text = String(value);
  if (isAtoms(schema) && chain !== null && AMOUNT.test(text)) return formatCoin(chain, BigInt(text));
  const isTime = nonNull(schema).format === "date-time";
  return inert((isTime ? shownTime(text) : text).slice(0, MAX_CELL_CHARACTERS));
}

const IN_COINS = /^(-?[0-9]+)(?:\.([0-9]+))? (SUI|APT)$/;

/** Returns amounts with equal numbers of decimals, so that their points stand in one line. */
export function alignedAmounts(cells: readonly string[]): readonly string[] {
  const decimals = Math.max(0, ...cells.map((cell) => IN_COINS.exec(cell)?.[2]?.length ?? 0));
  if (decimals === 0) return cells;
  return cells.map((cell) => {
    const [, whole, fraction = "", unit] = IN_COINS.exec(cell) ?? [];
    return whole === undefined ? cell : `${whole}.${fraction.padEnd(decimals, "0")} ${unit}`;
  });
}
