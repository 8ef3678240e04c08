import type { Failure } from "../../result.ts";
import { MAX_MESSAGE_CHARACTERS } from "./limits.ts";

/**
 * The next step of the caller. `retry`: repeat the same call, which continues the same attempt. `wait`: the same after
 * `waitMs`. `change`: another transaction, or another wallet. `sign_in`: the user's token is no longer accepted.
 * `contact`: only the people who run the app can help.
 */
export type FlowAction =
  | { readonly kind: "retry" }
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "change" }
  | { readonly kind: "sign_in" }
  | { readonly kind: "contact" };

/** The codes that this client adds to those of the workflows. */
export type ClientCode =
  | "no_answer"
  | "unexpected_answer"
  | "aborted"
  | "not_what_was_asked"
  | "not_buildable"
  | "wallet_refused"
  | "wallet_timeout"
  | "wallet_changed_it"
  | "network_not_set";

/** The codes of the workflows. */
export type WorkflowCode =
  | "unauthenticated"
  | "origin_refused"
  | "policy_refused"
  | "bad_request"
  | "wallet_not_found"
  | "unknown_sponsorship"
  | "sponsorship_expired"
  | "idempotency_conflict"
  | "transaction_failed"
  | "rate_limited"
  | "user_cap_reached"
  | "quota_reached"
  | "internal"
  | "not_configured"
  | "node_unavailable"
  | "wallet_unavailable"
  | "fund_unavailable"
  | "sequence_conflict"
  | "outcome_unknown";

/** The reason why a call failed, and the next step. */
export interface FlowError {
  /** A newer service may have codes that this client does not know. */
  readonly code: WorkflowCode | ClientCode | (string & {});
  /** The message for developers and logs. */
  readonly message: string;
  readonly action: FlowAction;
  /** True if the transaction may have been executed. */
  readonly mayHaveExecuted: boolean;
  /** True if it may still be executed. The same call repeats it, and the user signs nothing else. */
  readonly isOpen?: boolean;
  /** The HTTP status of the refusal. Absent if there was no answer. */
  readonly status?: number;
  /** The reason why a token was refused. */
  readonly reason?: string;
  /** The transaction, if it is known. */
  readonly digest?: string;
  readonly hash?: string;
}

/** The action to repeat the same call. */
export const RETRY: FlowAction = { kind: "retry" };
const CHANGE: FlowAction = { kind: "change" };
/** Makes the action to repeat the same call after a wait, ms. */
export const wait = (waitMs: number): FlowAction => ({ kind: "wait", waitMs });

/** The actions of all codes that the caller can act on. */
const ACTIONS: Readonly<Partial<Record<WorkflowCode | ClientCode, FlowAction>>> = {
  unauthenticated: { kind: "sign_in" },
  policy_refused: CHANGE,
  wallet_not_found: CHANGE,
  unknown_sponsorship: RETRY,
  sponsorship_expired: RETRY,
  idempotency_conflict: RETRY,
  transaction_failed: CHANGE,
  rate_limited: wait(1_000),
  user_cap_reached: wait(60_000),
  internal: RETRY,
  node_unavailable: wait(2_000),
  sequence_conflict: wait(2_000),
  outcome_unknown: wait(2_000),
  no_answer: RETRY,
  aborted: RETRY,
  not_buildable: CHANGE,
  wallet_refused: RETRY,
  wallet_timeout: RETRY,
  wallet_changed_it: CHANGE,
};

function actionFor(code: string): FlowAction {
  return new Map(Object.entries(ACTIONS)).get(code) ?? { kind: "contact" };
}

/** Builds a failure. Its action follows from its code, and `more` may set another one. */
export function failed(
  code: FlowError["code"],
  message: string,
  more: Partial<Omit<FlowError, "code" | "message">> = {},
): Failure<FlowError> {
  const error = { code, message: message.slice(0, MAX_MESSAGE_CHARACTERS), action: actionFor(code) };
  return { ok: false, error: { ...error, mayHaveExecuted: false, ...more } };
}

/** Returns the message of a thrown value. Some wallets throw an object with a message, or a text. */
export function messageOf(error: unknown): string {
  const { message = error }: { readonly message?: unknown } = Object(error);
  return typeof message === "string" ? message : "no reason";
}

/** Failures before any call. */
export const abortedAfter = (isOpen: boolean) =>
  failed("aborted", "the app aborted the call", { mayHaveExecuted: isOpen, isOpen });
/** The failure of a call that the app aborted before the user signed. */
export const ABORTED = abortedAfter(false);
/** The failure of a call whose wallet did not answer in time. */
export const WALLET_TIMEOUT = failed("wallet_timeout", "the wallet did not answer");
/** The failure of a call of a user without a token. */
export const NO_TOKEN = failed("unauthenticated", "the user has no token");
/** The failure of a call whose wallet has no account. */
export const NO_ACCOUNT = failed("wallet_refused", "the wallet has no account");

/** Builds the failure of a call for a chain whose network the app has not named. */
export function networkNotSet(chain: string) {
  return failed("network_not_set", `no network: set ${chain}.network`);
}

/** Codes after which the effect of a call is unknown. */
const LOST: readonly string[] = ["no_answer", "unexpected_answer", "outcome_unknown", "internal"];

/** Returns true if a call that failed with this code may have had its effect. */
export function isLost({ code }: FlowError): boolean {
  return LOST.includes(code);
}

/**
 * The service refuses with these codes before it looks for an earlier call. So they prove nothing about an earlier lost
 * one.
 */
const BEFORE_LOOKING: readonly string[] = ["policy_refused", "bad_request"];

/**
 * Codes with which the service declares that it has not executed the attempt's transaction and will not. After any
 * other code the attempt stays open. A signed transaction also needs the chain's own bound to end.
 */
const FINAL: readonly string[] = [
  "transaction_failed",
  "sponsorship_expired",
  "unknown_sponsorship",
  "idempotency_conflict",
  ...BEFORE_LOOKING,
];

/**
 * Returns true if the service declares the attempt over. @param wasLost an earlier call of the attempt may have
 * executed it.
 */
export function endsAttempt({ code, action }: FlowError, wasLost: boolean): boolean {
  if (code === "transaction_failed" && action.kind !== "change") return false;
  return FINAL.includes(code) && !(wasLost && BEFORE_LOOKING.includes(code));
}
