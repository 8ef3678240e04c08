/** An endpoint that has let a question time out, or has flooded it, is asked last for this long. */
const ASKED_LAST_MS = 60_000;

/**
 * Which endpoints hang or flood. A list of endpoints is asked in order, so that one in front of a right one would cost
 * every question its time-out, or the memory of a reply without an end.
 */
export class SilentEndpoints {
  /** By URL, when it was last to be asked last. By the platform's monotonic clock, which nobody sets. */
  readonly #sinceMs = new Map<string, number>();

  askLast(url: string): void {
    this.#sinceMs.set(url, performance.now());
  }

  /** The endpoints in the order in which to ask them. */
  order(urls: readonly string[]): readonly string[] {
    const nowMs = performance.now();
    const isSilent = (url: string) => nowMs - (this.#sinceMs.get(url) ?? Number.NEGATIVE_INFINITY) < ASKED_LAST_MS;
    return [...urls.filter((url) => !isSilent(url)), ...urls.filter(isSilent)];
  }
}
