import type { Seen } from "../chain/sui/node.ts";

/** An endpoint's checkpoint must be so much later than what it is to disprove: more than clocks are apart. */
const LATER_BY_MS = 300_000;
/** Our clock may be so far behind the chain's. What says more is a lie, and must not outlast this time. */
const MAX_AHEAD_MS = 3_600_000;

interface Doubt {
  /** What was booked when the doubt came up. */
  readonly booked: string;
  /** By our clock. */
  readonly sinceMs: number;
  /** It was booked by then, by the later one of our clock and the chain's. */
  readonly bookedByMs: number;
  /** Checkpoint time of the first miss that counts; null: none does yet. */
  readonly missedAtMs: number | null;
}

/** The time of the checkpoint that a reply shows. */
type Height = Pick<Seen<unknown>, "timestampMs">;

/**
 * Judges money that is booked and that an endpoint does not show. An endpoint that stalls or lags does not show what is
 * younger than its checkpoint, so that a miss counts only by the time of its own checkpoint. That time may be a lie, so that
 * as much has to have passed by our clock, too. Two that count, of different times, prove that the money does not exist.
 * Lives in memory: a restart begins every doubt anew.
 */
export class MissingMoney {
  readonly #doubts = new Map<string, Doubt>();
  #chainMs = 0;

  /** An endpoint has shown or effects have written it, so that no earlier miss says anything of it. */
  confirm(id: string): void {
    this.#doubts.delete(id);
  }

  /** The chain has come so far, as an endpoint says. */
  tell(height: Height, nowMs: number): void {
    this.#chainMs = Math.max(this.#chainMs, credibleMs(height, nowMs));
  }

  /**
   * Notes a miss.
   *
   * @param booked what the books have of it. What changes is doubted anew.
   * @returns whether it is proved now that the money does not exist.
   */
  isDisproved(id: string, booked: string, miss: Height, nowMs: number): boolean {
    this.tell(miss, nowMs);
    const missMs = credibleMs(miss, nowMs);
    const byNowMs = Math.max(nowMs, this.#chainMs);
    const known = this.#doubts.get(id);
    const doubt = known?.booked === booked ? known : { booked, sinceMs: nowMs, bookedByMs: byNowMs, missedAtMs: null };
    // A clock that was ahead when the doubt came up must not keep it for ever.
    const sinceMs = Math.min(doubt.sinceMs, nowMs);
    const bookedByMs = Math.min(doubt.bookedByMs, byNowMs);
    const counts = nowMs >= sinceMs + LATER_BY_MS && missMs >= bookedByMs + LATER_BY_MS;
    if (counts && doubt.missedAtMs !== null && missMs > doubt.missedAtMs) {
      this.#doubts.delete(id);
      return true;
    }
    const missedAtMs = doubt.missedAtMs ?? (counts ? missMs : null);
    this.#doubts.set(id, { booked, sinceMs, bookedByMs, missedAtMs });
    return false;
  }
}

function credibleMs({ timestampMs }: Height, nowMs: number): number {
  return Math.min(timestampMs, nowMs + MAX_AHEAD_MS);
}
