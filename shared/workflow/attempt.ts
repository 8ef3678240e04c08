import { createHash } from "node:crypto";
import type { Log } from "../bindings/ports.ts";
import type { WorkflowUserObject } from "../bindings/workflow-user.ts";
import type { Chain } from "../networks.ts";
import { lowestUserCap, type Rule } from "../policy/rules.ts";
import type { WorkflowOutcome } from "./errors.ts";
import {
  mayHaveSent,
  outcomeUnknown,
  overCap,
  sequenceConflict,
  type WorkflowResult,
  workflowFailed,
} from "./errors.ts";
import type { CallEnd, Origin, PinnedTransaction } from "./user/attempt.ts";

/** An execution, as a workflow describes it. */
export interface Execution {
  readonly chain: Chain;
  /** What the caller asked for, as JSON: the same key with anything else is a conflict. */
  readonly asked: unknown;
  /** Makes the transaction, for an attempt that has none yet. Nothing may be executed by it. */
  readonly buildTransaction: () => Promise<WorkflowResult<PinnedTransaction>>;
  /** Of what `make` gives. */
  readonly origin: Origin;
  /**
   * Executes it. Also asked of one that was executed before, and then answers how that ended.
   *
   * @param wasSent whether an earlier call of the attempt has sent it, or may have.
   */
  readonly execute: (content: string, wasSent: boolean) => Promise<WorkflowOutcome>;
}

export type ExecuteOnce = (execution: Execution) => Promise<WorkflowOutcome>;

/**
 * Behind a new access key there may be another fund, which knows nothing of what was sent under the old one: what it
 * says is no proof that nothing was executed.
 */
function sentBefore(outcome: WorkflowOutcome, wasSent: boolean): WorkflowOutcome {
  if (!wasSent || outcome.ok || !(outcome.refusedByNode === true || outcome.error.code === "unknown_sponsorship"))
    return outcome;
  return outcomeUnknown(`it was sent before, and is refused now: look it up (${outcome.error.message})`, outcome.error);
}

/**
 * Executes one transaction for all calls of an attempt, within what the policy allows one user in a day.
 *
 * @param key of the attempt, bound to the workflow.
 */
export function executeOnce(
  user: WorkflowUserObject,
  key: string,
  { policy, log }: { readonly policy: readonly Rule[]; readonly log: Log },
): ExecuteOnce {
  return async ({ chain, asked, buildTransaction: make, origin, execute }) => {
    const cap = lowestUserCap(policy, chain);
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([chain, asked]))
      .digest("base64url");
    const begun = await user.begin({ key, fingerprint, chain, cap });
    if (begun.kind === "conflict")
      return workflowFailed(409, "idempotency_conflict", "this Idempotency-Key was used with another body");
    if (begun.kind === "over_cap") return overCap(begun);
    let how: CallEnd = "nothing_sent";
    try {
      let { transaction } = begun;
      if (transaction === null) {
        const made = await make();
        if (!made.ok) return made;
        const pinned = await user.pin({ key, transaction: made.value, origin, cap });
        if (pinned.kind === "over_cap") return overCap(pinned);
        if (pinned.kind === "taken") return sequenceConflict();
        transaction = pinned.transaction;
      }
      // A fault from here on leaves it open.
      how = "maybe_sent";
      const outcome = sentBefore(await execute(transaction.content, begun.wasSent), begun.wasSent);
      if (!outcome.ok && !mayHaveSent(outcome)) how = outcome.refusedByNode === true ? "refused" : "nothing_sent";
      return outcome;
    } finally {
      // Not in the way of an outcome: the attempt of a call that never leaves keeps its transaction.
      await user.endCall(key, how).catch((error: unknown) => log("flow.leave_failed", { error: String(error) }));
    }
  };
}
