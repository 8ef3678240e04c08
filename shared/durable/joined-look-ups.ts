import type { Outcome, Refusal } from "../errors.ts";
import { sleep } from "../timing.ts";

interface Waiting<T> {
  readonly name: string;
  readonly answer: PromiseWithResolvers<Outcome<T>>;
}

/** Bounds the cost of one kind of look-up. */
export interface LookUpBounds {
  /** Names of one batch. */
  readonly batchNames: number;
  /** Pause between two batches, ms. */
  readonly gapMs: number;
  /** Names that wait. A call beyond them is refused. */
  readonly waitingNames: number;
}

/**
 * Looks names up in batches, one batch after another. A caller names anything at no cost. So calls of one name share an
 * answer, and the number of waiting calls is bounded.
 */
export class JoinedLookUps<T> {
  readonly #bounds: LookUpBounds;
  readonly #ask: (names: readonly string[]) => Promise<readonly Outcome<T>[]>;
  readonly #refuseFull: () => { readonly ok: false; readonly error: Refusal };
  #waiting: Waiting<T>[] = [];
  readonly #underWay = new Map<string, Promise<Outcome<T>>>();
  #isRunning = false;

  /**
   * @param ask answers each name of a batch, in their order. A fault of it is the fault of each of its calls.
   * @param refuseFull refuses a call if too many names wait.
   */
  constructor(
    bounds: LookUpBounds,
    ask: (names: readonly string[]) => Promise<readonly Outcome<T>[]>,
    refuseFull: () => { readonly ok: false; readonly error: Refusal },
  ) {
    this.#bounds = bounds;
    this.#ask = ask;
    this.#refuseFull = refuseFull;
  }

  /** Looks a name up. @returns the answer of the batch that has the name, or the refusal of a call too many. */
  find(name: string): Promise<Outcome<T>> {
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    if (this.#waiting.length >= this.#bounds.waitingNames) return Promise.resolve(this.#refuseFull());
    const answer = Promise.withResolvers<Outcome<T>>();
    this.#underWay.set(name, answer.promise);
    this.#waiting.push({ name, answer });
    if (!this.#isRunning) void this.#run();
    return answer.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#waiting.length > 0) {
        // Calls that arrive together share the first batch.
        await sleep(0);
        await this.#answer(this.#waiting.splice(0, this.#bounds.batchNames));
        if (this.#bounds.gapMs > 0) await sleep(this.#bounds.gapMs);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #answer(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      const answers = await this.#ask(batch.map(({ name }) => name));
      for (const [index, { name, answer }] of batch.entries()) {
        const answered = answers[index];
        if (answered === undefined) throw new Error(`${name} has no answer`);
        answer.resolve(answered);
      }
    } catch (error) {
      // Answers that are already resolved stay so.
      for (const { answer } of batch) answer.reject(error);
    } finally {
      for (const { name } of batch) this.#underWay.delete(name);
    }
  }
}
