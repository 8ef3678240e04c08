import type { Clock } from "../bindings/ports.ts";
import { lags } from "./lag.ts";

const REMEMBERED_MS = 60_000;

/** Endpoints by URL, and since when each is among them. */
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

/** On workerd, `performance.now()` steps with the wall clock. A clock that is set back must not make a minute hours. */
function isRecent(sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && Math.abs(performance.now() - sinceMs) < REMEMBERED_MS;
}

/**
 * Keeps the endpoints of a network that hang, flood or lag, for a minute each or until they do not. Endpoints are asked
 * in order. A bad one in front of a right one would cost every question its time-out, the memory of a reply without an
 * end, or a second call.
 */
export class EndpointMemory {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #hanging = new Recent();
  readonly #flooding = new Recent();
  /** The time of a submission can depend on the transaction, and says nothing of questions. */
  readonly #hangingOnSubmission = new Recent();
  /** Since when an endpoint has answered nothing. */
  readonly #failingSinceMs = new Map<string, number>();
  readonly #behind = new Recent();
  /** The newest of ledgers that were all behind. */
  #newest: { readonly timeMs: number; readonly sinceMs: number } | null = null;

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /**
   * The endpoints in the order in which to ask them: first those that are up to date, last those that hang or flood.
   */
  order(urls: readonly string[]): readonly string[] {
    const isSilent = (url: string) => this.hangs(url) || this.#flooding.has(url);
    const rank = (url: string) => (isSilent(url) ? 2 : this.#behind.has(url) ? 1 : 0);
    return urls.toSorted((one, other) => rank(one) - rank(other));
  }

  /** The same for a submission: of endpoints that are alike in answers, those come last that hang on submissions. */
  submissionOrder(urls: readonly string[]): readonly string[] {
    const hangs = (url: string) => this.#hangingOnSubmission.has(url);
    return this.order([...urls.filter((url) => !hangs(url)), ...urls.filter(hangs)]);
  }

  /** The endpoint has answered a question in time and within bounds. */
  noteAnswer(url: string): void {
    this.#hanging.set(url, false);
    this.#flooding.set(url, false);
    this.#failingSinceMs.delete(url);
  }

  /** The endpoint has not answered a question. */
  noteFault(url: string): void {
    if (!this.#failingSinceMs.has(url)) this.#failingSinceMs.set(url, performance.now());
  }

  /** True if the endpoint has answered no question of any kind for a minute. */
  isDead(url: string): boolean {
    const sinceMs = this.#failingSinceMs.get(url);
    return sinceMs !== undefined && performance.now() - sinceMs >= REMEMBERED_MS;
  }

  /** The endpoint has let a question time out. */
  noteHang(url: string): void {
    this.#hanging.set(url, true);
  }

  hangs(url: string): boolean {
    return this.#hanging.has(url);
  }

  /** The endpoint has answered without an end what another one has answered within bounds. */
  noteFlood(url: string): void {
    this.#flooding.set(url, true);
  }

  noteSubmission(url: string, how: "answered" | "hung"): void {
    this.#hangingOnSubmission.set(url, how === "hung");
  }

  /** Notes how old an endpoint's state is. `behind`: so old that another endpoint is to be asked. */
  noteTime(url: string, timeMs: number): "current" | "behind" {
    const nowMs = this.#clock.nowMs();
    const newest = this.#newest !== null && isRecent(this.#newest.sinceMs) ? this.#newest.timeMs : nowMs;
    const isBehind = lags(timeMs, Math.min(nowMs, newest));
    this.#behind.set(url, isBehind);
    return isBehind ? "behind" : "current";
  }

  /**
   * All endpoints that answer are behind our clock: it may be wrong, or the chain stands still. For a minute they are
   * compared with the newest of them. Otherwise every question would ask all of them.
   */
  noteAllBehind(newestTimeMs: number): void {
    this.#newest = { timeMs: newestTimeMs, sinceMs: performance.now() };
    this.#behind.clear();
  }
}
