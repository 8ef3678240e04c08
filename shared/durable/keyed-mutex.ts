/**
 * One at a time for each name: whoever comes while another is at it waits, and then finds what that one has left
 * behind. Lives in memory only; what must survive is in the record that the first one commits.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

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
