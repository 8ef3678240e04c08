import type { Page, PageRequest } from "../../paging.ts";
import type { DailyCounts, DailyRow } from "./daily.ts";

/** The forms in which a fund's spending is read. `day` is that of the whole fund. */
export const spendForms = ["day", "key", "sender", "target"] as const;
/** One form in which a fund's spending is read. */
export type SpendForm = (typeof spendForms)[number];

/** The most days that one call reads. A day has few keys, and up to a thousand senders. */
export const MAX_SPEND_DAYS: Readonly<Record<SpendForm, number>> = { day: 366, key: 366, sender: 31, target: 31 };

/** The spending to read: of the days from the first to the last, both included. Days since 1970, UTC. */
export interface SpendQuery extends PageRequest {
  readonly by: SpendForm;
  readonly fromDay: number;
  readonly toDay: number;
}

/**
 * A page of a fund's spending, as its daily counters have it. By day, the oldest comes first.
 * Otherwise the rows are the sums of each name, the name that spent most first.
 */
export interface SpendView extends Page<DailyRow> {
  /** The time from which on every end is counted. Null if it is not known. */
  readonly sinceMs: number | null;
  /** The number of days or names on all pages. */
  readonly total: number;
}

/** Returns the amount that left the fund or is owed to its operator. */
export function spentOf({ chargedAtoms, feeAtoms, maintenanceAtoms }: DailyCounts): bigint {
  return chargedAtoms + feeAtoms + maintenanceAtoms;
}

function largestFirst(a: DailyRow, b: DailyRow): number {
  const difference = spentOf(b) - spentOf(a);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

/**
 * Makes a page of rows that are sums of a day, or of a name. The cursor is the number of rows on the pages before.
 *
 * @param rows all rows. By day, the oldest comes first.
 */
export function spendView(sinceMs: number | null, rows: readonly DailyRow[], query: SpendQuery): SpendView {
  const sorted = query.by === "day" ? rows : rows.toSorted(largestFirst);
  const end = Number(query.cursor ?? 0) + query.limit;
  const items = sorted.slice(end - query.limit, end);
  return { sinceMs, total: rows.length, items, nextCursor: end < rows.length ? String(end) : null };
}
