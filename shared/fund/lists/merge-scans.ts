import type { Scanned } from "../../durable/scan.ts";
import type { FilteredPage } from "../../paging.ts";
import { mergeRows } from "../archive/merge.ts";

/** An item with its number in the list. */
interface Numbered<Item> {
  readonly number: number;
  readonly row: Item;
}

/**
 * Merges the results of two scans, highest numbers first. The result holds only numbers that both have examined.
 *
 * @param count the most rows of the result.
 */
export function mergeScans<Item>(
  first: Scanned<Numbered<Item>>,
  second: Scanned<Numbered<Item>>,
  count: number,
): Scanned<Numbered<Item>> {
  const reached = Math.max(first.reached ?? 0, second.reached ?? 0);
  const rows = mergeRows(first.rows, second.rows, count).filter(({ number }) => number >= reached);
  const last = rows.length === count ? rows.at(-1)?.number : reached;
  return { rows, reached: last || null };
}

/** Returns the part of a scan above a number. */
export function cutScan<Item>(scanned: Scanned<Numbered<Item>>, above: number): Scanned<Numbered<Item>> {
  return mergeScans(scanned, { rows: [], reached: above + 1 }, Number.POSITIVE_INFINITY);
}

/**
 * Makes a page. The scan had a limit of one more than the page. If the scan has not reached the end, the page has a
 * next one.
 */
export function pageOfScan<Item>({ rows, reached }: Scanned<Numbered<Item>>, limit: number): FilteredPage<Item> {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? shown.at(-1)?.number : reached;
  const nextCursor = next ? String(next) : null;
  return { items: shown.map(({ row }) => row), nextCursor, isFiltered: true, isWholeFilter: true };
}
