import { type Outcome, refuse } from "../errors.ts";
import { refuseLate, refuseOverloaded } from "../http/overload.ts";
import { isDiskFault } from "./disk-fault.ts";

/** One commit carries at most this many transitions, so that none waits long for the others. */
export const MAX_BATCH_ITEMS = 64;
/** More callers than this are turned away at once: they would wait longer than it takes to come back. */
export const MAX_WAITING_ITEMS = 1_024;

/** One caller's transition, its type hidden. */
interface Item {
  /** Runs the transition, inside a commit. Returns the answer to give once that commit has held. */
  attempt(): () => void;
  reject(error: unknown): void;
  refuseStorage(): void;
}

/**
 * Collects the transitions that callers ask for at about the same time and commits them together: a commit costs a
 * flush to disk, whatever it holds. What it guarantees:
 *
 * - First in, first out: each transition finds what those before it have left.
 * - A caller hears ok only of a transition that is part of a commit that held.
 * - A transition that throws harms nobody else: its batch is undone and run again, each item in a commit of its own,
 *   and the bad one alone is rejected, with its own error.
 * - A transition that could not run within `START_LIMIT_MS` does not run any more, and its caller hears `overloaded`.
 * - A transition that the disk does not take is undone, and its caller hears `storage`. Others go on.
 * - Where the commit itself throws, every item in it and everyone who waits hears `storage`: nothing of theirs is
 *   stored. So does everyone who comes later: memory and disk may differ, and whoever commits ends the object.
 *
 * It knows nothing of what it commits. A transition may run twice, so it must change nothing but what `commit` undoes.
 */
export class GroupCommit {
  readonly #commit: <T>(transition: () => T) => T;
  readonly #nowMs: () => number;
  readonly #waiting: Item[] = [];
  #gathering = false;
  #failed = false;

  /** @param commit runs a function in one storage transaction: all of its changes, or none and the error. */
  constructor(commit: <T>(transition: () => T) => T, nowMs: () => number) {
    this.#commit = commit;
    this.#nowMs = nowMs;
  }

  /**
   * @returns what the transition returned; `overloaded` where too many wait already, `storage` where the commit failed.
   * @throws what the transition throws.
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

  /** Only a timer lets other calls in meanwhile; a microtask would not. Whoever is alone pays about a millisecond. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    setTimeout(() => this.#flush(), 0);
  }

  #flush(): void {
    this.#gathering = false;
    const batch = this.#waiting.splice(0, MAX_BATCH_ITEMS);
    if (this.#waiting.length > 0) this.#gather();
    if (!this.#commitTogether(batch)) for (const item of batch) this.#commitTogether([item]);
  }

  /** False where one of several transitions threw: then all of them are undone, and nobody has been answered. */
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

export function refuseStorage() {
  return refuse("storage", "the service could not store the call: nothing was sent, send it again");
}
