/**
 * One round of some work at a time. Whoever asks while a round is under way shares the next one with all others who do:
 * the one under way may have passed already what they ask for.
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
