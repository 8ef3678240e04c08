import type { Seen } from "../../chain/seen.ts";

/** The least lead of an endpoint's checkpoint over the booking that it disproves. Clocks differ by less. */
const LATER_BY_MS = 300_000;
/**
 * The greatest believed lag of our clock behind the chain's. A greater lead of the chain is a lie, and must not outlast
 * this time.
 */
const MAX_AHEAD_MS = 3_600_000;
/** The lead over our clock from which on the chain's time is stored. Below it, `LATER_BY_MS` is margin enough. */
const WORTH_KEEPING_AHEAD_MS = 60_000;

/** The id of the doubt about the address balance. Doubts about coins have the coins' ids. */
export const ADDRESS_BALANCE = "address balance";
/** The id for the state in which no second endpoint answers about listed coins. No coin has this id. */
export const UNANSWERED = "unanswered";

/** A doubt about money that an endpoint has not shown. */
export interface Doubt {
  /** The booked state when the doubt began. */
  readonly booked: string;
  /** The start of the doubt, by our clock. */
  readonly sinceMs: number;
  /** The time of the booking, by the later of our clock and the chain's. */
  readonly bookedByMs: number;
  /** The host of the endpoint of the first miss that counts. Before that, of the first miss. */
  readonly endpoint: string;
  /** The checkpoint time of the first miss that counts. Null if none counts yet. */
  readonly missedAtMs: number | null;
}

/**
 * The storage of a fund's doubts. A doubt takes minutes, and an instance may live for seconds.
 * All methods are synchronous. The caller wraps a change in a transaction.
 */
export interface DoubtStore {
  doubt(id: string): Doubt | null;
  putDoubt(id: string, doubt: Doubt): void;
  dropDoubt(id: string): void;
  /** Reads the latest stored time of the chain, by its own clock. 0 if none is stored. */
  chainMs(): number;
  setChainMs(chainMs: number): void;
}

/**
 * Judges booked money that an endpoint does not show. A lagging endpoint shows nothing younger than its checkpoint. So
 * a miss counts only by the time of its own checkpoint. That time may be a lie, so as much time must have passed by our
 * clock, too. Two misses that count, at different times, prove that the money does not exist. If several endpoints are
 * configured, the two must come from different ones, because one may have a broken index.
 */
export class MissingMoney {
  readonly #store: DoubtStore;
  readonly #endpointCount: number;
  #chainMs = 0;

  /** @param endpointCount the number of configured endpoints. */
  constructor(store: DoubtStore, endpointCount: number) {
    this.#store = store;
    this.#endpointCount = endpointCount;
  }

  /**
   * Returns the host of the endpoint whose miss no longer counts for this money.
   * Undefined if any endpoint's miss counts.
   */
  besides(id: string): string | undefined {
    const doubt = this.#endpointCount > 1 ? this.#store.doubt(id) : null;
    return doubt === null || doubt.missedAtMs === null ? undefined : doubt.endpoint;
  }

  /** Drops a doubt once an endpoint shows the money or effects write it. Earlier misses prove nothing then. */
  confirm(id: string): void {
    this.#store.dropDoubt(id);
  }

  /** Records the chain's time that an endpoint shows. */
  tell(height: Seen<unknown>, nowMs: number): void {
    this.#chainMs = Math.max(this.#knownMs(nowMs), credibleMs(height, nowMs));
    const keptMs = this.#store.chainMs();
    const isNews = Math.abs(this.#chainMs - keptMs) >= WORTH_KEEPING_AHEAD_MS;
    if (this.#chainMs >= nowMs + WORTH_KEEPING_AHEAD_MS && isNews) this.#store.setChainMs(this.#chainMs);
  }

  /**
   * Records a miss.
   *
   * @param booked the booked state of the money. A change of it starts a new doubt.
   * @returns the doubt if it is now proved that the money does not exist. Null if it is not proved yet.
   */
  disprove(id: string, booked: string, miss: Seen<unknown>, nowMs: number): Doubt | null {
    this.tell(miss, nowMs);
    const missMs = credibleMs(miss, nowMs);
    const byNowMs = Math.max(nowMs, this.#chainMs);
    const known = this.#store.doubt(id);
    const before = known?.booked === booked ? known : null;
    const doubt = before ?? { booked, sinceMs: nowMs, bookedByMs: byNowMs, endpoint: miss.endpoint, missedAtMs: null };
    // A clock that was ahead when the doubt began must not keep the doubt open.
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

  /** Returns the known time of the chain. Drops a lead that our clock allowed only while it was fast. */
  #knownMs(nowMs: number): number {
    return Math.min(Math.max(this.#chainMs, this.#store.chainMs()), nowMs + MAX_AHEAD_MS);
  }
}

function isSame(one: Doubt, other: Doubt): boolean {
  const { sinceMs, bookedByMs, missedAtMs } = other;
  return one.sinceMs === sinceMs && one.bookedByMs === bookedByMs && one.missedAtMs === missedAtMs;
}

function credibleMs({ timestampMs }: Seen<unknown>, nowMs: number): number {
  return Math.min(timestampMs, nowMs + MAX_AHEAD_MS);
}
