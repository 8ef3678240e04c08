import { done, type Outcome, refuse } from "../errors.ts";
import { jittered } from "../jitter.ts";
import { sleep } from "../timing.ts";

/** Limits of a throttle. */
export interface ThrottleLimits {
  /** Pieces of work that run at the same time. */
  readonly maxConcurrent: number;
  /** Rest after a turn, as a multiple of the time that its work took. */
  readonly restFactor: number;
  /** Callers of one tenant that may wait for a turn. The next one is refused. */
  readonly maxQueued: number;
  /** Longest wait of a caller before it is refused. */
  readonly maxWaitMs: number;
  /** The longest duration of a turn, far above that of any piece of work. Then its place is free again. */
  readonly leaseMs: number;
  /** The least wait of a refused caller until its next call. */
  readonly retryAfterMs: number;
}

/** A waiter for a turn, and its limits. */
export interface Turn {
  /** The owner of the work. The caller of the service must not be able to choose another one's. */
  readonly tenant: string;
  /** The rest of the caller's time, ms. Absent for the limits alone. */
  readonly leftMs?: number;
}

/**
 * Runs work when its turn comes. Refuses with `rate_limited` if too many others of its tenant wait, or if its turn does
 * not come in time. Passes errors of the work on.
 */
export type Throttle = <T>(work: () => Promise<T>, turn?: Turn) => Promise<Outcome<T>>;

const POLL_MS = 20;
/** The silence, ms, after which a waiter counts as gone. Work blocks the thread for less. */
const GONE_MS = 2_000;
/** Limit of all tenants together. */
const MOST_WAITING = 256;

/** A place that is taken until an instant, or until it is given back earlier. */
interface Lease {
  readonly untilMs: number;
}

/** Returns null when all places are taken. */
function take(places: Set<Lease>, limit: number, nowMs: number, forMs: number): Lease | null {
  for (const place of places) if (place.untilMs <= nowMs) places.delete(place);
  if (places.size >= limit) return null;
  const place = { untilMs: nowMs + forMs };
  places.add(place);
  return place;
}

interface Waiter {
  readonly tenant: string;
  readonly untilMs: number;
  lookedAtMs: number;
}

/** Keeps the waiters in the order of their arrival. Tenants take turns, for any numbers of waiters. */
class FairQueue {
  readonly #waiters = new Set<Waiter>();
  /** Maps each waiting tenant to the number of its last turn. */
  readonly #served = new Map<string, number>();
  #turns = 0;

  /** Returns null if too many wait. */
  enter(tenant: string, limit: number, nowMs: number, waitMs: number): Waiter | null {
    this.#dropGone(nowMs);
    const ofTenant = [...this.#waiters].filter((waiter) => waiter.tenant === tenant).length;
    if (ofTenant >= limit || this.#waiters.size >= MOST_WAITING) return null;
    const waiter = { tenant, untilMs: nowMs + waitMs, lookedAtMs: nowMs };
    this.#waiters.add(waiter);
    return waiter;
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (![...this.#waiters].some(({ tenant }) => tenant === waiter.tenant)) this.#served.delete(waiter.tenant);
  }

  /** Returns true for the oldest waiter of the tenant that has waited for the most turns of others. */
  isNext(waiter: Waiter, nowMs: number): boolean {
    waiter.lookedAtMs = nowMs;
    this.#dropGone(nowMs);
    let next: Waiter | null = null;
    for (const other of this.#waiters) if (next === null || this.#lastTurn(other) < this.#lastTurn(next)) next = other;
    return next === waiter;
  }

  /** Begins a turn of this tenant. */
  serve(tenant: string): void {
    this.#turns += 1;
    this.#served.set(tenant, this.#turns);
  }

  isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  #lastTurn({ tenant }: Waiter): number {
    return this.#served.get(tenant) ?? 0;
  }

  #dropGone(nowMs: number): void {
    for (const waiter of this.#waiters)
      if (waiter.untilMs <= nowMs || waiter.lookedAtMs + GONE_MS <= nowMs) this.leave(waiter);
  }
}

/**
 * Runs a few pieces of costly work at a time. Tenants take turns.
 *
 * A platform that drops a request also drops its continuations, `finally` included. So every place ends by itself. Each
 * waiter looks again by a timer of its own, so a dropped one does not block others for long. A turn lasts until the
 * event loop has come round. Otherwise the next piece would begin immediately after work that blocks the thread. All
 * other requests would then stand still until the queue is empty. The turn then rests. Pieces that block one thread
 * have it for at most `maxConcurrent` / (1 + `restFactor`) of the time, for any number of waiters.
 */
export function createThrottle(
  { maxConcurrent, restFactor, maxQueued, maxWaitMs, leaseMs, retryAfterMs }: ThrottleLimits,
  nowMs: () => number,
  random: () => number = Math.random,
): Throttle {
  const turns = new Set<Lease>();
  const queue = new FairQueue();
  const takeTurn = () => take(turns, maxConcurrent, nowMs(), leaseMs);

  async function waitForTurn({ tenant, leftMs = maxWaitMs }: Turn): Promise<Lease | null> {
    const waiter = queue.enter(tenant, maxQueued, nowMs(), Math.min(leftMs, maxWaitMs));
    if (waiter === null) return null;
    let turn: Lease | null = null;
    while (turn === null && nowMs() < waiter.untilMs) {
      await sleep(POLL_MS);
      if (queue.isNext(waiter, nowMs())) turn = takeTurn();
    }
    if (turn !== null) queue.serve(tenant);
    queue.leave(waiter);
    return turn;
  }

  return async (work, wanted = { tenant: "" }) => {
    // A new caller must not overtake the waiting ones.
    const turn = (queue.isEmpty() ? takeTurn() : null) ?? (await waitForTurn(wanted));
    if (turn === null)
      return refuse("rate_limited", "too many exchanges of a secret wait already: repeat later", {
        limit: "derivation_queue",
        retryAfterMs: jittered(retryAfterMs, random),
      });
    const begunAtMs = nowMs();
    try {
      return done(await work());
    } finally {
      // The sleep also updates the clock, which stands still while work blocks the thread.
      await sleep(0);
      turns.delete(turn);
      const endedAtMs = nowMs();
      turns.add({ untilMs: endedAtMs + restFactor * (endedAtMs - begunAtMs) });
    }
  };
}
