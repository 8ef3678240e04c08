import { isDiskFault } from "../durable/disk-fault.ts";
import { GroupCommit } from "../durable/group-commit.ts";
import type { Outcome } from "../errors.ts";
import type { ProjectParts } from "./parts.ts";

/** Commits changes of a project: each by itself, or together with those that arrive at the same time. */
export class ProjectCommits {
  readonly #parts: ProjectParts;
  readonly #group: GroupCommit;

  /** @param abort ends this instance of the object. */
  constructor(parts: ProjectParts, abort: (reason: string) => void) {
    this.#parts = parts;
    this.#group = new GroupCommit(
      (transitions) => this.#commitGroup(transitions, abort),
      // This clock measures the wait of a call here. Nothing can set it back.
      () => performance.now(),
    );
  }

  /** Runs a change in a commit of its own. @throws Error if the project has moved; errors of the change. */
  alone<T>(change: (nowMs: number) => T): T {
    const { storage, deps, transfer } = this.#parts;
    transfer.requireOpen();
    return storage.transactionSync(() => change(deps.clock.nowMs()));
  }

  /**
   * Runs a change in one commit with those of other calls. It may run twice, and changes only storage.
   *
   * @returns refusals of the change; `overloaded` if too many wait, or it waited too long; `storage` if the disk takes
   *   no more. @throws as `alone`.
   */
  async together<T>(change: (nowMs: number) => Outcome<T>): Promise<Outcome<T>> {
    // A refused call changes nothing, so no commit fails for it.
    this.#parts.transfer.requireOpen();
    return this.#group.run(() => {
      // A call that waited while the project was closed must not change rows that are being copied.
      this.#parts.transfer.requireOpen();
      return change(this.#parts.deps.clock.nowMs());
    });
  }

  #commitGroup<T>(transitions: () => T, abort: (reason: string) => void): T {
    let decided = false;
    try {
      return this.#parts.storage.transactionSync(() => {
        const answers = transitions();
        decided = true;
        return answers;
      });
    } catch (error) {
      // The rows are rolled back, and the alarm with them.
      this.#rearmAfterFault();
      if (decided) setTimeout(() => abort("a commit failed: this instance starts anew"), 0);
      throw error;
    }
  }

  /**
   * Arms the alarm again, but not that of a closed project. A disk fault here must not hide the first error. The next
   * call arms an overdue alarm.
   */
  #rearmAfterFault(): void {
    const { due, transfer } = this.#parts;
    try {
      if (transfer.isOpen) due.rearm();
    } catch (error) {
      if (!isDiskFault(error)) throw error;
    }
  }
}
