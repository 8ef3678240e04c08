import type { Seen } from "../../chain/sui/node.ts";

/** An endpoint's checkpoint must be so much later than what it is to disprove: more than clocks are apart. */
const LATER_BY_MS = 300_000;
/** Our clock may be so far behind the chain's. What says more is a lie, and must not outlast this time. */
const MAX_AHEAD_MS = 3_600_000;
/** The chain's time is written where it is so far ahead of our clock: up to here `LATER_BY_MS` is margin enough. */
const WORTH_KEEPING_AHEAD_MS = 60_000;

/** The doubt about it, beside those about coins, which go by their ids. */
export const ADDRESS_BALANCE = "address balance";

/** Money that an endpoint has not shown. */
export interface Doubt {
  /** What was booked when the doubt came up. */
  readonly booked: string;
  /** By our clock. */
  readonly sinceMs: number;
  /** It was booked by then, by the later one of our clock and the chain's. */
  readonly bookedByMs: number;
  /** Host of the endpoint that missed it first, or of the first miss that counts. */
  readonly endpoint: string;
  /** Checkpoint time of the first miss that counts; null: none does yet. */
  readonly missedAtMs: number | null;
}

/**
 * What the doubts of a fund need of storage: they take minutes, and an instance may live for seconds. Synchronous; the
 * caller wraps a change in a transaction.
 */
export interface DoubtStore {
  doubt(id: string): Doubt | null;
  putDoubt(id: string, doubt: Doubt): void;
  dropDoubt(id: string): void;
  /** The latest time of the chain that is kept, by its own clock; 0: none. */
  chainMs(): number;
  setChainMs(chainMs: number): void;
}

/** The time of the checkpoint that a reply shows. */
type Height = Pick<Seen<unknown>, "timestampMs">;
type Miss = Pick<Seen<unknown>, "timestampMs" | "endpoint">;

/**
 * Judges money that is booked and that an endpoint does not show. An endpoint that stalls or lags does not show what is
 * younger than its checkpoint, so that a miss counts only by the time of its own checkpoint. That time may be a lie, so that
 * as much has to have passed by our clock, too. Two that count, of different times, prove that the money does not exist.
 * If several endpoints are configured, they have to be of two: one may have a broken index.
 */
export class MissingMoney {
  readonly #store: DoubtStore;
  readonly #endpointCount: number;
  #chainMs = 0;

  /** @param endpointCount how many are configured. */
  constructor(store: DoubtStore, endpointCount: number) {
    this.#store = store;
    this.#endpointCount = endpointCount;
  }

  /** Host of the endpoint whose miss no longer counts for this money; undefined: any endpoint's does. */
  besides(id: string): string | undefined {
    const doubt = this.#endpointCount > 1 ? this.#store.doubt(id) : null;
    return doubt === null || doubt.missedAtMs === null ? undefined : doubt.endpoint;
  }

  /** An endpoint has shown or effects have written it, so that no earlier miss says anything of it. */
  confirm(id: string): void {
    this.#store.dropDoubt(id);
  }

  /** The chain has come so far, as an endpoint says. */
  tell(height: Height, nowMs: number): void {
    this.#chainMs = Math.max(this.#knownMs(nowMs), credibleMs(height, nowMs));
    const keptMs = this.#store.chainMs();
    const isNews = Math.abs(this.#chainMs - keptMs) >= WORTH_KEEPING_AHEAD_MS;
    if (this.#chainMs >= nowMs + WORTH_KEEPING_AHEAD_MS && isNews) this.#store.setChainMs(this.#chainMs);
  }

  /**
   * Notes a miss.
   *
   * @param booked what the books have of it. What changes is doubted anew.
   * @returns the doubt, if it is proved now that the money does not exist; null: it is not, or not yet.
   */
  disprove(id: string, booked: string, miss: Miss, nowMs: number): Doubt | null {
    this.tell(miss, nowMs);
    const missMs = credibleMs(miss, nowMs);
    const byNowMs = Math.max(nowMs, this.#chainMs);
    const known = this.#store.doubt(id);
    const before = known?.booked === booked ? known : null;
    const doubt = before ?? { booked, sinceMs: nowMs, bookedByMs: byNowMs, endpoint: miss.endpoint, missedAtMs: null };
    // A clock that was ahead when the doubt came up must not keep it for ever.
    const sinceMs = Math.min(doubt.sinceMs, nowMs);
    const bookedByMs = Math.min(doubt.bookedByMs, byNowMs);
    const isOfThePast = doubt.missedAtMs !== null && doubt.missedAtMs <= nowMs + MAX_AHEAD_MS;
    const firstMs = isOfThePast ? doubt.missedAtMs : null;
    const counts = nowMs >= sinceMs + LATER_BY_MS && missMs >= bookedByMs + LATER_BY_MS;
    const isOfAnother = this.#endpointCount <= 1 || miss.endpoint !== doubt.endpoint;
    if (counts && firstMs !== null && missMs > firstMs && isOfAnother) {
      this.#store.dropDoubt(id);
      return doubt;
    }
    const missedAtMs = firstMs ?? (counts ? missMs : null);
    const endpoint = counts && firstMs === null ? miss.endpoint : doubt.endpoint;
    const now = { ...doubt, sinceMs, bookedByMs, endpoint, missedAtMs };
    if (before === null || !isSame(now, before)) this.#store.putDoubt(id, now);
    return null;
  }

  /** What a clock that was ahead has let through counts no more. */
  #knownMs(nowMs: number): number {
    return Math.min(Math.max(this.#chainMs, this.#store.chainMs()), nowMs + MAX_AHEAD_MS);
  }
}

function isSame(one: Doubt, other: Doubt): boolean {
  const { sinceMs, bookedByMs, missedAtMs } = other;
  return one.sinceMs === sinceMs && one.bookedByMs === bookedByMs && one.missedAtMs === missedAtMs;
}

function credibleMs({ timestampMs }: Height, nowMs: number): number {
  return Math.min(timestampMs, nowMs + MAX_AHEAD_MS);
}
