import type { NumberRange } from "./months.ts";

/** Something with a number in its list. */
interface Numbered {
  readonly number: number;
}

/**
 * Merges rows of two places into the highest `count` of both. A row that is being moved is in both places for a moment.
 * Then the first place counts.
 */
export function mergeRows<Row extends Numbered>(
  first: readonly Row[],
  second: readonly Row[],
  count: number,
): readonly Row[] {
  const known = new Set(first.map(({ number }) => number));
  const merged = [...first, ...second.filter(({ number }) => !known.has(number))];
  return merged.toSorted((a, b) => b.number - a.number).slice(0, count);
}

/**
 * Returns true if an archive may hold rows of a page.
 *
 * @param found the rows found so far, highest first.
 * @param count the rows that the page needs.
 */
export function mayHoldRows(
  range: NumberRange | null,
  found: readonly Numbered[],
  { below, count }: { readonly below: number; readonly count: number },
): range is NumberRange {
  if (range === null || range.lowest >= below) return false;
  const lowestNeeded = found.length < count ? 0 : (found.at(-1)?.number ?? 0);
  return range.highest > lowestNeeded;
}
