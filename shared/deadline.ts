import { type Outcome, refuse } from "./errors.ts";
import { inTime } from "./timing.ts";

/**
 * How long a call may ask its nodes, all of them and one phase after the other. Callers give up after 30 s, and are
 * promised an answer within 25: the rest is for what the service itself does.
 */
export const CALL_TIME_MS = 23_000;

/**
 * When a call has to be answered. Counted by the platform's monotonic clock, which nobody sets. It holds no timer: whoever
 * waits sets one for as long as it waits.
 */
export class Deadline {
  readonly #endsAtMs: number;

  /** @param leftMs what is left of the call's time, where part of it has passed elsewhere. */
  constructor(leftMs = CALL_TIME_MS) {
    this.#endsAtMs = performance.now() + leftMs;
  }

  leftMs(): number {
    return Math.max(0, Math.floor(this.#endsAtMs - performance.now()));
  }

  /** What others may wait for too, and for longer. */
  async within<T>(work: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const inItsTime = await inTime(this.leftMs(), work);
    return inItsTime ?? refuse("node_unavailable", "no node answered in the time of one call");
  }
}
