import { type Outcome, refuse } from "./errors.ts";
import { inTime } from "./timing.ts";

/**
 * Limits the calls to nodes within one call, over all nodes and phases. Callers time out after 30 s. The documented
 * limit of an answer is 25 s. The rest is for the service itself.
 */
export const CALL_TIME_MS = 23_000;

/**
 * The time at which a call must be answered. It counts by `performance.now()`, which is the wall clock in workerd. It
 * holds no timer. A waiter sets one for the duration of its wait.
 */
export class Deadline {
  readonly #endsAtMs: number;

  /** @param leftMs rest of the call's time, if part of it has passed elsewhere. */
  constructor(leftMs = CALL_TIME_MS) {
    this.#endsAtMs = performance.now() + leftMs;
  }

  leftMs(): number {
    return Math.max(0, Math.floor(this.#endsAtMs - performance.now()));
  }

  /** Limits the wait for work that others may wait for too, and for longer. */
  async within<T>(work: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const inItsTime = await inTime(this.leftMs(), work);
    return inItsTime ?? refuse("node_unavailable", "no node answered in time: repeat the call");
  }
}
