/* Sui only: Only conversions and party coins wait between tries. */

/** A failed step is tried again later and later: after a minute, after two, at most after an hour. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** The pause after a step that others can make fail. It lives in memory only. */
export class Pause {
  #failures = 0;
  #untilMs = 0;

  isOver(nowMs: number): boolean {
    // A clock that was ahead must not extend the pause beyond its longest time.
    return nowMs >= this.#untilMs || this.#untilMs - nowMs > LONGEST_PAUSE_MS;
  }

  note(succeeded: boolean, nowMs: number): void {
    this.#failures = succeeded ? 0 : this.#failures + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#failures - 1, 10), LONGEST_PAUSE_MS);
    this.#untilMs = succeeded ? 0 : nowMs + pauseMs;
  }
}
