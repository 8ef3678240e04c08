import { SESSION_LIFETIME_MS } from "./token.ts";

/** Each takes about 400 bytes. */
const MAX_HALVES = 10_000;
const SWEEP_INTERVAL_MS = 1_000;

interface Half {
  readonly value: Uint8Array;
  readonly expiresAtMs: number;
  /** By the platform's monotonic clock. */
  readonly sinceMs: number;
}

/**
 * Remembers in a Worker's memory the service's halves of sessions that have opened here. So only the first call of a
 * session calls the store. A half is as sealed here as it is there: it opens only with its token and the master key,
 * and its own expiry holds. No half is kept for longer than a session lasts, also if the clock is set back. The next
 * call of any session overwrites and drops the expired ones.
 */
export class RememberedHalves {
  readonly #halves = new Map<string, Half>();
  #sweptAtMs = 0;

  /** Returns the half of a session. Null if it is not remembered, or has expired. */
  get(storeKey: string, nowMs: number): Uint8Array | null {
    this.#sweep(nowMs);
    const half = this.#halves.get(storeKey);
    if (half === undefined) return null;
    if (!isOver(half, nowMs)) return half.value;
    this.#forget(storeKey, half);
    return null;
  }

  /**
   * Remembers a half that has opened. A repeat changes nothing. If there are too many, the oldest one gives way. That
   * one is only dropped, and not overwritten: a call may be opening it.
   */
  set(storeKey: string, value: Uint8Array, expiresAtMs: number): void {
    if (this.#halves.has(storeKey)) return;
    const [oldest] = this.#halves.keys();
    if (this.#halves.size >= MAX_HALVES && oldest !== undefined) this.#halves.delete(oldest);
    this.#halves.set(storeKey, { value, expiresAtMs, sinceMs: performance.now() });
  }

  #sweep(nowMs: number): void {
    if (Math.abs(nowMs - this.#sweptAtMs) < SWEEP_INTERVAL_MS) return;
    this.#sweptAtMs = nowMs;
    for (const [storeKey, half] of this.#halves) if (isOver(half, nowMs)) this.#forget(storeKey, half);
  }

  #forget(storeKey: string, { value }: Half): void {
    this.#halves.delete(storeKey);
    value.fill(0);
  }
}

function isOver({ expiresAtMs, sinceMs }: Half, nowMs: number): boolean {
  return expiresAtMs <= nowMs || performance.now() - sinceMs >= SESSION_LIFETIME_MS;
}
