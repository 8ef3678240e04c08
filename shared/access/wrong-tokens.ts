/** Up to this many wrong tokens of one source count as a mistake. More count as guesses. */
const FREE_TRIES = 10;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** A source is forgotten after this time without a wrong token. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const TOLD_EVERY_MS = 3_600_000;
/**
 * Limit of remembered sources. All others share one count, so that a caller can neither fill the memory nor hide in
 * numbers.
 */
const MOST_SOURCES = 1_000;
const ALL_OTHERS = "others";

interface Wrong {
  readonly count: number;
  readonly untilMs: number;
  readonly lastAtMs: number;
}

/** The consequence of a wrong token. */
export interface WrongTokenVerdict {
  /** The milliseconds in which this source's tokens are not checked. 0 if the next one is. */
  readonly retryAfterMs: number;
  /** True if the operator gets an event: when guessing begins, once an hour for all sources. */
  readonly isNews: boolean;
}

/**
 * Counts wrong admin tokens by source, in memory. The token itself cannot be guessed. The count prevents work and log
 * noise. The right token passes after any number of wrong ones of its source.
 */
export class WrongTokens {
  readonly #bySource = new Map<string, Wrong>();
  #toldAtMs = 0;

  /** Counts a wrong token of this source. */
  count(source: string, nowMs: number): WrongTokenVerdict {
    this.#forget(nowMs);
    const name = this.#bySource.has(source) || this.#bySource.size < MOST_SOURCES ? source : ALL_OTHERS;
    const { count, untilMs } = this.#bySource.get(name) ?? { count: 0, untilMs: 0 };
    if (untilMs > nowMs) return { retryAfterMs: untilMs - nowMs, isNews: false };
    const tries = count + 1;
    const waitMs =
      tries < FREE_TRIES ? 0 : Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries - FREE_TRIES, 20), LONGEST_WAIT_MS);
    this.#bySource.set(name, { count: tries, untilMs: nowMs + waitMs, lastAtMs: nowMs });
    const isNews = tries >= FREE_TRIES && this.#toldAtMs + TOLD_EVERY_MS <= nowMs;
    if (isNews) this.#toldAtMs = nowMs;
    return { retryAfterMs: 0, isNews };
  }

  #forget(nowMs: number): void {
    for (const [source, { lastAtMs }] of this.#bySource)
      if (lastAtMs + FORGOTTEN_AFTER_MS <= nowMs) this.#bySource.delete(source);
  }
}
