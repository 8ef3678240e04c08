import type { Fund } from "../answers.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The units of a relative time, the largest first, and the count from which on each is used. The rest is left out: of
 * 90 days less a second, two months would tell too little.
 */
const UNITS: readonly (readonly [name: string, ms: number, from: number])[] = [
  ["year", 365 * DAY_MS, 2],
  ["month", 30 * DAY_MS, 4],
  ["day", DAY_MS, 1],
  ["hour", HOUR_MS, 1],
  ["minute", MINUTE_MS, 1],
  ["second", SECOND_MS, 1],
];

/** Writes a span of time in its largest fitting unit: `3 hours`. */
export function spanText(spanMs: number): string {
  const [name, unitMs] = UNITS.find(([, ms, from]) => spanMs >= ms * from) ?? ["second", SECOND_MS];
  const count = Math.floor(spanMs / unitMs);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** Writes a time as seen from another one: `3 hours ago`, `in 2 days`. */
export function relativeText(atMs: number, nowMs: number): string {
  const spanMs = Math.abs(atMs - nowMs);
  if (spanMs < SECOND_MS) return "now";
  return atMs < nowMs ? `${spanText(spanMs)} ago` : `in ${spanText(spanMs)}`;
}

/** Writes the days for which a fund's money lasts. Null if its rate is unknown. */
export function runwayText(days: number | null): string {
  if (days === null) return "not known yet";
  if (days < 1) return "less than a day";
  if (days > 365) return "over a year";
  const whole = Math.floor(days);
  return `${whole} day${whole === 1 ? "" : "s"}`;
}

/** States how long a fund's money lasts, or why that is not known. */
export function lastsText({ runwayDays, createdAt }: Pick<Fund, "runwayDays" | "createdAt">, nowMs: number): string {
  if (runwayDays === null) return noEstimateText(createdAt, nowMs);
  const day = emptyOn(runwayDays, nowMs);
  return day === null
    ? `It lasts ${runwayText(runwayDays)} at this week's rate.`
    : `Empty on ${day} at this week's rate: ${runwayText(runwayDays)}.`;
}

/**
 * Explains why a fund shows no estimate yet, and names its start. A fund counts for a day first.
 *
 * @param createdAt ISO 8601.
 */
export function noEstimateText(createdAt: string, nowMs: number): string {
  const fromMs = Date.parse(createdAt) + DAY_MS;
  if (fromMs <= nowMs) return "An estimate shows once the fund has spent something in a week.";
  const [day = "", time = ""] = new Date(fromMs).toISOString().split("T");
  return `An estimate shows from ${dayText(day)} ${time.slice(0, 5)} UTC, if the fund has spent something.`;
}

/** Names the day on which a fund is empty: `Thursday, 26 November`. Null if that is unknown or over a year away. */
export function emptyOn(days: number | null, nowMs: number): string | null {
  if (days === null || days > 365) return null;
  const at = new Date(nowMs + days * DAY_MS);
  return `${WEEKDAYS[at.getUTCDay()]}, ${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Writes a day of a list for people: `2026-11-23` → `23 Nov`. A text that is no day stays. */
export function dayText(day: string): string {
  const [, month = "", date = ""] = /^\d{4}-(\d{2})-(\d{2})$/.exec(day) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? day : `${Number(date)} ${name.slice(0, 3)}`;
}
