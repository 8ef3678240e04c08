import { type RequestOptions, request } from "node:http";

/** The runtime is asked this often at most. */
const EVERY_MS = 100;
/** If it takes longer than this for next to nothing, it is behind with what it has. */
const BEHIND_MS = 100;

/** Asks the runtime for what costs it nothing: as long as the answer takes, so far is it behind. A slow node changes nothing. */
export class Probe {
  readonly #options: RequestOptions;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #isAwaited = false;
  #lastMs = 0;
  #asked: Promise<boolean> | null = null;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** Does nothing while an answer is awaited, and soon after the last time. */
  send(): void {
    const sentAtMs = performance.now();
    if (this.#isAwaited || sentAtMs - this.#sentAtMs < EVERY_MS) return;
    this.#sentAtMs = sentAtMs;
    this.#isAwaited = true;
    const sent = request(this.#options, (answer) => {
      this.#lastMs = performance.now() - sentAtMs;
      answer.resume();
    });
    // A runtime that is away is behind with nothing.
    sent.on("error", () => {
      this.#lastMs = 0;
    });
    sent.on("close", () => {
      this.#isAwaited = false;
    });
    sent.end();
  }

  /** Whether the runtime answers. All who ask meanwhile are told by one request. */
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
