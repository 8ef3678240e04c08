/** How many requests the runtime is given at once, and how long others wait for their turn. */
export interface DoorLimits {
  /** At work in the runtime. It has one thread, and serves the newest first where it has many. */
  readonly atWork: number;
  /** A request that has been in the runtime for this long waits for somebody else, a node say, and counts no longer. */
  readonly atWorkForMs: number;
  /** In the runtime altogether. */
  readonly inside: number;
  /** A burst waits this long for its turn. */
  readonly waitMs: number;
  /** Once somebody has waited ever since `waitMs` ago, nobody waits longer than this: those who are answered are answered soon. */
  readonly standingWaitMs: number;
}

export const DOOR_LIMITS: DoorLimits = {
  atWork: 96,
  atWorkForMs: 1_000,
  inside: 4_096,
  waitMs: 2_500,
  standingWaitMs: 500,
};

/** A request at the door. */
export interface Visitor {
  readonly arrivedAtMs: number;
  start(): void;
  refuse(): void;
}

/**
 * First come, first served, and nobody is served late: whoever could not start in time is refused, and nothing of them
 * has reached the runtime. Times are of a monotonic clock, in milliseconds.
 */
export class DoorQueue {
  readonly #limits: DoorLimits;
  readonly #nowMs: () => number;
  readonly #waiting = new Set<Visitor>();
  /** With the instant of their start, oldest first. */
  readonly #atWork = new Map<Visitor, number>();
  #inside = 0;
  #open = true;
  /** When last nobody waited. */
  #emptyAtMs: number;

  constructor(nowMs: () => number, limits: DoorLimits = DOOR_LIMITS) {
    this.#nowMs = nowMs;
    this.#limits = limits;
    this.#emptyAtMs = nowMs();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  arrive(visitor: Visitor): void {
    if (this.#waiting.size === 0) this.#emptyAtMs = this.#nowMs();
    this.#waiting.add(visitor);
    this.advance();
  }

  /** Has left while waiting, or is done. */
  leave(visitor: Visitor, hadStarted: boolean): void {
    this.#waiting.delete(visitor);
    this.#atWork.delete(visitor);
    if (hadStarted) this.#inside -= 1;
    this.advance();
  }

  /** While closed, nobody starts: the runtime is being started again. */
  setOpen(open: boolean): void {
    this.#open = open;
    this.advance();
  }

  /** Refuses who is late and starts who may. To be called now and then while somebody waits. */
  advance(): void {
    const nowMs = this.#nowMs();
    const { atWorkForMs, atWork, inside, waitMs, standingWaitMs } = this.#limits;
    for (const [visitor, startedAtMs] of this.#atWork) {
      if (nowMs - startedAtMs < atWorkForMs) break;
      this.#atWork.delete(visitor);
    }
    const mayWaitMs = nowMs - this.#emptyAtMs > waitMs ? standingWaitMs : waitMs;
    for (const visitor of this.#waiting) {
      if (nowMs - visitor.arrivedAtMs > mayWaitMs) {
        this.#waiting.delete(visitor);
        visitor.refuse();
        continue;
      }
      if (!this.#open || this.#atWork.size >= atWork || this.#inside >= inside) break;
      this.#waiting.delete(visitor);
      this.#atWork.set(visitor, nowMs);
      this.#inside += 1;
      visitor.start();
    }
    if (this.#waiting.size === 0) this.#emptyAtMs = nowMs;
  }
}
