import { type RequestOptions, request } from "node:http";

/** The shortest interval between probes. */
const EVERY_MS = 100;
/** A runtime that takes longer than this for a cheap request is behind. */
const BEHIND_MS = 100;

/**
 * Sends the runtime a cheap request. The time of its answer shows how far the runtime is behind. A slow node changes
 * nothing.
 */
export class Probe {
  readonly #options: RequestOptions;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #isAwaited = false;
  #lastMs = 0;
  #asked: Promise<boolean> | null = null;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** Sends a probe. Does nothing while one is pending, and soon after the last one. */
  send(): void {
    const sentAtMs = performance.now();
    if (this.#isAwaited || sentAtMs - this.#sentAtMs < EVERY_MS) return;
    this.#sentAtMs = sentAtMs;
    this.#isAwaited = true;
    const sent = request(this.#options, (answer) => {
      this.#lastMs = performance.now() - sentAtMs;
      answer.resume();
    });
    // A runtime that does not answer has no backlog.
    sent.on("error", () => {
      this.#lastMs = 0;
    });
    sent.on("close", () => {
      this.#isAwaited = false;
    });
    sent.end();
  }

  /** Returns whether the runtime answers. One request serves all calls that overlap. */
  answers(): Promise<boolean> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  #ask(): Promise<boolean> {
    return new Promise((resolve) => {
      const sent = request(this.#options, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 204);
      });
      sent.on("error", () => resolve(false));
      sent.end();
    });
  }

  isBehind(): boolean {
    return this.#lastMs > BEHIND_MS || (this.#isAwaited && performance.now() - this.#sentAtMs > BEHIND_MS);
  }
}
