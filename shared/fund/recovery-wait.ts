import type { FundCore } from "./core.ts";
import { isRecovering } from "./recovery.ts";

/** The most characters of a reason, which may contain a node's own text. */
const MAX_REASON_CHARACTERS = 500;

/** Ids or digests that a reason names. */
const NAMED = 3;

/** Names the first of several ids or digests. */
export function someOf(names: readonly string[]): string {
  const others = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(others > 0 ? [`${others} others`] : [])].join(", ");
}

/**
 * Keeps the reason why a recovery waits, for its operator. Logs each reason once.
 *
 * @param waitingFor completes "waits for …". Null if the recovery continues.
 */
export function noteWait(core: FundCore, waitingFor: string | null): void {
  const { recovery } = core.record;
  const reason = waitingFor?.slice(0, MAX_REASON_CHARACTERS) ?? null;
  if (recovery === null || !isRecovering(core.record) || recovery.waitingFor === reason) return;
  core.commitIfTaken(() => core.changeRecord({ recovery: { ...recovery, waitingFor: reason } }));
  if (reason !== null)
    core.deps.log("fund.recovery_waits", { fund: core.record.fundId, step: recovery.step, waitingFor: reason });
}
