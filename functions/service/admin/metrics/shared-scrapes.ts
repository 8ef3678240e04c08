import { sleep } from "../../../../shared/timing.ts";

/** A scraper calls every 15 seconds or so. Concurrent scrapers share one result. */
const KEPT_MS = 3_000;
const POLL_MS = 50;
/** A scrape ends before this time, unless its request was given up. */
const WAITED_MS = 9_000;

interface Kept<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/**
 * Collects once for all callers of one isolate, and keeps the value for some seconds. On Workers a request must not
 * await the promise of another one. So a caller who finds a collection under way looks again and again for its value.
 */
export class SharedScrapes<Value> {
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #underWay = new Map<string, symbol>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns a value of this name that is some seconds old at most. Throws if its own collection does. */
  async read(name: string, collect: () => Promise<Value>): Promise<Value> {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const kept = this.#fresh(name);
      if (kept !== null) return kept.value;
      if (!this.#underWay.has(name) || waitedMs >= WAITED_MS) break;
      await sleep(POLL_MS);
    }
    const own = Symbol(name);
    this.#underWay.set(name, own);
    try {
      const value = await collect();
      this.#dropOld();
      this.#kept.set(name, { value, atMs: this.#nowMs() });
      return value;
    } finally {
      if (this.#underWay.get(name) === own) this.#underWay.delete(name);
    }
  }

  /** A clock that was set back makes no value fresh. */
  #fresh(name: string): Kept<Value> | null {
    const kept = this.#kept.get(name);
    if (kept === undefined) return null;
    const ageMs = this.#nowMs() - kept.atMs;
    return ageMs >= 0 && ageMs < KEPT_MS ? kept : null;
  }

  #dropOld(): void {
    for (const name of this.#kept.keys()) if (this.#fresh(name) === null) this.#kept.delete(name);
  }
}
