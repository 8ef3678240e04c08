import type { Log } from "../bindings/ports.ts";
import type { WorkflowUserObject } from "../bindings/workflow-user.ts";
import { sha256Base64url } from "../crypto/sha256.ts";
import type { Chain } from "../networks.ts";
import { lowestUserCap } from "../policy/evaluate.ts";
import type { Rule } from "../policy/rule.ts";
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

/** Describes an execution to `executeOnce`. */
export interface Execution {
  readonly chain: Chain;
  /** The caller's request as JSON. The same key with another request is a conflict. */
  readonly asked: unknown;
  /** Builds the transaction of an attempt that has none yet. It must execute nothing. */
  readonly buildTransaction: () => Promise<WorkflowResult<PinnedTransaction>>;
  /** Names the maker of the bytes that `buildTransaction` returns. */
  readonly origin: Origin;
  /**
   * True: a transaction that a node has refused stays with the attempt, because another node may execute it yet. Every
   * repeat sends the same one. Once it can never execute, the service says so, and the key is spent: the attempt stays
   * for its day, and its transaction counts against the cap.
   */
  readonly keepsRefused?: boolean;
  /**
   * Executes the transaction, or returns the outcome of its earlier execution.
   *
   * @param wasSent an earlier call of the attempt sent it, or may have.
   */
  readonly execute: (content: string, wasSent: boolean) => Promise<WorkflowOutcome>;
}

/** Executes one transaction for all calls with the same Idempotency-Key. */
export type ExecuteOnce = (execution: Execution) => Promise<WorkflowOutcome>;

/**
 * Turns a refusal into an unknown outcome if an earlier call may have sent the transaction. A new access key may belong
 * to another fund. That fund does not know the old fund's transactions, so its refusal proves nothing.
 */
function sentBefore(outcome: WorkflowOutcome, wasSent: boolean): WorkflowOutcome {
  if (!wasSent || outcome.ok || !(outcome.error.refusedBy === "node" || outcome.error.code === "unknown_sponsorship"))
    return outcome;
  return outcomeUnknown(`it was sent before, and is refused now: look it up (${outcome.error.message})`, outcome.error);
}

/**
 * Executes one transaction for all calls of an attempt, within the policy's daily caps of the user.
 *
 * @param key names the attempt, and is bound to the workflow.
 */
export function executeOnce(
  user: WorkflowUserObject,
  key: string,
  { policy, log }: { readonly policy: readonly Rule[]; readonly log: Log },
): ExecuteOnce {
  return async ({ chain, asked, buildTransaction, origin, keepsRefused = false, execute }) => {
    const cap = lowestUserCap(policy, chain);
    const fingerprint = sha256Base64url(JSON.stringify([chain, asked]));
    const begun = await user.begin({ key, fingerprint, chain, cap });
    if (begun.kind === "conflict")
      return workflowFailed(
        409,
        "idempotency_conflict",
        "this Idempotency-Key was used with another body: send that body, or use a new key",
      );
    if (begun.kind === "over_cap") return overCap(begun);
    let how: CallEnd = "nothing_sent";
    try {
      let { transaction } = begun;
      if (transaction === null) {
        const made = await buildTransaction();
        if (!made.ok) return made;
        const pinned = await user.pin({ key, transaction: made.value, origin, cap });
        if (pinned.kind === "over_cap") return overCap(pinned);
        if (pinned.kind === "taken") return sequenceConflict();
        transaction = pinned.transaction;
      }
      // A fault after this point leaves it unknown whether the transaction was sent.
      how = "open";
      const outcome = sentBefore(await execute(transaction.content, begun.wasSent), begun.wasSent);
      const isRefused = !outcome.ok && outcome.error.refusedBy === "node";
      if (!outcome.ok && !mayHaveSent(outcome) && !(isRefused && keepsRefused))
        how = isRefused ? "refused" : "nothing_sent";
      return outcome;
    } finally {
      // Only log this failure: the attempt then keeps its transaction.
      await user.endCall(key, how).catch((error: unknown) => log("flow.leave_failed", { error: String(error) }));
    }
  };
}
