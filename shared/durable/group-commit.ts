import type { Outcome } from "../errors.ts";
import { refuseLate, refuseOverloaded } from "../http/overload.ts";
import { isDiskFault, refuseStorage } from "./disk-fault.ts";

/** One commit carries at most this many transitions, so that no transition waits long for the others. */
export const MAX_BATCH_ITEMS = 64;
/** Further callers are refused at once. They would wait longer than a retry takes. */
export const MAX_WAITING_ITEMS = 1_024;

/** The transition of one caller, with its type hidden. */
interface Item {
  /** Runs the transition, inside a commit. Returns the answer to give once that commit has held. */
  attempt(): () => void;
  reject(error: unknown): void;
  refuseStorage(): void;
}

/**
 * Commits the transitions of about the same time together. A commit costs a flush to disk, whatever its size.
 * Guarantees:
 *
 * - First in, first out. Each transition finds the state that earlier ones have left.
 * - A caller gets ok only for a transition of a commit that held.
 * - A transition that throws affects no other. Its batch is undone and run again, each item in its own commit. Only
 *   the failing item is rejected, with its own error.
 * - A transition that could not run within `START_LIMIT_MS` does not run any more. Its caller gets `overloaded`.
 * - A transition that the disk refuses is undone, and its caller gets `storage`. Others go on.
 * - If the commit itself throws, all its items and all waiting callers get `storage`. Nothing of theirs is stored. All
 *   later callers get `storage` too. Memory and disk may differ, and the owner of `commit` ends the object.
 *
 * It does not know the contents of the commits. A transition may run twice, so it must change only state that `commit`
 * undoes.
 */
export class GroupCommit {
  readonly #commit: <T>(transition: () => T) => T;
  readonly #nowMs: () => number;
  readonly #gatherMs: number;
  readonly #waiting: Item[] = [];
  #gathering = false;
  #failed = false;

  /**
   * @param commit runs a function in one storage transaction. It stores all changes, or none and throws the error.
   * @param gatherMs the time for which a transition waits for others, ms.
   */
  constructor(commit: <T>(transition: () => T) => T, nowMs: () => number, gatherMs = 0) {
    this.#commit = commit;
    this.#nowMs = nowMs;
    this.#gatherMs = gatherMs;
  }

  /**
   * Runs a transition in a commit.
   *
   * @returns the result of the transition; `overloaded` if too many wait already; `storage` if the commit failed.
   * @throws errors of the transition.
   */
  async run<T>(transition: () => Outcome<T>): Promise<Outcome<T>> {
    if (this.#failed) return refuseStorage();
    if (this.#waiting.length >= MAX_WAITING_ITEMS) return refuseOverloaded();
    const askedAtMs = this.#nowMs();
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        attempt: () => {
          const outcome = refuseLate(askedAtMs, this.#nowMs()) ?? transition();
          return () => resolve(outcome);
        },
        reject,
        refuseStorage: () => resolve(refuseStorage()),
      });
      this.#gather();
    });
  }

  /**
   * Waits for other calls. Only a timer admits them, a microtask would not. A lone caller waits about a millisecond, or
   * `gatherMs`. What waits behind a commit does not wait for others if it fills the next.
   */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    setTimeout(() => this.#flush(), this.#waiting.length < MAX_BATCH_ITEMS ? this.#gatherMs : 0);
  }

  #flush(): void {
    this.#gathering = false;
    const batch = this.#waiting.splice(0, MAX_BATCH_ITEMS);
    if (this.#waiting.length > 0) this.#gather();
    if (!this.#commitTogether(batch)) for (const item of batch) this.#commitTogether([item]);
  }

  /**
   * Returns false if one of several transitions threw. All of them are then undone, and no caller has been answered.
   */
  #commitTogether(items: readonly Item[]): boolean {
    if (this.#failed) this.#refuse(items);
    else {
      let attempted = false;
      try {
        const answers = this.#commit(() => {
          const given = items.map((item) => item.attempt());
          attempted = true;
          return given;
        });
        for (const answer of answers) answer();
      } catch (error) {
        if (!attempted && items.length > 1) return false;
        if (attempted) this.#refuse(items);
        else if (isDiskFault(error)) for (const item of items) item.refuseStorage();
        else for (const item of items) item.reject(error);
      }
    }
    return true;
  }

  #refuse(items: readonly Item[]): void {
    this.#failed = true;
    for (const item of [...items, ...this.#waiting.splice(0)]) item.refuseStorage();
  }
}
