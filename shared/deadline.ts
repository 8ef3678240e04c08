import { type Outcome, refuse } from "./errors.ts";
import { unlessAborted } from "./timing.ts";

/**
 * How long a call may ask its nodes, all of them and one phase after the other. Callers give up after 30 s, and are
 * promised an answer within 25: the rest is for what the service itself does.
 */
export const CALL_TIME_MS = 23_000;

/** When a call has to be answered. Counted by the platform's monotonic clock, which nobody sets. */
export class Deadline {
  readonly #endsAtMs: number;
  #signal: AbortSignal | null = null;

  /** @param leftMs what is left of the call's time, where part of it has passed elsewhere. */
  constructor(leftMs = CALL_TIME_MS) {
    this.#endsAtMs = performance.now() + leftMs;
  }

  leftMs(): number {
    return Math.max(0, Math.floor(this.#endsAtMs - performance.now()));
  }

  /** Aborts at the deadline. Made on demand: a call that asks no node sets no timer. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.timeout(this.leftMs());
    return this.#signal;
  }

  /** What others may wait for too, and for longer. */
  async within<T>(work: Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      return await unlessAborted(this.signal, work);
    } catch (error) {
      if (!this.signal.aborted) throw error;
      return refuse("node_unavailable", "no node answered in the time of one call");
    }
  }
}
