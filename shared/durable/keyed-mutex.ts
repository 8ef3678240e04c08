/**
 * Runs work for one key at a time, in order. The next work finds the state that the work before it has left. The order
 * is kept only in memory.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs work after all earlier work of the same name, also after failed work. @throws errors of the work. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(work);
    this.#last.set(name, turn);
    const leave = () => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    };
    turn.then(leave, leave);
    return turn;
  }
}
