import { type Refusal, refuse } from "./errors.ts";

/**
 * How late after its arrival a call may begin. Callers give up after 30 s and come back sooner: what begins later is
 * done for somebody who has left.
 */
export const START_LIMIT_MS = 3_000;
/** A stamp that is older was written by another clock. Nothing waits that long. */
const OLDEST_STAMP_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

/** Set by a proxy in front (nginx: `proxy_set_header X-Request-Start "t=${msec}"`), and by the launcher's own door. */
export const ARRIVAL_HEADER = "x-request-start";
const STAMP = /^(?:t=)?([0-9]{10,13})(?:\.([0-9]{3}))?$/;
const SECONDS_DIGITS = 10;

/**
 * When a request arrived, Unix milliseconds: as `ARRIVAL_HEADER` says, seconds with three decimals or whole milliseconds, or now.
 * A caller who makes its own stamp can only make itself late.
 */
export function arrivalOf(stamp: string | null, nowMs: number): number {
  const [, digits = "", decimals = "000"] = STAMP.exec(stamp ?? "") ?? [];
  const stampMs = Number(digits.length === SECONDS_DIGITS ? `${digits}${decimals}` : digits);
  return digits !== "" && stampMs < nowMs && nowMs - stampMs <= OLDEST_STAMP_MS ? stampMs : nowMs;
}

/** A call that was turned away before it began. `data.retryAfterMs` is jittered: callers do not come back together. */
export function refuseOverloaded(random: () => number = Math.random): {
  readonly ok: false;
  readonly refusal: Refusal;
} {
  return refuse("overloaded", "too many requests are queued: nothing was done, send it again later", {
    retryAfterMs: Math.ceil(RETRY_AFTER_MS * (1 + random())),
  });
}

/**
 * Refuses a call that could not begin in time; null: it may begin.
 *
 * @param arrivedAtMs undefined: another one has begun on its behalf already.
 */
export function refuseLate(arrivedAtMs: number | undefined, nowMs: number): ReturnType<typeof refuseOverloaded> | null {
  return arrivedAtMs !== undefined && nowMs - arrivedAtMs > START_LIMIT_MS ? refuseOverloaded() : null;
}
