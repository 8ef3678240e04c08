import type { DailyCounts } from "./daily.ts";
import { spentOf } from "./spend.ts";
import { utcDay } from "./usage.ts";

const DAY_MS = 86_400_000;
/** The whole days before today that count. */
const WEEK_DAYS = 7;
/** A runway in tenths of a day. */
const TENTHS = 10n;

/** The daily counters that a runway needs. */
export interface CountedDays {
  days(fromDay: number, toDay: number): readonly DailyCounts[];
  /** The time since which every end is counted. Null if it is not known. */
  sinceMs(): number | null;
}

/**
 * Returns the days for which the available amount lasts at the rate of the last seven days and today. Rounded down to a
 * tenth of a day.
 *
 * @returns null if the fund has counted for less than a day, or has not spent anything in that time.
 */
export function runwayDays(availableAtoms: bigint, counted: CountedDays, nowMs: number): number | null {
  const sinceMs = counted.sinceMs();
  if (sinceMs === null) return null;
  const today = utcDay(nowMs);
  const elapsedMs = nowMs - Math.max(sinceMs, (today - WEEK_DAYS) * DAY_MS);
  if (elapsedMs < DAY_MS) return null;
  const spent = counted.days(today - WEEK_DAYS, today).reduce((sum, day) => sum + spentOf(day), 0n);
  if (spent <= 0n) return null;
  const left = availableAtoms > 0n ? availableAtoms : 0n;
  const tenths = (left * BigInt(Math.floor(elapsedMs)) * TENTHS) / (spent * BigInt(DAY_MS));
  return Number(tenths) / Number(TENTHS);
}
