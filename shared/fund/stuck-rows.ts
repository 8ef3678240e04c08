/** The first rest between attempts to recycle a row. Each failure doubles it, up to ten minutes. */
const FIRST_REST_MS = 15_000;
/** The longest rest of a row, ten minutes. */
export const LONGEST_REST_MS = 600_000;
/** The most rows in memory. No fund has as many coins locked at one time, so it bounds memory only. */
const MAX_STUCK_ROWS = 10_000;

interface Rest {
  readonly failures: number;
  readonly untilMs: number;
}

/**
 * Expired sponsorships whose coins cannot be moved, even alone. Each row rests by itself, so that the others get their
 * turn. The rests live in memory, so a restart tries each row anew.
 */
export class StuckRows {
  readonly #rests = new Map<string, Rest>();

  get size(): number {
    return this.#rests.size;
  }

  has(digest: string): boolean {
    return this.#rests.has(digest);
  }

  /** Returns the time when a row's rest ends. Null if the row does not rest. */
  restsUntilMs(digest: string, nowMs: number): number | null {
    const untilMs = this.#rests.get(digest)?.untilMs ?? nowMs;
    // A clock that was ahead must not extend a rest beyond the longest one.
    return untilMs <= nowMs || untilMs - nowMs > LONGEST_REST_MS ? null : untilMs;
  }

  /** Sorts digests by the end of their rests, earliest first. */
  longestRested(digests: readonly string[]): readonly string[] {
    const untilMs = (digest: string) => this.#rests.get(digest)?.untilMs ?? 0;
    return digests.toSorted((a, b) => untilMs(a) - untilMs(b));
  }

  /** Records a failed attempt to move a row's coin alone, and starts the row's next rest. */
  failed(digest: string, nowMs: number): void {
    const failures = (this.#rests.get(digest)?.failures ?? 0) + 1;
    const restMs = Math.min(FIRST_REST_MS * 2 ** Math.min(failures - 1, 10), LONGEST_REST_MS);
    const [oldest] = this.#rests.keys();
    this.#rests.delete(digest);
    if (this.#rests.size >= MAX_STUCK_ROWS && oldest !== undefined) this.#rests.delete(oldest);
    this.#rests.set(digest, { failures, untilMs: nowMs + restMs });
  }

  /** Forgets the rows that are no longer open. */
  retain(isOpen: (digest: string) => boolean): void {
    for (const digest of this.#rests.keys()) if (!isOpen(digest)) this.#rests.delete(digest);
  }
}
