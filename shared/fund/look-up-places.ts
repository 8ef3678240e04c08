import { inTime } from "../timing.ts";

/** The time after which a run starts no more work, and no longer waits for the work under way. */
const RUN_MS = 5_000;
/** An answer that takes more than twice the quickest time and this has waited for others. */
const SLACK_MS = 50;
/**
 * A slow answer takes this part of a place away, and a quick one adds a place. A busy machine makes some answers slow.
 */
const PLACE_LOST = 0.75;
/** The time for which a run begins nothing after a late `false`. Any answer ends the wait early. */
const USELESS_MS = 5_000;

/** The bounds of the number of look-ups under way at once. */
export interface PlaceBounds {
  readonly least: number;
  readonly most: number;
}

/** The end of a run. */
export interface RunEnd<Item> {
  /**
   * False if some work has reported that more of it is useless now. Slow work of an earlier run may have reported it.
   */
  readonly isUseful: boolean;
  /** The items whose work continues after the run. */
  readonly slow: readonly Item[];
}

/**
 * Shares out the places of look-ups at a node, first come, first served. Their number is as high as possible without
 * look-ups slowing each other down. A platform that opens a few connections at a time queues the others, and its
 * callers wait behind them.
 */
export class LookUpPlaces {
  readonly #bounds: PlaceBounds;
  readonly #onLateFault: (error: unknown) => void;
  #atOnce: number;
  #taken = 0;
  /** Counts the work that has given its place back and goes on. */
  #following = 0;
  #quickestMs = Number.POSITIVE_INFINITY;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #uselessUntilMs = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  /** @param onLateFault receives an error of work that continued after its run. */
  constructor(bounds: PlaceBounds, onLateFault: (error: unknown) => void) {
    this.#bounds = bounds;
    this.#onLateFault = onLateFault;
    this.#atOnce = bounds.least;
  }

  /** The number of look-ups that may be under way at the same time, by the answers so far. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /**
   * Runs work over items, several at a time. A free place takes the next item, so a slow one delays no other. After
   * `RUN_MS` it begins no more and returns. Slow work then continues by itself, and its result counts. A late `false`
   * ends the runs under way, and those that begin soon after it.
   *
   * @param work returns false if more work is useless now. `answered` gives its place back before its end, because what
   *   follows waits for no node. All runs together have at most `most` of the bounds in such work. Further work
   *   keeps its place.
   * @param most the most items at once, with those that have given their place back. If absent, `most` of the bounds.
   * @throws the first error of any work within the run.
   */
  async run<Item>(
    items: readonly Item[],
    work: (item: Item, answered: () => void) => Promise<boolean>,
    most = this.#bounds.most,
  ): Promise<RunEnd<Item>> {
    // The first answers of a run have not waited for others. A node may have become slower since the last run.
    this.#quickestMs = Number.POSITIVE_INFINITY;
    const waiting = [...items];
    const underWay = new Set<Item>();
    let isUseful = true;
    let isOver = false;
    let hasEnded = false;
    const lane = async () => {
      while (!isOver && waiting.length > 0) {
        await this.#take();
        if (!isOver && this.#isUseless()) {
          isUseful = false;
          isOver = true;
        }
        const item = isOver ? undefined : waiting.shift();
        const place = this.#enter(() => hasEnded);
        try {
          if (item === undefined) return;
          underWay.add(item);
          const isStillUseful = await work(item, place.answered);
          place.end(isStillUseful);
          isUseful &&= isStillUseful;
          isOver ||= !isUseful;
        } catch (error) {
          isOver = true;
          throw error;
        } finally {
          if (item !== undefined) underWay.delete(item);
          place.end(null);
        }
      }
    };
    const lanes = Array.from({ length: Math.min(items.length, most) }, lane);
    const allDone = Promise.all(lanes);
    allDone.catch((error: unknown) => {
      if (hasEnded) this.#onLateFault(error);
    });
    await inTime(RUN_MS, allDone);
    hasEnded = underWay.size > 0;
    isOver = true;
    return { isUseful, slow: [...underWay] };
  }

  /** Does one piece of work in a place, once one is free. The result does not change the number of places. */
  async inPlace<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#take();
    try {
      return await work();
    } finally {
      this.#free();
    }
  }

  /** Begins work in a taken place. Ends it with its result, or with null if it has none. Further ends do nothing. */
  #enter(isLate: () => boolean): { answered(): void; end(isUseful: boolean | null): void } {
    const startedAtMs = performance.now();
    let [isPlaced, isFollowing] = [true, false];
    const leave = (isUseful: boolean | null) => {
      if (!isPlaced) return;
      isPlaced = false;
      if (isUseful !== null) this.#note(startedAtMs, isUseful, isLate());
      this.#free();
    };
    return {
      answered: () => {
        if (!isPlaced || this.#following >= this.#bounds.most) return;
        isFollowing = true;
        this.#following += 1;
        leave(true);
      },
      end: (isUseful) => {
        leave(isUseful);
        if (isFollowing) this.#following -= 1;
        isFollowing = false;
      },
    };
  }

  /** True while a late `false` counts. */
  #isUseless(): boolean {
    return performance.now() < this.#uselessUntilMs;
  }

  /** Adjusts the number of places to an answer. A time-out is not an answer: it adds no place, and measures nothing. */
  #note(startedAtMs: number, isUseful: boolean, isLate: boolean): void {
    const nowMs = performance.now();
    const tookMs = nowMs - startedAtMs;
    // Work that takes as long as a run may have timed out, even if it returned a result.
    const isAnswer = isUseful && tookMs < RUN_MS;
    if (isAnswer) {
      this.#answeredAtMs = nowMs;
      this.#uselessUntilMs = Number.NEGATIVE_INFINITY;
      this.#quickestMs = Math.min(tookMs, this.#quickestMs);
      // If the node has answered other work in this time, this work has failed alone.
    } else if (!isUseful && isLate && this.#answeredAtMs <= startedAtMs) this.#uselessUntilMs = nowMs + USELESS_MS;
    const { least, most } = this.#bounds;
    const isSlow = tookMs > 2 * this.#quickestMs + SLACK_MS;
    if (!isAnswer || isSlow) this.#atOnce = Math.max(least, this.#atOnce - PLACE_LOST);
    else if (!isLate && this.#taken + 1 > this.#atOnce) this.#atOnce = Math.min(most, this.#atOnce + 1);
  }

  #take(): Promise<void> {
    if (this.#taken + 1 <= this.#atOnce) {
      this.#taken += 1;
      return Promise.resolve();
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    return turn.promise;
  }

  /** Gives the place back, and passes free places to waiting work. */
  #free(): void {
    this.#taken -= 1;
    for (; this.#taken + 1 <= this.#atOnce && this.#waiting.length > 0; this.#taken += 1) this.#waiting.shift()?.();
  }
}
