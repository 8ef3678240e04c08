import { refuse } from "../errors.ts";
import type { FundPolicyRefusal } from "../policy/fund-policy.ts";
import { RECOVERING, STATE_BEHIND_CHAIN } from "./views.ts";

/** Every fund refuses in these words, whatever its chain. */

/** Refuses a request that a policy forbids, and names the rule. */
export function policyRefusal({ rule, details }: FundPolicyRefusal) {
  return refuse("policy_refused", `${rule}: ${details}`, { rule });
}

/** The next step for causes that a change of settings does not end. */
const nextSteps: ReadonlyMap<string, string> = new Map([
  [
    STATE_BEHIND_CHAIN,
    "its stored state is older than the chain, the operator has to run POST /admin/v1/funds/<id>/recover",
  ],
  [RECOVERING, "it opens by itself once its recovery is done, GET /admin/v1/funds/<id> shows how far it is"],
]);

/** Refuses to sponsor while the fund is paused, names the cause, and says what ends it. */
export function pausedRefusal(cause: string) {
  const nextStep = nextSteps.get(cause);
  return refuse("fund_paused", `the fund is paused: ${cause}${nextStep ? `: ${nextStep}` : ""}`, { cause });
}

/** Refuses a caller who was admitted before the access key was revoked. */
export function revokedKeyRefusal() {
  return refuse("bad_key", "unknown or disabled access key: use one that is active");
}
