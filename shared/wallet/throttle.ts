import { done, type Outcome, refuse } from "../errors.ts";
import { sleep } from "../timing.ts";

export interface ThrottleLimits {
  /** Pieces of work that run at the same time. */
  readonly maxConcurrent: number;
  /** How long a turn stays taken after its work, as a multiple of what the work took. */
  readonly restFactor: number;
  /** Callers of one tenant that wait for a turn; the next one is refused. */
  readonly maxQueued: number;
  /** How long a caller waits before it is refused after all. */
  readonly maxWaitMs: number;
  /** Far longer than any piece of work takes. */
  readonly leaseMs: number;
}

/**
 * Runs work when its turn comes; `overloaded` when too many others of its tenant wait for theirs. What the work throws
 * passes through.
 *
 * @param tenant whose work it is. Nobody else may choose it.
 */
export type Throttle = <T>(work: () => Promise<T>, tenant?: string) => Promise<Outcome<T>>;

const POLL_MS = 20;
/** Whoever has not looked for so long is gone. Longer than work blocks the thread. */
const GONE_MS = 2_000;
/** All tenants together. */
const MOST_WAITING = 256;

/** Something taken that ends by itself at an instant, if it is not given back before. */
interface Lease {
  readonly untilMs: number;
}

/** Null when as many places are taken as there are. */
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

/** Who waits, in the order of their coming, and whose turn it is next: each tenant's in turn, however many it has. */
class FairQueue {
  readonly #waiters = new Set<Waiter>();
  /** By tenant that waits: the number of its last turn. */
  readonly #served = new Map<string, number>();
  #turns = 0;

  /** Null: too many wait. */
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

  /** The oldest one of the tenant that has waited for the most turns of others. */
  isNext(waiter: Waiter, nowMs: number): boolean {
    waiter.lookedAtMs = nowMs;
    this.#dropGone(nowMs);
    let next: Waiter | null = null;
    for (const other of this.#waiters) if (next === null || this.#lastTurn(other) < this.#lastTurn(next)) next = other;
    return next === waiter;
  }

  /** A turn of this tenant begins. */
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
 * Lets costly work run a few pieces at a time, and each tenant's in turn.
 *
 * A platform that drops a request drops its continuations with it, `finally` included. So every place ends by itself,
 * and who waits looks again by a timer of its own: whoever disappears holds nobody up for long. A turn lasts until the
 * event loop has come round, because after work that blocks the thread the next piece would otherwise begin at once, and
 * all other requests would stand still until nobody waits any more. Then it rests: pieces that block one thread after
 * each other have it for at most `maxConcurrent` / (1 + `restFactor`) of the time, however many wait.
 */
export function createThrottle(
  { maxConcurrent, restFactor, maxQueued, maxWaitMs, leaseMs }: ThrottleLimits,
  nowMs: () => number,
): Throttle {
  const turns = new Set<Lease>();
  const queue = new FairQueue();
  const takeTurn = () => take(turns, maxConcurrent, nowMs(), leaseMs);

  async function waitForTurn(tenant: string): Promise<Lease | null> {
    const waiter = queue.enter(tenant, maxQueued, nowMs(), maxWaitMs);
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

  return async (work, tenant = "") => {
    // Whoever comes while others wait must not overtake them.
    const turn = (queue.isEmpty() ? takeTurn() : null) ?? (await waitForTurn(tenant));
    if (turn === null) return refuse("overloaded", "too many calls of this kind at once: try again in a moment");
    const begunAtMs = nowMs();
    try {
      return done(await work());
    } finally {
      // Also what brings the clock up to date, which stands still while work blocks the thread.
      await sleep(0);
      turns.delete(turn);
      const endedAtMs = nowMs();
      turns.add({ untilMs: endedAtMs + restFactor * (endedAtMs - begunAtMs) });
    }
  };
}
