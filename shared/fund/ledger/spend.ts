import { fromHex, toHex } from "../../bytes.ts";
import type { Page, PageRequest } from "../../paging.ts";
import type { DailyCounts, DailyRow } from "./daily.ts";

/** The forms in which a fund's spending is read. `day` is that of the whole fund. */
export const spendForms = ["day", "key", "sender", "target"] as const;
/** One form in which a fund's spending is read. */
export type SpendForm = (typeof spendForms)[number];

/** The most days that one call reads. A day has few keys, and up to a thousand senders. */
export const MAX_SPEND_DAYS: Readonly<Record<SpendForm, number>> = { day: 366, key: 366, sender: 31, target: 31 };

/** The spending to read, from the first to the last day, both included. Days since 1970, UTC. */
export interface SpendQuery extends PageRequest {
  readonly by: SpendForm;
  readonly fromDay: number;
  readonly toDay: number;
  /** The caller's day. Counters of days before it stay as they are. Absent only in the query of an older build. */
  readonly today?: number;
}

/**
 * A page of a fund's spending, from its daily counters. By day, the oldest day is first. In other forms, the rows are
 * the sums of each name, and the name that spent most is first.
 */
export interface SpendView extends Page<DailyRow> {
  /** The time since which every end is counted. Null if it is not known. */
  readonly sinceMs: number | null;
  /** The number of days or names on all pages. */
  readonly total: number;
  /** True if no later sponsorship moves a row to another page. Absent in the answer of an older build. */
  readonly isStable?: true;
}

/** A cursor of a list of spending: the place of the last row shown. */
export const SPEND_CURSOR = /^x(?:[0-9a-f]{2}){1,1000}$/;

/** The parts of what was spent. */
export type SpentParts = Pick<DailyCounts, "chargedAtoms" | "feeAtoms" | "maintenanceAtoms">;

/**
 * Returns the amount spent: it left the fund or is owed to its operator. The API, the dashboard, the command line, the
 * metrics and the runway use this sum.
 */
export function spentOf({ chargedAtoms, feeAtoms, maintenanceAtoms }: SpentParts): bigint {
  return chargedAtoms + feeAtoms + maintenanceAtoms;
}

/** The place of a row among all rows. The higher rank is first, then the name decides. */
interface Place {
  readonly rank: bigint;
  readonly name: string;
}

function order(one: Place, other: Place): number {
  if (one.rank !== other.rank) return one.rank > other.rank ? -1 : 1;
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

function cursorOf({ rank, name }: Place): string {
  return `x${toHex(new TextEncoder().encode(`${rank} ${name}`))}`;
}

/** Returns the place of a cursor. Null for the cursor of an older build, which is a number of rows. */
function placeOf(cursor: string): Place | null {
  if (!SPEND_CURSOR.test(cursor)) return null;
  const [, rank, name] = /^(-?[0-9]{1,40}) (.*)$/s.exec(new TextDecoder().decode(fromHex(cursor.slice(1)))) ?? [];
  return rank === undefined || name === undefined ? null : { rank: BigInt(rank), name };
}

/**
 * Returns true if the rows of a query need ranks of their own: today's amounts grow, and the rows take several pages.
 */
export function needsRanks({ by, toDay, today = 0, limit, cursor }: SpendQuery, rowCount: number): boolean {
  return by !== "day" && toDay >= today && (cursor !== null || rowCount > limit);
}

/**
 * Makes a page of sums, each of a day or of a name. A row stays on its page while its rank is the same.
 *
 * @param rows all rows. By day, the oldest is first.
 * @param ranked the rows whose spending ranks each name. The same as `rows`, unless those still grow.
 */
export function spendView(
  sinceMs: number | null,
  rows: readonly DailyRow[],
  query: SpendQuery,
  ranked: readonly DailyRow[] = rows,
): SpendView {
  const { by, limit, cursor } = query;
  const spent = new Map(ranked.map((row) => [row.name, spentOf(row)]));
  const rankOf = ({ day, name }: DailyRow) => (by === "day" ? BigInt(-day) : (spent.get(name) ?? 0n));
  const placed = rows.map((row) => ({ row, rank: rankOf(row), name: by === "day" ? "" : row.name })).toSorted(order);
  const after = cursor === null ? null : placeOf(cursor);
  const beyond = after === null ? Number(cursor ?? 0) : placed.findIndex((one) => order(one, after) > 0);
  const begin = beyond === -1 ? placed.length : beyond;
  const page = placed.slice(begin, begin + limit);
  const last = begin + limit < placed.length ? page.at(-1) : undefined;
  const items = page.map(({ row }) => row);
  return { sinceMs, total: rows.length, items, nextCursor: last ? cursorOf(last) : null, isStable: true };
}
