import { inTime } from "../timing.ts";

/** A run starts no more work after this time, and no longer waits for what is under way. */
const RUN_MS = 5_000;
/** Answers that take twice the quickest time and this much more have waited for each other. */
const SLACK_MS = 50;
/** A slow answer takes so much of a place away, and a quick one adds a place. A busy machine makes some answers slow. */
const PLACE_LOST = 0.75;

/** The bounds of the number of look-ups under way at once. */
export interface PlaceBounds {
  readonly least: number;
  readonly most: number;
}

/** The end of a run. */
export interface RunEnd<Item> {
  /** False if some work has said that more of it is useless now. */
  readonly isUseful: boolean;
  /** The items whose work goes on after the run. */
  readonly slow: readonly Item[];
}

/**
 * Shares out the places of look-ups at a node, first come, first served. There are as many as do not slow each other
 * down: a platform that opens a few connections at once queues the others, and its callers wait behind them.
 */
export class LookUpPlaces {
  readonly #bounds: PlaceBounds;
  readonly #onLateFault: (error: unknown) => void;
  #atOnce: number;
  #taken = 0;
  #quickestMs = Number.POSITIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  /** @param onLateFault gets an error of work that went on after its run. */
  constructor(bounds: PlaceBounds, onLateFault: (error: unknown) => void) {
    this.#bounds = bounds;
    this.#onLateFault = onLateFault;
    this.#atOnce = bounds.least;
  }

  /** The number of look-ups that may be under way at once, as answers have been so far. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /**
   * Runs work over items, several at once. A free place takes the next item, so a slow one holds up no other.
   * After `RUN_MS` it begins no more and returns. Slow work goes on by itself then, and its result counts.
   *
   * @param work returns false if more work is useless now.
   * @throws the first error of any work within the run.
   */
  async run<Item>(items: readonly Item[], work: (item: Item) => Promise<boolean>): Promise<RunEnd<Item>> {
    // The first answers of a run have not waited for others. A node may have become slower since the last run.
    this.#quickestMs = Number.POSITIVE_INFINITY;
    const waiting = [...items];
    const underWay = new Set<Item>();
    let isUseful = true;
    let isOver = false;
    let isLate = false;
    const lane = async () => {
      while (!isOver && waiting.length > 0) {
        await this.#take();
        const item = isOver ? undefined : waiting.shift();
        try {
          if (item === undefined) return;
          underWay.add(item);
          const startedAtMs = performance.now();
          isUseful = (await work(item)) && isUseful;
          this.#note(performance.now() - startedAtMs);
          isOver ||= !isUseful;
        } catch (error) {
          isOver = true;
          throw error;
        } finally {
          if (item !== undefined) underWay.delete(item);
          this.#free();
        }
      }
    };
    const lanes = Array.from({ length: Math.min(items.length, this.#bounds.most) }, lane);
    const allDone = Promise.all(lanes);
    allDone.catch((error: unknown) => {
      if (isLate) this.#onLateFault(error);
    });
    await inTime(RUN_MS, allDone);
    isLate = underWay.size > 0;
    isOver = true;
    return { isUseful, slow: [...underWay] };
  }

  /** Fits the number of places to the time of an answer. */
  #note(tookMs: number): void {
    const { least, most } = this.#bounds;
    this.#quickestMs = Math.min(tookMs, this.#quickestMs);
    if (tookMs > 2 * this.#quickestMs + SLACK_MS) this.#atOnce = Math.max(least, this.#atOnce - PLACE_LOST);
    else if (this.#taken + 1 > this.#atOnce) this.#atOnce = Math.min(most, this.#atOnce + 1);
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

  /** Gives the place back, and hands free places over to those that wait. */
  #free(): void {
    this.#taken -= 1;
    for (; this.#taken + 1 <= this.#atOnce && this.#waiting.length > 0; this.#taken += 1) this.#waiting.shift()?.();
  }
}
