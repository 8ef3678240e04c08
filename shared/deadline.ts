import { type Outcome, refuse } from "./errors.ts";
import { countInto, type UpstreamTally } from "./observe/upstream-calls.ts";
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
  readonly #tally: UpstreamTally | undefined;

  /**
   * @param leftMs rest of the call's time, if part of it has passed elsewhere.
   * @param tally of the call's requests of nodes. If absent, `countInto` around the call has it.
   */
  constructor(leftMs = CALL_TIME_MS, tally?: UpstreamTally) {
    this.#endsAtMs = performance.now() + leftMs;
    this.#tally = tally;
  }

  /** Returns a deadline of the same call that ends after this time at the latest. */
  atMost(leftMs: number): Deadline {
    return new Deadline(Math.min(leftMs, this.leftMs()), this.#tally);
  }

  leftMs(): number {
    return Math.max(0, Math.floor(this.#endsAtMs - performance.now()));
  }

  /** Asks nodes, and counts it for the call. A call that asks none needs no context then. */
  asking<T>(ask: () => Promise<T>): Promise<T> {
    return this.#tally === undefined ? ask() : countInto(this.#tally, ask);
  }

  /** Limits the wait for work that others may wait for too, and for longer. */
  async within<T>(work: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const inItsTime = await inTime(this.leftMs(), work);
    return inItsTime ?? refuse("node_unavailable", "no node answered in time: repeat the call");
  }
}
