import type { Clock } from "../bindings/ports.ts";
import { lags } from "./lag.ts";

const REMEMBERED_MS = 60_000;

/** Endpoints by URL, each with the time since which it is in the set. */
class Recent {
  readonly #sinceMs = new Map<string, number>();

  has(url: string): boolean {
    return isRecent(this.#sinceMs.get(url));
  }

  set(url: string, isAmongThem: boolean): void {
    if (isAmongThem) this.#sinceMs.set(url, performance.now());
    else this.#sinceMs.delete(url);
  }

  clear(): void {
    this.#sinceMs.clear();
  }
}

/**
 * The clock `performance.now()` steps with the wall clock on workerd. A clock that is set back must not turn a minute
 * into hours.
 */
function isRecent(sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && Math.abs(performance.now() - sinceMs) < REMEMBERED_MS;
}

/**
 * Remembers the endpoints of a network that hang, flood or lag, for a minute each or until they recover. Endpoints are
 * called in order. A bad one before a good one would cost every question a time-out, much memory or a second call.
 */
export class EndpointMemory {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #hanging = new Recent();
  readonly #flooding = new Recent();
  /** The duration of a submission can depend on the transaction, so it proves nothing about questions. */
  readonly #hangingOnSubmission = new Recent();
  /** The time since which an endpoint has answered nothing. */
  readonly #failingSinceMs = new Map<string, number>();
  readonly #behind = new Recent();
  /** The newest ledger time of endpoints that all lagged. */
  #newest: { readonly timeMs: number; readonly sinceMs: number } | null = null;

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** Returns the endpoints in their calling order: first those that are up to date, last those that hang or flood. */
  order(urls: readonly string[]): readonly string[] {
    const isSilent = (url: string) => this.hangs(url) || this.#flooding.has(url);
    const rank = (url: string) => (isSilent(url) ? 2 : this.#behind.has(url) ? 1 : 0);
    return urls.toSorted((one, other) => rank(one) - rank(other));
  }

  /**
   * Returns the calling order for a submission. Among equals in answers, endpoints that hang on submissions come last.
   */
  submissionOrder(urls: readonly string[]): readonly string[] {
    const hangs = (url: string) => this.#hangingOnSubmission.has(url);
    return this.order([...urls.filter((url) => !hangs(url)), ...urls.filter(hangs)]);
  }

  /** Records that the endpoint has answered a question in time and within bounds. */
  noteAnswer(url: string): void {
    this.#hanging.set(url, false);
    this.#flooding.set(url, false);
    this.#failingSinceMs.delete(url);
  }

  /** Records that the endpoint has not answered a question. */
  noteFault(url: string): void {
    if (!this.#failingSinceMs.has(url)) this.#failingSinceMs.set(url, performance.now());
  }

  /** Returns true if the endpoint has answered no question of any kind for a minute. */
  isDead(url: string): boolean {
    const sinceMs = this.#failingSinceMs.get(url);
    return sinceMs !== undefined && performance.now() - sinceMs >= REMEMBERED_MS;
  }

  /** Records that the endpoint has let a question time out. */
  noteHang(url: string): void {
    this.#hanging.set(url, true);
  }

  hangs(url: string): boolean {
    return this.#hanging.has(url);
  }

  /** Records that the endpoint has answered endlessly, while another one answered within bounds. */
  noteFlood(url: string): void {
    this.#flooding.set(url, true);
  }

  noteSubmission(url: string, how: "answered" | "hung"): void {
    this.#hangingOnSubmission.set(url, how === "hung");
  }

  /** Records the age of an endpoint's state. Returns `behind` if another endpoint must be called. */
  noteTime(url: string, timeMs: number): "current" | "behind" {
    const nowMs = this.#clock.nowMs();
    const newest = this.#newest !== null && isRecent(this.#newest.sinceMs) ? this.#newest.timeMs : nowMs;
    const isBehind = lags(timeMs, Math.min(nowMs, newest));
    this.#behind.set(url, isBehind);
    return isBehind ? "behind" : "current";
  }

  /**
   * Records that all answering endpoints lag behind our clock, which may be wrong, or that the chain stands still. For
   * a minute they are compared with the newest of them. Otherwise every question would call all of them.
   */
  noteAllBehind(newestTimeMs: number): void {
    this.#newest = { timeMs: newestTimeMs, sinceMs: performance.now() };
    this.#behind.clear();
  }
}
