import type { FundCore } from "../core.ts";
import { finishMove, hasRowsToMove, planMove } from "./move.ts";

const DAY_MS = 86_400_000;
/** The number of steps in one alarm. Other due work comes after them. */
const STEPS_AT_ONCE = 16;
/** The gap between two alarms while more rows wait to be moved. */
export const NEXT_MOVE_MS = 100;

/** Moves a fund's ended rows to the archives of their months, in steps. */
export class ArchiveMover {
  readonly #core: FundCore;

  constructor(core: FundCore) {
    this.#core = core;
  }

  /** Returns the time before which a row must have ended to leave. */
  #cutoffMs(): number {
    const { record } = this.#core;
    return this.#core.nowMs() - record.limits.retentionDays * DAY_MS;
  }

  /** Makes moving due if a row can move. */
  notice(): void {
    const core = this.#core;
    if (core.due.dueAt("archive", "") !== null) return;
    if (hasRowsToMove(core.store, this.#cutoffMs(), core.nowMs())) core.due.set("archive", "", core.nowMs());
  }

  /**
   * Moves some of the rows that are old enough, if that is due.
   *
   * @throws if an archive does not answer. The step under way is then repeated.
   */
  async runDue(): Promise<void> {
    const core = this.#core;
    if (core.due.listDue("archive", core.nowMs(), 1).length === 0) return;
    for (let step = 0; step < STEPS_AT_ONCE; step++) if (!(await this.#step())) return;
    core.due.set("archive", "", core.nowMs() + NEXT_MOVE_MS);
  }

  /** Makes one step. Returns false if no row could move, so that nothing is due any more. */
  async #step(): Promise<boolean> {
    const core = this.#core;
    const { store } = core;
    const cutoffMs = this.#cutoffMs();
    const move = core.commit(() => {
      const planned = planMove(store, cutoffMs, core.nowMs());
      if (planned === null) store.setDue("archive", "", null);
      return planned;
    });
    if (move === null) return false;
    for (const [month, batch] of move.batches) await core.archive(month).put(batch);
    core.commit(() => finishMove(store, move, { cutoffMs, nowMs: core.nowMs() }));
    return true;
  }
}
