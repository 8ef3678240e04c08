import type { OverCap } from "../bindings/workflow-user.ts";
import type { ClientError } from "../client/rpc-client.ts";
import { FLOWS_KEY_VARIABLES } from "../config/workflows.ts";
import { codeOf, type Refusal } from "../errors.ts";
import type { Chain } from "../networks.ts";
import type { PolicyRefusal } from "../policy/rule.ts";
import type { Failure, Result } from "../result.ts";

const METHOD_NOT_FOUND = codeOf("method_not_found");
const INVALID_PARAMS = codeOf("bad_params");

/** Names a transaction that may have been sent: the digest on Sui, the hash on Aptos. Absent if it is not known yet. */
export interface TransactionReference {
  readonly digest?: string;
  readonly hash?: string;
}

/** An error of a workflow, with the parts that its caller does not read. */
export interface WorkflowError extends TransactionReference {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429 | 503 | 504;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** The reason why a caller could not be authenticated. The code of every such error is `unauthenticated`. */
  readonly reason?: string;
  /** Becomes the header `Retry-After`. */
  readonly retryAfterMs?: number;
  /**
   * `app`: the app's own policy refused, and a repeat would be refused too. `node`: a node refused after the fund had
   * signed. Nothing was executed then, but the fund withholds gas. Never sent to the caller.
   */
  readonly refusedBy?: "app" | "node";
  /** The fund may withhold gas for the sponsorship although the reservation failed. Never sent to the caller. */
  readonly mayWithholdGas?: true;
}

/** A workflow's result that failed. */
export type WorkflowFailure = Failure<WorkflowError>;

/** The result of a step of a workflow. */
export type WorkflowResult<Value> = Result<Value, WorkflowError>;

/** Returns the part of an error that its caller reads. HTTP carries the status and the time to wait. */
export function shownError({ code, message, retryable, reason, digest, hash }: WorkflowError): object {
  return { code, message, retryable, reason, digest, hash };
}

/** Builds a failure of a workflow. It is not retryable unless `more` sets that. */
export function workflowFailed(
  status: WorkflowError["status"],
  code: string,
  message: string,
  more: Partial<Omit<WorkflowError, "status" | "code" | "message">> = {},
): WorkflowFailure {
  return { ok: false, error: { status, code, message, retryable: false, ...more } };
}

/** Refuses by the app's own policy. A fund's and a key's limits refuse with the same code, but only for a time. */
export function policyRefused({ rule, why }: Pick<PolicyRefusal, "rule" | "why">): WorkflowFailure {
  return workflowFailed(403, "policy_refused", `${rule}: ${why}`, { refusedBy: "app" });
}

/** Refuses a user who has reached a cap. It is not retryable: no repeat succeeds before the cap is reset. */
export function overCap({ cap, retryAfterMs }: OverCap): WorkflowFailure {
  const message = `this user has reached ${cap}: wait for Retry-After`;
  return workflowFailed(429, "user_cap_reached", message, { retryAfterMs });
}

/** Reports that no node answered. Nothing was sent. */
export function nodeFailed({ details }: Refusal): WorkflowFailure {
  return workflowFailed(503, "node_unavailable", details, { retryable: true });
}

/** Refuses because another transaction of the user has the sequence number. A repeat may succeed. */
export function sequenceConflict(): WorkflowFailure {
  return workflowFailed(503, "sequence_conflict", "another transaction of this user is under way: repeat the call", {
    retryable: true,
  });
}

/** Returns whether the transaction may have been executed. After any other failure, nothing was sent. */
export function mayHaveSent({ error }: WorkflowFailure): boolean {
  return error.code === "outcome_unknown";
}

/** Returns whether the service lacks the method. Other services of this wire format lack some, and send no reasons. */
export function isMissingMethod(error: ClientError): boolean {
  return error.kind === "refused" && error.code === METHOD_NOT_FOUND;
}

/**
 * Translates a refusal of the service into the error that the app's front end reads.
 *
 * @param chain the call was made with the access key of this chain.
 * @param sent names the transaction that the call may have sent. Absent if the call sends nothing.
 */
export function workflowFailureOf(error: ClientError, chain: Chain, sent?: TransactionReference): WorkflowFailure {
  if (error.kind !== "refused")
    return sent === undefined
      ? workflowFailed(503, "node_unavailable", `the service did not answer (${error.details}): repeat the call`, {
          retryable: true,
        })
      : noAnswer(sent);
  const { reason, details, data } = error;
  if (isMissingMethod(error))
    return workflowFailed(
      503,
      "not_configured",
      "the service at FLOWS_BASE_URL lacks a method that this workflow needs: update that service",
    );
  switch (reason) {
    case "dry_run_failed":
      return workflowFailed(422, "transaction_failed", details);
    case "node_refused":
      // On Sui the caller knows the digest. On Aptos the workflow has made the transaction.
      return workflowFailed(422, "transaction_failed", details, {
        refusedBy: "node",
        ...(chain === "aptos" && textsOf(data)),
      });
    case "account_not_found":
      // The service sent nothing. A node may not show a new account yet.
      return workflowFailed(422, "transaction_failed", details, { retryable: true });
    case "policy_refused":
      return workflowFailed(403, "policy_refused", details);
    case "idempotency_conflict":
      return workflowFailed(409, "idempotency_conflict", details);
    case "quota_reached":
      return workflowFailed(429, "quota_reached", details);
    case "unknown_wallet":
      return workflowFailed(
        404,
        "wallet_not_found",
        "this user has no wallet on this chain: create-wallet-on-chain makes one",
      );
    case "wrong_secret":
      return workflowFailed(
        503,
        "not_configured",
        "FLOWS_SECRET differs from the one that made this user's wallet: restore the old value",
      );
    case "corrupt_record":
    case "master_key_missing":
    case "wrong_master_key":
      return workflowFailed(503, "wallet_unavailable", `the service cannot open this user's wallet: ${details}`);
    case "rate_limited":
      return workflowFailed(429, "rate_limited", details, { retryable: true, ...retryAfter(data) });
    case "sequence_conflict":
      return sequenceConflict();
    case "unknown_sponsorship":
      return workflowFailed(404, reason, details, sent);
    case "sponsorship_expired":
      return workflowFailed(404, reason, details);
    case "expired":
      return workflowFailed(404, "sponsorship_expired", details);
    case "outcome_unknown":
      return outcomeUnknown(details, { ...sent, ...textsOf(data) });
    case "no_gas_object":
    case "balance_too_low":
    case "fund_paused":
      return workflowFailed(503, "fund_unavailable", details, { retryable: reason === "no_gas_object" });
    case "bad_session_token":
      return workflowFailed(
        503,
        "node_unavailable",
        "the service rejected a session token that it had just issued: repeat the call",
        {
          retryable: true,
        },
      );
    case "bad_key":
    case "wrong_region":
    case "wrong_network":
    case "missing_right":
      return workflowFailed(503, "not_configured", `the service refuses ${FLOWS_KEY_VARIABLES[chain]}: ${details}`);
    default:
      if (error.code === INVALID_PARAMS) return workflowFailed(400, "bad_request", details);
      // Any other failure of an execution leaves its outcome unknown.
      return sent === undefined || saysNothingWasSent(reason)
        ? workflowFailed(503, "node_unavailable", details, { retryable: true })
        : outcomeUnknown(details, sent);
  }
}

/** Reports an unknown outcome. A repeat with the same Idempotency-Key looks the transaction up, and never executes it twice. */
export function outcomeUnknown(details: string, { digest, hash }: TransactionReference): WorkflowFailure {
  const sent = { ...(digest !== undefined && { digest }), ...(hash !== undefined && { hash }) };
  return workflowFailed(504, "outcome_unknown", details, { ...sent, retryable: true });
}

function noAnswer(sent: TransactionReference): WorkflowFailure {
  const isNamed = sent.digest !== undefined || sent.hash !== undefined;
  const how = isNamed ? "look up the transaction" : "repeat the call with the same Idempotency-Key";
  return outcomeUnknown(`the service did not answer: ${how} before you retry`, sent);
}

function retryAfter({ retryAfterMs }: Readonly<Record<string, unknown>>): { readonly retryAfterMs?: number } {
  return typeof retryAfterMs === "number" && retryAfterMs >= 0 ? { retryAfterMs } : {};
}

function textsOf({ digest, hash }: Readonly<Record<string, unknown>>): TransactionReference {
  return { ...(typeof digest === "string" && { digest }), ...(typeof hash === "string" && { hash }) };
}

/** Reasons after which the service has sent nothing, and a repeat may succeed. */
const NOTHING_SENT = [
  "node_unavailable",
  "overloaded",
  "storage",
  "storage_budget",
  "project_moved",
  "key_service",
] as const;

function saysNothingWasSent(reason: string | null): boolean {
  return NOTHING_SENT.some((known) => known === reason);
}

/** The result of a workflow. Its value is the body of the answer. */
export type WorkflowOutcome = WorkflowResult<object>;
