/** So many wrong tokens of one source are a mistake; more are guesses. */
const FREE_TRIES = 10;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** After so long without a wrong token a source is forgotten. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const TOLD_EVERY_MS = 3_600_000;
/** Sources that are remembered. Those beyond share one count, so that nobody fills the memory or hides in numbers. */
const MOST_SOURCES = 1_000;
const ALL_OTHERS = "others";

interface Wrong {
  readonly count: number;
  readonly untilMs: number;
  readonly lastAtMs: number;
}

/** What becomes of a wrong token. */
export interface WrongTokenVerdict {
  /** How long this source's tokens are not looked at; 0: the next one is. */
  readonly retryAfterMs: number;
  /** Whether the operator is told: when guessing begins, once an hour for all sources. */
  readonly isNews: boolean;
}

/**
 * Wrong admin tokens, by source, in memory: the token itself is beyond guessing, and what is kept away is the work and
 * the noise. The right token passes whatever its source has sent before.
 */
export class WrongTokens {
  readonly #bySource = new Map<string, Wrong>();
  #toldAtMs = 0;

  /** A wrong token from this source. */
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
