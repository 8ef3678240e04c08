import type { OverCap } from "../bindings/workflow-user.ts";
import type { ClientError } from "../client/rpc-client.ts";
import { FLOWS_KEY_VARIABLES } from "../config/workflows.ts";
import { codeOf } from "../errors.ts";
import type { Chain } from "../networks.ts";
import type { PolicyRefusal } from "../policy/rules.ts";
import type { Failure, Success } from "../result.ts";

const METHOD_NOT_FOUND = codeOf("method_not_found");
const INVALID_PARAMS = codeOf("bad_params");

/** Where a transaction may have been sent, and by what it can be looked up, as far as that is known. */
export interface TransactionReference {
  readonly digest?: string;
  readonly hash?: string;
}

export interface WorkflowError extends TransactionReference {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429 | 503 | 504;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Why a caller is not taken for who they say: the code says no more than that. */
  readonly reason?: string;
  /** Becomes the header `Retry-After`. */
  readonly retryAfterMs?: number;
}

export interface WorkflowFailure extends Failure<WorkflowError> {
  /** A node has refused it: nothing was executed, and the fund has withheld gas for it all the same. */
  readonly refusedByNode?: true;
  /** The app's own policy has decided, and would decide the same again. */
  readonly byApp?: true;
}

export type WorkflowResult<Value> = Success<Value> | WorkflowFailure;

export function workflowFailed(
  status: WorkflowError["status"],
  code: string,
  message: string,
  more: Partial<Omit<WorkflowError, "status" | "code" | "message">> = {},
): WorkflowFailure {
  return { ok: false, error: { status, code, message, retryable: false, ...more } };
}

/** By the app's own policy. The service's limits of a fund and a key refuse by the same code, and pass with time. */
export function policyRefused({ rule, why }: Pick<PolicyRefusal, "rule" | "why">): WorkflowFailure {
  return { ...workflowFailed(403, "policy_refused", `${rule}: ${why}`), byApp: true };
}

/** Until the cap is reset, nothing that this user does helps. */
export function overCap({ cap, retryAfterMs }: OverCap): WorkflowFailure {
  const message = `this user has reached ${cap}`;
  return workflowFailed(429, "user_cap_reached", message, { retryAfterMs });
}

export function sequenceConflict(): WorkflowFailure {
  return workflowFailed(503, "sequence_conflict", "another transaction of this user is under way", { retryable: true });
}

/** Whether a failure leaves it open if a transaction was executed. After every other one nothing was sent. */
export function mayHaveSent({ error }: WorkflowFailure): boolean {
  return error.code === "outcome_unknown";
}

/** The service does not know the method: other services of this wire format lack some of ours, and give no reasons. */
export function isMissingMethod(error: ClientError): boolean {
  return error.kind === "refused" && error.code === METHOD_NOT_FOUND;
}

/**
 * The service's refusal as the app's front end hears it.
 *
 * @param chain whose access key the call was made with.
 * @param sent what the call may have sent; left out: it sends nothing.
 */
export function workflowFailureOf(error: ClientError, chain: Chain, sent?: TransactionReference): WorkflowFailure {
  if (error.kind !== "refused")
    return sent === undefined
      ? workflowFailed(503, "node_unavailable", `the service did not answer: ${error.details}`, { retryable: true })
      : noAnswer(sent);
  const { reason, details, data } = error;
  if (isMissingMethod(error))
    return workflowFailed(
      503,
      "not_configured",
      "the service at FLOWS_BASE_URL lacks a method that this workflow needs",
    );
  switch (reason) {
    case "dry_run_failed":
      return workflowFailed(422, "transaction_failed", details);
    case "node_refused":
      return { ...workflowFailed(422, "transaction_failed", details), refusedByNode: true };
    case "account_not_found":
      // Nothing was sent. The account may be so new that this node does not know it yet.
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
      return workflowFailed(503, "not_configured", "FLOWS_SECRET is not the one that this user's wallet was made with");
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
      return workflowFailed(503, "node_unavailable", "the service takes none of its own session tokens", {
        retryable: true,
      });
    case "bad_key":
    case "wrong_region":
    case "wrong_network":
    case "missing_right":
      return workflowFailed(
        503,
        "not_configured",
        `${FLOWS_KEY_VARIABLES[chain]} is not accepted by the service: ${details}`,
      );
    default:
      if (error.code === INVALID_PARAMS) return workflowFailed(400, "bad_request", details);
      // After any other failure of an execution, what was sent decides.
      return sent === undefined || saysNothingWasSent(reason)
        ? workflowFailed(503, "node_unavailable", details, { retryable: true })
        : outcomeUnknown(details, sent);
  }
}

/** To be repeated under the same Idempotency-Key: then it is looked up, and never executed twice. */
export function outcomeUnknown(details: string, { digest, hash }: TransactionReference): WorkflowFailure {
  const sent = { ...(digest !== undefined && { digest }), ...(hash !== undefined && { hash }) };
  return workflowFailed(504, "outcome_unknown", details, { ...sent, retryable: true });
}

function noAnswer(sent: TransactionReference): WorkflowFailure {
  const isNamed = sent.digest !== undefined || sent.hash !== undefined;
  const how = isNamed ? "look the transaction up" : "repeat the call with the same Idempotency-Key";
  return outcomeUnknown(`the service did not answer: ${how} before anything else`, sent);
}

function retryAfter({ retryAfterMs }: Readonly<Record<string, unknown>>): { readonly retryAfterMs?: number } {
  return typeof retryAfterMs === "number" && retryAfterMs >= 0 ? { retryAfterMs } : {};
}

function textsOf({ digest, hash }: Readonly<Record<string, unknown>>): TransactionReference {
  return { ...(typeof digest === "string" && { digest }), ...(typeof hash === "string" && { hash }) };
}

function saysNothingWasSent(reason: string | null): boolean {
  return reason === "node_unavailable" || reason === "overloaded" || reason === "storage";
}

export type WorkflowOutcome = WorkflowResult<object>;
