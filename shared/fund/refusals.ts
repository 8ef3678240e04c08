import { isStorageFull, type StorageUse } from "../durable/storage-budget.ts";
import { type Refusal, refuse } from "../errors.ts";
import type { FundPolicyRefusal } from "../policy/fund-policy.ts";
import type { Failure } from "../result.ts";
import { CHAIN_RESET, RECOVERING, SHORT_EPOCH, STATE_BEHIND_CHAIN } from "./views.ts";

/** The refusals of every fund, on any chain. */

/** A refusal by a policy, with the policy's owner. */
export interface ScopedPolicyRefusal extends FundPolicyRefusal {
  readonly scope: "fund" | "key";
}

/** Refuses a request that a policy forbids, and names the rule. */
export function policyRefusal({ rule, details, scope }: ScopedPolicyRefusal): Failure<Refusal> {
  const refused = refuse("policy_refused", `${rule}: ${details}`, { rule });
  return { ...refused, error: { ...refused.error, scope } };
}

/** The next step for causes that a change of settings does not end. */
const nextSteps: ReadonlyMap<string, string> = new Map([
  [CHAIN_RESET, "its nodes answer for another chain, the operator has to check them or make another fund"],
  [SHORT_EPOCH, "an epoch is shorter than an hour, the operator has to make a fund of mode coin"],
  [
    STATE_BEHIND_CHAIN,
    "its stored state is older than the chain, the operator has to run POST /admin/v1/funds/<id>/recover",
  ],
  [
    RECOVERING,
    "it opens by itself once its recovery is done unless an operator has paused it, GET /admin/v1/funds/<id> shows how far it is",
  ],
]);

/** Refuses to sponsor while the fund is paused. Names the cause and the next step. */
export function pausedRefusal(cause: string) {
  const nextStep = nextSteps.get(cause) ?? "the operator has to resume it";
  return refuse("fund_paused", `the fund is paused: ${cause}; ${nextStep}`, { cause });
}

/** The states of a fund in which it sponsors nothing new, for any request. */
export interface SponsoringState {
  /** The cause of a pause. Null if the fund is not paused. */
  readonly pausedCause: string | null;
  readonly storage: StorageUse;
}

/**
 * Refuses to sponsor anything new: with `fund_paused`, which names the cause, or with `storage_budget`. Null if the
 * fund sponsors. Nothing else may depend on it: settlement, deposits, withdrawals and revocations continue.
 */
export function sponsoringRefusal({ pausedCause, storage }: SponsoringState) {
  if (pausedCause !== null) return pausedRefusal(pausedCause);
  if (!isStorageFull(storage)) return null;
  const { usedBytes, budgetBytes } = storage;
  return refuse(
    "storage_budget",
    `the fund's storage is full (${usedBytes} of ${budgetBytes} bytes): retry later, or have the operator raise limits.fundBytes or lower limits.retentionDays`,
    { usedBytes, budgetBytes },
  );
}

/** Refuses a caller who was admitted before the access key was revoked. */
export function revokedKeyRefusal() {
  return refuse("bad_key", "unknown or disabled access key: use one that is active");
}
