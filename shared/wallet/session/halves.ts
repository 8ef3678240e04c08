import { isLive } from "./token.ts";

/** The alarm fires before the platform ends an idle object and its memory. */
const KEEP_ALIVE_MS = 5_000;
/** An alarm that is later than this was lost. */
const LATE_MS = 10_000;
/** An object whose alarm is later than this is called, which shows whether it still runs. */
const DOUBTFUL_MS = 1_000;
/** Sessions take about 250 bytes each. A full shard refuses new sessions and keeps its present ones. */
export const MAX_SESSIONS = 50_000;

/** The service's half of a session, sealed. Nobody changes its bytes. */
interface Half {
  readonly value: Uint8Array;
  readonly expiresAtMs: number;
}

/** The memory of one shard's object: its halves by store key, and the alarm that keeps it alive. Times: Unix ms. */
export class SessionHalves {
  readonly #halves = new Map<string, Half>();
  /** The time of the next alarm. Zero if this instance has armed none. */
  #wakesAtMs = 0;

  /** Returns false if the shard is full. */
  keep(storeKey: string, value: Uint8Array, expiresAtMs: number, nowMs: number): boolean {
    if (this.#halves.size >= MAX_SESSIONS) this.dropExpired(nowMs);
    if (this.#halves.size >= MAX_SESSIONS) return false;
    this.#halves.set(storeKey, { value, expiresAtMs });
    return true;
  }

  /** Returns a half that has not expired. Null without one. */
  find(storeKey: string, nowMs: number): Uint8Array | null {
    const half = this.#halves.get(storeKey);
    return half !== undefined && isLive(half.expiresAtMs, nowMs) ? half.value : null;
  }

  dropExpired(nowMs: number): void {
    for (const [key, { expiresAtMs }] of this.#halves) if (!isLive(expiresAtMs, nowMs)) this.#halves.delete(key);
  }

  /** Returns the time of an alarm that has to be armed now. Null if one is armed, or if nothing is to be kept. */
  nextAlarm(nowMs: number): number | null {
    if (this.#halves.size === 0 || this.#isArmed(nowMs, LATE_MS)) return null;
    this.#wakesAtMs = nowMs + KEEP_ALIVE_MS;
    return this.#wakesAtMs;
  }

  /** Notes that the alarm has fired. */
  woke(): void {
    this.#wakesAtMs = 0;
  }

  /** Returns true while an armed alarm keeps the object alive. Another half then needs no call of the object. */
  isKeptAlive(nowMs: number): boolean {
    return this.#isArmed(nowMs, DOUBTFUL_MS);
  }

  #isArmed(nowMs: number, lateMs: number): boolean {
    return nowMs < this.#wakesAtMs + lateMs && this.#wakesAtMs <= nowMs + KEEP_ALIVE_MS;
  }
}

/**
 * The memories of the shards whose objects run in this isolate. On plain workerd these are all shards. Only an object
 * holds its memory, so it ends with the object.
 */
const shardsHere = new Map<number, WeakRef<SessionHalves>>();

/** Shows the memory of a shard to the isolate of its object. */
export function showHalves(shard: number, halves: SessionHalves): void {
  if (shardsHere.get(shard)?.deref() !== halves) shardsHere.set(shard, new WeakRef(halves));
}

/** Returns the memory of a shard, which saves the call of its object. Null if the object runs elsewhere. */
export function halvesHere(shard: number): SessionHalves | null {
  return shardsHere.get(shard)?.deref() ?? null;
}
