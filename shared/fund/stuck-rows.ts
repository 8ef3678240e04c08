/** What cannot be recycled is tried again later and later: after 15 seconds, after 30, at most after ten minutes. */
const FIRST_REST_MS = 15_000;
export const LONGEST_REST_MS = 600_000;
/** More than the coins that any fund has lent at once; it bounds memory only. */
const MAX_STUCK_ROWS = 10_000;

interface Rest {
  readonly failures: number;
  readonly untilMs: number;
}

/**
 * Expired sponsorships whose coins cannot be moved, not even alone. Each rests by itself, so that others get their turn.
 * Lives in memory: a restart tries each anew.
 */
export class StuckRows {
  readonly #rests = new Map<string, Rest>();

  get size(): number {
    return this.#rests.size;
  }

  has(digest: string): boolean {
    return this.#rests.has(digest);
  }

  /** When its rest ends; null where it does not rest. */
  restsUntilMs(digest: string, nowMs: number): number | null {
    const untilMs = this.#rests.get(digest)?.untilMs ?? nowMs;
    // A clock that was ahead must not keep it for longer than any rest lasts.
    return untilMs <= nowMs || untilMs - nowMs > LONGEST_REST_MS ? null : untilMs;
  }

  /** The same ones, those first whose rest ended first. */
  longestRested(digests: readonly string[]): readonly string[] {
    const untilMs = (digest: string) => this.#rests.get(digest)?.untilMs ?? 0;
    return digests.toSorted((a, b) => untilMs(a) - untilMs(b));
  }

  /** It was tried alone, and its coin cannot be moved. */
  failed(digest: string, nowMs: number): void {
    const failures = (this.#rests.get(digest)?.failures ?? 0) + 1;
    const restMs = Math.min(FIRST_REST_MS * 2 ** Math.min(failures - 1, 10), LONGEST_REST_MS);
    const [oldest] = this.#rests.keys();
    this.#rests.delete(digest);
    if (this.#rests.size >= MAX_STUCK_ROWS && oldest !== undefined) this.#rests.delete(oldest);
    this.#rests.set(digest, { failures, untilMs: nowMs + restMs });
  }

  /** Forgets those that are over. */
  retain(isOpen: (digest: string) => boolean): void {
    for (const digest of this.#rests.keys()) if (!isOpen(digest)) this.#rests.delete(digest);
  }
}
