import { refuse } from "../errors.ts";
import type { FundPolicyRefusal } from "../policy/fund-policy.ts";

/** Every fund refuses in these words, whatever its chain. */

/** Refuses a request that a policy forbids, and names the rule. */
export function policyRefusal({ rule, details }: FundPolicyRefusal) {
  return refuse("policy_refused", `${rule}: ${details}`, { rule });
}

/** Refuses to sponsor while the fund is paused, and names the cause. */
export function pausedRefusal(cause: string) {
  return refuse("fund_paused", `the fund is paused: ${cause}`, { cause });
}

/** Refuses a caller who was admitted before the access key was revoked. */
export function revokedKeyRefusal() {
  return refuse("bad_key", "unknown or disabled access key");
}
