import { answerAlarm, guardWork } from "../durable/alarm.ts";
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

  const failed = (kind: Work | null) => (error: unknown) =>
    deps.log("project.alarm_failed", { project: name, kind, error: String(error) });
  const parts = { due, clock: deps.clock };
  const guarded = (kind: Work, work: (nowMs: number) => void | Promise<void>) =>
    guardWork({ ...parts, logFailure: failed(kind) }, { kind, retryMs: RETRY_MS }, work);

  await answerAlarm({ ...parts, logFailure: failed(null) }, async () => {
    await guarded("deliver", () => sender.runDue());
    await guarded("announce", () => subscriptions.publish());
    await guarded("report", () => budget.report((event) => deliveries.raise(event)));
    await guarded("prune", (nowMs) => pruneDeliveries(project, nowMs));
    await guarded("wallet", (nowMs) => wallets.resolvePending(nowMs));
    await guarded("reseal", (nowMs) => sealed.runDue(nowMs));
  });
}
