import type { Clock } from "../bindings/ports.ts";
import { lags } from "./lag.ts";

const REMEMBERED_MS = 60_000;

/** Endpoints by URL, and since when each is among them. By the platform's monotonic clock, which nobody sets. */
class Recent {
  readonly #sinceMs = new Map<string, number>();

  has(url: string): boolean {
    return isRecent(this.#sinceMs.get(url));
  }

  set(url: string, isAmongThem: boolean): void {
    if (isAmongThem) this.#sinceMs.set(url, performance.now());
    else this.#sinceMs.delete(url);
  }
}

function isRecent(sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && performance.now() - sinceMs < REMEMBERED_MS;
}

/**
 * Which endpoints of a network hang, flood or lag, for a minute each. A list of endpoints is asked in order, so that one
 * in front of a right one would cost every question its time-out, the memory of a reply without an end, or a second call.
 */
export class EndpointMemory {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #silent = new Recent();
  readonly #behind = new Recent();
  /** The newest of ledgers that were all behind. */
  #newest: { readonly timeMs: number; readonly sinceMs: number } | null = null;

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** The endpoints in the order in which to ask them: first those that are up to date, last those that hang. */
  order(urls: readonly string[]): readonly string[] {
    const rank = (url: string) => (this.#silent.has(url) ? 2 : this.#behind.has(url) ? 1 : 0);
    return urls.toSorted((one, other) => rank(one) - rank(other));
  }

  /** The endpoint has let a question time out, or has flooded it. */
  noteSilent(url: string): void {
    this.#silent.set(url, true);
  }

  isSilent(url: string): boolean {
    return this.#silent.has(url);
  }

  /** Notes and tells whether the state that an endpoint shows is so old that another endpoint is to be asked. */
  noteTime(url: string, timeMs: number): "current" | "behind" {
    const nowMs = this.#clock.nowMs();
    const newest = this.#newest !== null && isRecent(this.#newest.sinceMs) ? this.#newest.timeMs : nowMs;
    const isBehind = lags(timeMs, Math.min(nowMs, newest));
    this.#behind.set(url, isBehind);
    return isBehind ? "behind" : "current";
  }

  /**
   * All endpoints are behind our clock: it may be wrong, or the chain stands still. For a minute they are compared with
   * the newest of them, so that not every question asks all of them.
   */
  noteAllBehind(newestTimeMs: number): void {
    this.#newest = { timeMs: newestTimeMs, sinceMs: performance.now() };
  }
}
