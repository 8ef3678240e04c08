export { sleep, unlessAborted } from "./waits.ts";

/**
 * Waits for work. Null if it takes longer than `limitMs`. The work then continues, and its result and error are
 * ignored.
 */
export async function inTime<T>(limitMs: number, work: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** One for all limits, because the stack of a new one costs more than the abort itself, and is never read. */
const WORK_HAS_ENDED = new DOMException("the work has ended", "AbortError");

/**
 * Aborts work that takes longer than a limit. Callers end the limit. `AbortSignal.timeout` cannot be ended. Its timer
 * outlives the work, and an object with 10,000 running timers can set no more.
 */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(limitMs: number) {
    const abort = () => this.#controller.abort(new DOMException("no answer in time", "TimeoutError"));
    this.#timer = setTimeout(abort, limitMs);
  }

  /** Aborts when the time is over, or when the limit ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Ends the limit once the work is done or has failed. Requests that are still under way are aborted, so that they
   * hold no connection.
   */
  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort(WORK_HAS_ENDED);
  }
}

/** Runs work with the signal of a `TimeLimit`, and ends the limit with the work. */
export async function withTimeLimit<T>(limitMs: number, work: (abort: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new TimeLimit(limitMs);
  try {
    return await work(limit.signal);
  } finally {
    limit.end();
  }
}
