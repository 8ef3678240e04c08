import type { Deps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { answerAlarm } from "../durable/alarm.ts";
import { DUE_TABLE, DueTable } from "../durable/due-table.ts";
import { runServiceRound } from "./service-round.ts";

/** Version 5: the next round of the directory's own alarm. */
export const ROUND_MIGRATION_5 = DUE_TABLE;

/** Due row: the next round over every project and fund. */
const ROUND = "round";
/** The interval of rounds without crons. */
const ROUND_INTERVAL_MS = 300_000;
/** A cron fires every five minutes. Its report may come later by this before the alarm does the round. */
const CRON_AWAITED_MS = 60_000;
const LONGEST_INTERVAL_MS = ROUND_INTERVAL_MS + CRON_AWAITED_MS;
/** A round that is so late shows that the service was off. */
const PAUSE_MS = 300_000;
/** The alarms of all objects fire together after a pause. Their waiting work must not count as overdue. */
const AFTER_PAUSE_MS = 60_000;

/**
 * Runs the rounds of the cron if nothing fires crons, as on own machines. Each report of a cron postpones the next of
 * these rounds. So if crons run, the alarm has nothing to do.
 */
export class RoundAlarm {
  readonly #env: Env;
  readonly #deps: Deps;
  readonly #due: DueTable;
  #isRunning = false;

  constructor(storage: DurableObjectStorage, env: Env, deps: Deps) {
    this.#env = env;
    this.#deps = deps;
    const alarmAtMs = (atMs: number) => deps.clock.alarmAtMs(atMs);
    this.#due = new DueTable(storage, alarmAtMs, { [ROUND]: LONGEST_INTERVAL_MS });
    if (this.#hasService && this.#due.dueAt(ROUND, "") === null) this.putOff();
    this.#due.rearm();
  }

  /** Workflows that are deployed apart have no funds. */
  get #hasService(): boolean {
    return this.#deps.config.service !== null;
  }

  /** Makes the next round due after one that is reported. It is called in the commit of the report. */
  putOff(): void {
    if (!this.#hasService) return;
    const intervalMs = this.#isRunning ? ROUND_INTERVAL_MS : LONGEST_INTERVAL_MS;
    this.#due.set(ROUND, "", this.#deps.clock.nowMs() + intervalMs);
  }

  /** Arms an alarm again that was lost. Reads nothing if none was. */
  rearm(): void {
    this.#due.rearmIfOverdue(this.#deps.clock.nowMs());
  }

  /** Returns how late the next round is, ms. 0 if it is not. */
  lateMs(): number {
    return this.#due.lateMs(this.#deps.clock.nowMs());
  }

  /** Answers an alarm. The next round is due before this one begins, so that a process that dies in it loses no other. */
  async run(): Promise<void> {
    const { clock, log } = this.#deps;
    const logFailure = (error: unknown) => log("service.round_failed", { error: String(error) });
    await answerAlarm({ due: this.#due, clock, logFailure }, async () => {
      const nowMs = clock.nowMs();
      if (this.#due.listDue(ROUND, nowMs, 1).length === 0) return;
      if (this.#due.lateMs(nowMs) > PAUSE_MS) this.#due.set(ROUND, "", nowMs + AFTER_PAUSE_MS);
      else await this.#round();
    });
  }

  async #round(): Promise<void> {
    if (!this.#hasService) {
      this.#due.set(ROUND, "", null);
      return;
    }
    this.#isRunning = true;
    try {
      this.putOff();
      await runServiceRound(this.#env, this.#deps);
    } finally {
      this.#isRunning = false;
    }
  }
}
