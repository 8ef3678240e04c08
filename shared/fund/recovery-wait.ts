import type { FundCore } from "./core.ts";
import { isRecovering } from "./recovery.ts";

/** The most characters of a reason. A node's own words may be in it. */
const MAX_REASON_CHARACTERS = 500;

/** Ids or digests that a reason names. */
const NAMED = 3;

/** Names the first of several ids or digests. */
export function someOf(names: readonly string[]): string {
  const others = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(others > 0 ? [`${others} others`] : [])].join(", ");
}

/**
 * Keeps the reason for which a recovery waits, for its operator to see. The log has a reason once.
 *
 * @param waitingFor completes "waits for …". Null if the recovery goes on.
 */
export function noteWait(core: FundCore, waitingFor: string | null): void {
  const { recovery } = core.record;
  const reason = waitingFor?.slice(0, MAX_REASON_CHARACTERS) ?? null;
  if (recovery === null || !isRecovering(core.record) || recovery.waitingFor === reason) return;
  core.commitIfTaken(() => core.changeRecord({ recovery: { ...recovery, waitingFor: reason } }));
  if (reason !== null)
    core.deps.log("fund.recovery_waits", { fund: core.record.fundId, step: recovery.step, waitingFor: reason });
}
