import { refuse } from "../errors.ts";
import type { FundPolicyRefusal } from "../policy/fund-policy.ts";

/** What a fund of any chain refuses, in the same words. */

export function policyRefusal({ rule, details }: FundPolicyRefusal) {
  return refuse("policy_refused", `${rule}: ${details}`, { rule });
}

export function pausedRefusal(cause: string) {
  return refuse("fund_paused", `the fund is paused: ${cause}`, { cause });
}

/** Of one who was admitted before the key was revoked. */
export function revokedKeyRefusal() {
  return refuse("bad_key", "unknown or disabled access key");
}
