/** Limit of the remembered keys. The key that was used least recently goes first. */
const MAX_KEYS = 4_096;
/** The longest time in which a key's requests go to the key first. */
const MAX_PAUSE_MS = 60_000;

interface Known {
  readonly fundId: string;
  /** Requests go to the key before this time. */
  readonly fromMs: number;
}

/**
 * Remembers the fund of each access key, which never changes. It only routes a request. The fund or the key decides the
 * rest.
 */
export class KnownFunds {
  readonly #byKey = new Map<string, Known>();

  /** Returns the fund that requests of a key go to. Null if they go to the key. */
  fundOf(keyId: string, nowMs: number): string | null {
    const known = this.#byKey.get(keyId);
    if (known === undefined) return null;
    this.#byKey.delete(keyId);
    this.#byKey.set(keyId, known);
    const waitsMs = known.fromMs - nowMs;
    return waitsMs > 0 && waitsMs <= MAX_PAUSE_MS ? null : known.fundId;
  }

  /** @param isLeased true if the fund is known to hold a lease now. */
  remember(keyId: string, fundId: string, isLeased = false): void {
    if (this.#byKey.has(keyId) && !isLeased) return;
    this.#byKey.set(keyId, { fundId, fromMs: 0 });
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > MAX_KEYS && oldest !== undefined) this.#byKey.delete(oldest);
  }

  /** Sends the key's requests to the key until a time. */
  pause(keyId: string, untilMs: number): void {
    const known = this.#byKey.get(keyId);
    if (known !== undefined) this.#byKey.set(keyId, { ...known, fromMs: untilMs });
  }
}
