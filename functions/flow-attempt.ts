import { createHash } from "node:crypto";
import type { ObjectStub } from "../shared/env.ts";
import type { FixedTransaction, Leaving } from "../shared/flows/attempt.ts";
import type { Chain } from "../shared/networks.ts";
import type { WorkflowUser } from "../shared/objects/workflow-user.ts";
import { lowestUserCap, type Rule } from "../shared/policy/rules.ts";
import type { Log } from "../shared/ports.ts";
import type { FlowOutcome } from "./flow.ts";
import { type FlowResult, flowFailed, mayHaveSent, overCap } from "./flow-failure.ts";

/** An execution, as a workflow describes it. */
export interface Execution {
  readonly chain: Chain;
  /** What the caller asked for, as JSON: the same key with anything else is a conflict. */
  readonly asked: unknown;
  /** Makes the transaction, for an attempt that has none yet. Nothing may be executed by it. */
  readonly make: () => Promise<FlowResult<FixedTransaction>>;
  /** Executes it. Also asked of one that was executed before, and then answers how that ended. */
  readonly execute: (content: string) => Promise<FlowOutcome>;
}

export type ExecuteOnce = (execution: Execution) => Promise<FlowOutcome>;

/**
 * Executes one transaction for all calls of an attempt, within what the policy allows one user in a day.
 *
 * @param key of the attempt, bound to the workflow.
 */
export function executeOnce(
  user: ObjectStub<WorkflowUser>,
  key: string,
  { policy, log }: { readonly policy: readonly Rule[]; readonly log: Log },
): ExecuteOnce {
  return async ({ chain, asked, make, execute }) => {
    const cap = lowestUserCap(policy, chain);
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([chain, asked]))
      .digest("base64url");
    const begun = await user.begin({ key, fingerprint, chain, cap });
    if (begun.kind === "conflict")
      return flowFailed(409, "idempotency_conflict", "this Idempotency-Key was used with another body");
    if (begun.kind === "over_cap") return overCap(begun);
    let how: Leaving = "nothing_sent";
    try {
      let { transaction } = begun;
      if (transaction === null) {
        const made = await make();
        if (!made.ok) return made;
        const fixed = await user.fix({ key, transaction: made.value, cap });
        if (fixed.kind === "over_cap") return overCap(fixed);
        transaction = fixed.transaction;
      }
      // A fault from here on leaves it open.
      how = "open";
      const outcome = await execute(transaction.content);
      if (!outcome.ok && !mayHaveSent(outcome)) how = "nothing_sent";
      return outcome;
    } finally {
      // Not in the way of an outcome: the attempt of a call that never leaves keeps its transaction.
      await user.leave(key, how).catch((error: unknown) => log("flow.leave_failed", { error: String(error) }));
    }
  };
}
