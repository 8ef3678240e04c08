import { type Refusal, refuse } from "../errors.ts";
import type { Failure } from "../result.ts";

/**
 * The longest time between the arrival and the start of a call. Callers give up after 30 s and repeat sooner. A call
 * that starts later does work for a caller who has left.
 */
export const START_LIMIT_MS = 3_000;
/** The oldest stamp that counts. An older one was written by another clock, because no request waits that long. */
const OLDEST_STAMP_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

/**
 * The header that the launcher's own door sets, on the machine of the runtime. The stamps of proxies
 * (`X-Request-Start`) do not count. A proxy on another machine has another clock. If that clock were late, every
 * request would be refused.
 */
export const ARRIVAL_HEADER = "x-gasworks-arrived-at";
const STAMP = /^[0-9]{13}$/;

/**
 * Returns the arrival of a request, Unix milliseconds: the time in `ARRIVAL_HEADER`, or now. A caller who sends its own
 * stamp can only make itself late.
 */
export function arrivalOf(stamp: string | null, nowMs: number): number {
  const stampMs = STAMP.test(stamp ?? "") ? Number(stamp) : nowMs;
  return stampMs < nowMs && nowMs - stampMs <= OLDEST_STAMP_MS ? stampMs : nowMs;
}

/**
 * The path that the Worker alone answers, at once and without a line in the log. The time of its answer shows how busy
 * the Worker is.
 */
export const LIVE_PATH = "/live";

/** Refuses a call before it begins. `data.retryAfterMs` is jittered, so that callers do not return together. */
export function refuseOverloaded(random: () => number = Math.random): Failure<Refusal> {
  return refuse("overloaded", "too many requests are queued, and nothing was done: repeat later", {
    retryAfterMs: Math.ceil(RETRY_AFTER_MS * (1 + random())),
  });
}

/**
 * Refuses a call that could not begin in time. Null if it may begin.
 *
 * @param arrivedAtMs undefined if another call on its behalf has already begun.
 */
export function refuseLate(arrivedAtMs: number | undefined, nowMs: number): ReturnType<typeof refuseOverloaded> | null {
  return arrivedAtMs !== undefined && nowMs - arrivedAtMs > START_LIMIT_MS ? refuseOverloaded() : null;
}
