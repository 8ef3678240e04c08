import type { AssembledProject } from "./assemble.ts";
import { RETRY_MS } from "./parts.ts";
import { pruneDeliveries } from "./pruning.ts";

/** Kinds of due rows that the alarm works on. */
type Work = "deliver" | "announce" | "report" | "prune" | "wallet" | "reseal";

/**
 * Does the due work of a project, and arms the next alarm.
 *
 * @param name name of the object, for the log. Null if the platform does not give it.
 */
export async function runAlarm(project: AssembledProject, name: string | null): Promise<void> {
  const { due, deps, budget, deliveries, sender, subscriptions, wallets, sealed } = project;

  /** Logs failed work and makes it due again. It never stops the other work. */
  async function guarded(kind: Work, work: (nowMs: number) => void | Promise<void>): Promise<void> {
    const nowMs = deps.clock.nowMs();
    try {
      await work(nowMs);
    } catch (error) {
      deps.log("project.alarm_failed", { project: name, kind, error: String(error) });
      due.postpone(kind, nowMs, nowMs + RETRY_MS);
    }
  }

  due.beginAlarm();
  try {
    await guarded("deliver", () => sender.runDue());
    await guarded("announce", () => subscriptions.publish());
    await guarded("report", () => budget.report((event) => deliveries.raise(event)));
    await guarded("prune", (nowMs) => pruneDeliveries(project, nowMs));
    await guarded("wallet", (nowMs) => wallets.resolvePending(nowMs));
    await guarded("reseal", (nowMs) => sealed.runDue(nowMs));
  } finally {
    due.endAlarm(deps.clock.nowMs());
  }
}
