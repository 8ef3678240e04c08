import type { Clock } from "../bindings/ports.ts";
import type { DueTable } from "./due-table.ts";

/** The parts of an object that its alarm works with. */
export interface AlarmParts {
  readonly due: DueTable;
  readonly clock: Clock;
  /** Logs failed work, under a name of the object's own. */
  readonly logFailure: (error: unknown) => void;
}

/**
 * Answers an alarm: does the work, and arms the next alarm. It never throws, because the platform drops an alarm that
 * threw six times. A failure is logged.
 */
export async function answerAlarm({ due, clock, logFailure }: AlarmParts, work: () => Promise<void>): Promise<void> {
  due.beginAlarm();
  try {
    await work();
  } catch (error) {
    logFailure(error);
  } finally {
    due.endAlarm(clock.nowMs());
  }
}

/**
 * Does the due work of one kind. A failure is logged and makes it due again later. So it never stops the other work of
 * an alarm.
 *
 * @param retryMs wait until the next attempt.
 */
export async function guardWork(
  { due, clock, logFailure }: AlarmParts,
  { kind, retryMs }: { readonly kind: string; readonly retryMs: number },
  work: (nowMs: number) => void | Promise<void>,
): Promise<void> {
  const nowMs = clock.nowMs();
  try {
    await work(nowMs);
  } catch (error) {
    logFailure(error);
    due.postpone(kind, nowMs, nowMs + retryMs);
  }
}
