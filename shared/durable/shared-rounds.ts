/**
 * Runs one round of some work at a time. All callers during a round share the next one. The current one may already
 * have passed the state that they need.
 */
export class SharedRounds<T> {
  readonly #work: () => Promise<T>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | null = null;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  run(): Promise<T> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  #begin(): Promise<T> {
    const begin = () => {
      this.#next = null;
      return this.#work();
    };
    const next = this.#last.then(begin, begin);
    this.#last = next;
    return next;
  }
}
