import type { Outcome } from "../../shared/errors.ts";

/** Stands in for the group commit of the service where the bench wants to see what that is worth. */
export class GroupCommit {
  readonly #commit: <T>(transition: () => T) => T;

  constructor(commit: <T>(transition: () => T) => T) {
    this.#commit = commit;
  }

  async run<T>(transition: () => Outcome<T>): Promise<Outcome<T>> {
    return this.#commit(transition);
  }
}
