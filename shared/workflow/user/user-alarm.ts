import type { Clock } from "../../bindings/ports.ts";

/** An alarm that is later than this was lost. */
const LATE_MS = 10_000;
/** Wait after failed work. Its row is still due, so the next alarm would come at once, and so on without end. */
const RETRY_MS = 60_000;
/** The longest time for which anything is kept of a user, ms: a day of usage, and the next one. */
const LONGEST_WAIT_MS = 2 * 86_400_000;

/** Keeps the alarm of a user at the end of the oldest row. The rows determine that time, so no due table is needed. */
export class UserAlarm {
  readonly #storage: DurableObjectStorage;
  readonly #clock: Clock;
  /** Null if this instance does not know. */
  #armedAtMs: number | null = null;

  constructor(storage: DurableObjectStorage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /**
   * Arms the alarm, never in the past. An alarm that was lost, or that a fast clock has set too far ahead, is armed
   * anew.
   *
   * @param dueAtMs end of the oldest row. Null if there is none.
   * @param after whether the work of an alarm has just failed.
   */
  arm(dueAtMs: number | null, after: "work" | "failed_work" = "work"): void {
    if (dueAtMs === null) return;
    const nowMs = this.#clock.nowMs();
    const earliestMs = after === "failed_work" ? nowMs + RETRY_MS : nowMs;
    const atMs = Math.min(Math.max(dueAtMs, earliestMs), nowMs + LONGEST_WAIT_MS);
    const armedAtMs = this.#armedAtMs;
    if (armedAtMs !== null && armedAtMs <= atMs && armedAtMs >= nowMs - LATE_MS) return;
    this.#armedAtMs = atMs;
    void this.#storage.setAlarm(this.#clock.alarmAtMs(atMs));
  }

  /** Records that the alarm has fired, so that none is armed. */
  fired(): void {
    this.#armedAtMs = null;
  }
}
