/** How many requests the runtime is given at once, and how long others wait for their turn. */
export interface DoorLimits {
  /** At work in the runtime. It has one thread: what more would wait there waits at the door, where it can be refused. */
  readonly atWork: number;
  /** A request that has been in the runtime for this long waits for somebody else, a node say, and counts no longer. */
  readonly atWorkForMs: number;
  /** In the runtime altogether. */
  readonly inside: number;
  /** Of a burst, those wait who can start within this time. */
  readonly waitMs: number;
  /** If somebody has waited ever since `waitMs` ago, only those wait who can start within this time. */
  readonly standingWaitMs: number;
  /** Nobody starts later than this, whatever was foreseen. */
  readonly lateMs: number;
  /** So many may wait in any case, so that the runtime never runs out of work. */
  readonly leastWaiting: number;
  /** Refused in one go for having waited too long. A door that refuses thousands at once serves nobody meanwhile. */
  readonly refusedAtOnce: number;
}

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

/** How often the pace of the runtime is measured anew. */
const PACE_MS = 250;

/** A request at the door. */
export interface QueuedRequest {
  readonly arrivedAtMs: number;
  start(): void;
  refuse(): void;
}

/**
 * First come, first served, and nobody is served late. Who could not start in time at the runtime's present pace is
 * refused on arrival; who could not after all, because the pace fell, is refused then. Nothing of them has reached the
 * runtime. Times are of a monotonic clock, in milliseconds.
 */
export class DoorQueue {
  readonly #limits: DoorLimits;
  readonly #nowMs: () => number;
  readonly #isBehind: () => boolean;
  readonly #waiting = new Set<QueuedRequest>();
  /** Have waited too long, and have not been told so yet. */
  readonly #late = new Set<QueuedRequest>();
  /** In the runtime. */
  readonly #inside = new Set<QueuedRequest>();
  /** Those of them that count as work, with the instant of their start, oldest first. */
  readonly #atWork = new Map<QueuedRequest, number>();
  #open = true;
  /** When last a request could start at once. */
  #freeAtMs: number;
  /** Starts while somebody waited, since then. */
  #starts = 0;
  #countedFromMs: number;
  /** Starts in a millisecond; null: somebody has not waited for long enough to tell. */
  #pace: number | null = null;

  /** @param isBehind whether the runtime is behind with what it has: then whoever is in it waits for it, and counts as work. */
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

  /** Whether it matters how busy the runtime is. */
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

  /** Has left while waiting, or is done. */
  leave(visitor: QueuedRequest): void {
    for (const place of [this.#waiting, this.#late, this.#inside, this.#atWork]) place.delete(visitor);
    this.#startNext(this.#nowMs());
  }

  /** While closed, nobody starts: the runtime is being started again. */
  setOpen(open: boolean): void {
    const nowMs = this.#nowMs();
    this.#open = open;
    // What started before says nothing of the new runtime.
    this.#forgetPace(nowMs);
    this.#startNext(nowMs);
  }

  /** Refuses who is late, some at a time, and starts who may. To be called now and then. */
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

  /** By Little's law: who comes waits for as long as it takes to start all who wait before. */
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
    // Where nobody waits, starts say what was asked for, not what can be done.
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
