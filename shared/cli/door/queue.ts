/** Limits of the requests in the runtime, and of the wait of others. */
export interface DoorLimits {
  /** Requests at work in the runtime. It has one thread. Further ones wait at the door, where they can be refused. */
  readonly atWork: number;
  /**
   * A request that has been in the runtime for this long waits for another party, such as a node. It no longer counts
   * as work.
   */
  readonly atWorkForMs: number;
  /** Requests in the runtime altogether. */
  readonly inside: number;
  /** Requests of a burst wait if they can start within this time. */
  readonly waitMs: number;
  /** If requests have waited without a pause for `waitMs`, only those wait that can start within this time. */
  readonly standingWaitMs: number;
  /** The latest start of a request, for any forecast. */
  readonly lateMs: number;
  /** The number that may wait in any case, so that the runtime never runs out of work. */
  readonly leastWaiting: number;
  /** The number of late requests that are refused in one go. Refusing thousands at once would block all others. */
  readonly refusedAtOnce: number;
}

/** The limits in use. */
export const DOOR_LIMITS: DoorLimits = {
  atWork: 32,
  atWorkForMs: 250,
  inside: 4_096,
  waitMs: 1_500,
  standingWaitMs: 500,
  lateMs: 2_000,
  leastWaiting: 32,
  refusedAtOnce: 512,
};

/** Interval between measurements of the runtime's pace. */
const PACE_MS = 250;

/** A request at the door. */
export interface QueuedRequest {
  readonly arrivedAtMs: number;
  start(): void;
  refuse(): void;
}

/**
 * Queues requests: first come, first served, and none late. A request that cannot start in time at the runtime's
 * present pace is refused on arrival. If the pace falls, waiting requests that become late are refused then. No part
 * of a refused request has reached the runtime. Times are of a monotonic clock, in milliseconds.
 */
export class DoorQueue {
  readonly #limits: DoorLimits;
  readonly #nowMs: () => number;
  readonly #isBehind: () => boolean;
  readonly #waiting = new Set<QueuedRequest>();
  /** Requests that have waited too long and are not refused yet. */
  readonly #late = new Set<QueuedRequest>();
  /** Requests in the runtime. */
  readonly #inside = new Set<QueuedRequest>();
  /** The requests in the runtime that count as work, with the time of their start, oldest first. */
  readonly #atWork = new Map<QueuedRequest, number>();
  #open = true;
  /** The last time at which a request could start at once. */
  #freeAtMs: number;
  /** Starts since then, while requests waited. */
  #starts = 0;
  #countedFromMs: number;
  /** Starts in a millisecond. Null if requests have not waited for long enough to measure it. */
  #pace: number | null = null;

  /** @param isBehind returns whether the runtime is behind. Its requests then wait for it, and count as work. */
  constructor(nowMs: () => number, isBehind: () => boolean, limits: DoorLimits = DOOR_LIMITS) {
    this.#nowMs = nowMs;
    this.#isBehind = isBehind;
    this.#limits = limits;
    this.#freeAtMs = nowMs();
    this.#countedFromMs = this.#freeAtMs;
  }

  get waiting(): number {
    return this.#waiting.size + this.#late.size;
  }

  /** Returns true if the load of the runtime matters now. */
  get hasWork(): boolean {
    return this.#atWork.size > 0 || this.#waiting.size > 0;
  }

  arrive(visitor: QueuedRequest): void {
    const nowMs = this.#nowMs();
    if (this.#waiting.size >= this.#mostWaiting(nowMs)) {
      visitor.refuse();
      return;
    }
    this.#waiting.add(visitor);
    this.#startNext(nowMs);
  }

  /** Removes a request that left while waiting, or is done. */
  leave(visitor: QueuedRequest): void {
    for (const place of [this.#waiting, this.#late, this.#inside, this.#atWork]) place.delete(visitor);
    this.#startNext(this.#nowMs());
  }

  /** Opens or closes the door. No request starts while it is closed, because the runtime restarts. */
  setOpen(open: boolean): void {
    const nowMs = this.#nowMs();
    this.#open = open;
    // Earlier starts prove nothing about the new runtime.
    this.#forgetPace(nowMs);
    this.#startNext(nowMs);
  }

  /** Refuses late requests, some at a time, and starts those that may start. It is called periodically. */
  advance(): void {
    this.#startNext(this.#nowMs());
    let left = this.#limits.refusedAtOnce;
    for (const visitor of this.#late) {
      if (left === 0) break;
      left -= 1;
      this.#late.delete(visitor);
      visitor.refuse();
    }
  }

  /** Returns how many may wait, by Little's law: a new request waits until all earlier ones have started. */
  #mostWaiting(nowMs: number): number {
    const { waitMs, standingWaitMs, leastWaiting } = this.#limits;
    if (!this.#open) return Number.POSITIVE_INFINITY;
    const mayWaitMs = nowMs - this.#freeAtMs > waitMs ? standingWaitMs : waitMs;
    const pastMs = nowMs - this.#countedFromMs;
    if (pastMs >= PACE_MS) {
      const pace = this.#starts / pastMs;
      this.#pace = this.#pace === null ? pace : (this.#pace + pace) / 2;
      this.#starts = 0;
      this.#countedFromMs = nowMs;
    }
    return this.#pace === null ? Number.POSITIVE_INFINITY : Math.max(leastWaiting, this.#pace * mayWaitMs);
  }

  #startNext(nowMs: number): void {
    this.#discountSlow(nowMs);
    const { lateMs } = this.#limits;
    for (const visitor of this.#waiting) {
      const isLate = nowMs - visitor.arrivedAtMs > lateMs;
      if (!isLate && !this.#hasPlace()) return;
      this.#waiting.delete(visitor);
      if (isLate) this.#late.add(visitor);
      else this.#start(visitor, nowMs);
    }
    if (!this.#hasPlace()) return;
    this.#freeAtMs = nowMs;
    // Starts without waiting requests measure the demand and not the pace.
    this.#forgetPace(nowMs);
  }

  #hasPlace(): boolean {
    const { atWork, inside } = this.#limits;
    return this.#open && this.#atWork.size < atWork && this.#inside.size < inside;
  }

  #start(visitor: QueuedRequest, nowMs: number): void {
    this.#inside.add(visitor);
    this.#atWork.set(visitor, nowMs);
    this.#starts += 1;
    visitor.start();
  }

  #discountSlow(nowMs: number): void {
    for (const [visitor, startedAtMs] of this.#atWork) {
      if (nowMs - startedAtMs < this.#limits.atWorkForMs || this.#isBehind()) break;
      this.#atWork.delete(visitor);
    }
  }

  #forgetPace(nowMs: number): void {
    this.#pace = null;
    this.#starts = 0;
    this.#countedFromMs = nowMs;
  }
}
