import { done, type Outcome, refuse } from "../errors.ts";
import { sleep } from "../timing.ts";

export interface ThrottleLimits {
  /** Pieces of work that run at the same time. */
  readonly atOnce: number;
  /** How long a turn stays taken after its work, as a multiple of what the work took. */
  readonly rest: number;
  /** Callers that wait for a turn; the next one is refused. */
  readonly waiting: number;
  /** How long a caller waits before it is refused after all. */
  readonly waitMs: number;
  /** Far longer than any piece of work takes. */
  readonly leaseMs: number;
}

/** Runs work when its turn comes; `overloaded` when too many others wait for theirs. What the work throws passes through. */
export type Throttle = <T>(work: () => Promise<T>) => Promise<Outcome<T>>;

const POLL_MS = 20;

/** Something taken that ends by itself at an instant, if it is not given back before. */
interface Place {
  readonly untilMs: number;
}

/** Null when as many places are taken as there are. */
function take(places: Set<Place>, limit: number, nowMs: number, forMs: number): Place | null {
  for (const place of places) if (place.untilMs <= nowMs) places.delete(place);
  if (places.size >= limit) return null;
  const place = { untilMs: nowMs + forMs };
  places.add(place);
  return place;
}

/**
 * Lets costly work run a few pieces at a time.
 *
 * A platform that drops a request drops its continuations with it, `finally` included. So every place ends by itself,
 * and who waits looks again by a timer of its own: whoever disappears holds nobody up for long. A turn lasts until the
 * event loop has come round, because after work that blocks the thread the next piece would otherwise begin at once, and
 * all other requests would stand still until nobody waits any more. Then it rests: pieces that block one thread after
 * each other have it for at most `atOnce` / (1 + `rest`) of the time, however many wait.
 */
export function createThrottle(
  { atOnce, rest, waiting, waitMs, leaseMs }: ThrottleLimits,
  nowMs: () => number,
): Throttle {
  const turns = new Set<Place>();
  const queue = new Set<Place>();
  const takeTurn = () => take(turns, atOnce, nowMs(), leaseMs);

  async function waitForTurn(): Promise<Place | null> {
    const place = take(queue, waiting, nowMs(), waitMs);
    if (place === null) return null;
    let turn: Place | null = null;
    while (turn === null && nowMs() < place.untilMs) {
      await sleep(POLL_MS);
      turn = takeTurn();
    }
    queue.delete(place);
    return turn;
  }

  return async (work) => {
    // Whoever comes while others wait must not overtake them.
    const turn = (queue.size === 0 ? takeTurn() : null) ?? (await waitForTurn());
    if (turn === null) return refuse("overloaded", "too many calls of this kind at once: try again in a moment");
    const begunAtMs = nowMs();
    try {
      return done(await work());
    } finally {
      // Also what brings the clock up to date, which stands still while work blocks the thread.
      await sleep(0);
      turns.delete(turn);
      const endedAtMs = nowMs();
      turns.add({ untilMs: endedAtMs + rest * (endedAtMs - begunAtMs) });
    }
  };
}
