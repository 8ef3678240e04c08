import { type Refusal, refuse } from "../errors.ts";
import type { Failure } from "../result.ts";

/**
 * How late after its arrival a call may begin. Callers give up after 30 s and come back sooner: what begins later is
 * done for somebody who has left.
 */
export const START_LIMIT_MS = 3_000;
/** A stamp that is older was written by another clock. Nothing waits that long. */
const OLDEST_STAMP_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

/**
 * Set by the launcher's own door, on the machine of the runtime. The stamps of proxies (`X-Request-Start`) are not
 * believed: a proxy on another machine has another clock, and one that is late would have every request refused.
 */
export const ARRIVAL_HEADER = "x-gasworks-arrived-at";
const STAMP = /^[0-9]{13}$/;

/**
 * When a request arrived, Unix milliseconds: as `ARRIVAL_HEADER` says, or now. A caller who makes its own stamp can only
 * make itself late.
 */
export function arrivalOf(stamp: string | null, nowMs: number): number {
  const stampMs = STAMP.test(stamp ?? "") ? Number(stamp) : nowMs;
  return stampMs < nowMs && nowMs - stampMs <= OLDEST_STAMP_MS ? stampMs : nowMs;
}

/** Answered by the Worker alone, at once and without a line in the log: by how long that takes one knows how busy it is. */
export const LIVE_PATH = "/live";

/** A call that was turned away before it began. `data.retryAfterMs` is jittered: callers do not come back together. */
export function refuseOverloaded(random: () => number = Math.random): Failure<Refusal> {
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
