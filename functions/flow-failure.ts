import type { ClientError } from "../shared/client/rpc-client.ts";
import { FLOWS_KEY_VARIABLES } from "../shared/config.ts";
import type { Chain } from "../shared/networks.ts";

const METHOD_NOT_FOUND = -32601;

export interface FlowError {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429 | 503 | 504;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Where a transaction may have been sent: look it up before anything else. */
  readonly digest?: string;
}

export interface FlowFailure {
  readonly ok: false;
  readonly error: FlowError;
}

export function flowFailed(
  status: FlowError["status"],
  code: string,
  message: string,
  more: { readonly retryable?: boolean; readonly digest?: string } = {},
): FlowFailure {
  const { retryable = false, digest } = more;
  return { ok: false, error: { status, code, message, retryable, ...(digest !== undefined && { digest }) } };
}

/**
 * The service's refusal as the app's front end hears it.
 *
 * @param chain whose access key the call was made with. @param digest what the call may have sent.
 */
export function flowFailureOf(error: ClientError, chain: Chain, digest?: string): FlowFailure {
  if (error.kind !== "refused")
    return digest === undefined
      ? flowFailed(503, "node_unavailable", `the service did not answer: ${error.details}`, { retryable: true })
      : flowFailed(504, "outcome_unknown", "the service did not answer: look the digest up", { digest });
  const { reason, details } = error;
  // Other services of this wire format lack it, and give no reasons.
  if (error.code === METHOD_NOT_FOUND)
    return flowFailed(503, "not_configured", "the service at FLOWS_BASE_URL lacks a method that this workflow needs");
  switch (reason) {
    case "dry_run_failed":
    case "node_refused":
      return flowFailed(422, "transaction_failed", details);
    case "policy_refused":
      return flowFailed(403, "policy_refused", details);
    case "idempotency_conflict":
      return flowFailed(409, "idempotency_conflict", details);
    case "quota_reached":
      return flowFailed(429, "quota_reached", details);
    case "wrong_secret":
      return flowFailed(503, "not_configured", "FLOWS_SECRET is not the one that this user's wallet was made with");
    case "rate_limited":
      return flowFailed(429, "rate_limited", details, { retryable: true });
    case "unknown_sponsorship":
    case "sponsorship_expired":
      return flowFailed(404, reason, details);
    case "outcome_unknown":
      return flowFailed(504, "outcome_unknown", details, digest === undefined ? {} : { digest });
    case "no_gas_object":
    case "balance_too_low":
    case "fund_paused":
      return flowFailed(503, "fund_unavailable", details, { retryable: reason === "no_gas_object" });
    case "bad_key":
    case "wrong_region":
    case "wrong_network":
    case "missing_right":
      return flowFailed(
        503,
        "not_configured",
        `${FLOWS_KEY_VARIABLES[chain]} is not accepted by the service: ${details}`,
      );
    default:
      if (error.code === -32602) return flowFailed(400, "bad_request", details);
      // After any other failure of an execution, the digest decides.
      return digest === undefined || saysNothingWasSent(reason)
        ? flowFailed(503, "node_unavailable", details, { retryable: true })
        : flowFailed(504, "outcome_unknown", details, { digest });
  }
}

function saysNothingWasSent(reason: string | null): boolean {
  return reason === "node_unavailable" || reason === "overloaded" || reason === "storage";
}
