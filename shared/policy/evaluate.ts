import type { Chain } from "../networks.ts";
import type { PolicyRequest } from "./request.ts";
import { NO_CAP, type PolicyVerdict, type Rule, type UserCap } from "./rule.ts";

function lower<Value extends number | bigint>(one: Value | null, other: Value | null): Value | null {
  if (one === null || other === null) return one ?? other;
  return other < one ? other : one;
}

/** Returns the lowest gas budget cap of all rules on a chain, in MIST or octas. Null if no rule has one. */
export function lowestGasBudgetCap(rules: readonly Rule[], chain: Chain): bigint | null {
  const caps = rules.flatMap(({ maxGasBudget: cap }) => (cap?.chain === chain ? [cap.maxAtoms] : []));
  return caps.reduce<bigint | null>(lower, null);
}

/** Combines the user caps of all rules on a chain. Each limit is the lowest one. Null means no limit. */
export function lowestUserCap(rules: readonly Rule[], chain: Chain): UserCap {
  const caps = rules.flatMap(({ userCap }) => (userCap?.chain === chain ? [userCap] : []));
  return caps.reduce<UserCap>(
    (lowest, cap) => ({
      transactionsPerDay: lower(lowest.transactionsPerDay, cap.transactionsPerDay),
      gasPerDayAtoms: lower(lowest.gasPerDayAtoms, cap.gasPerDayAtoms),
      heldAtOnce: lower(lowest.heldAtOnce, cap.heldAtOnce),
      heldGasAtoms: lower(lowest.heldGasAtoms, cap.heldGasAtoms),
    }),
    NO_CAP,
  );
}

/**
 * Returns the highest gas budget that a user can ever have on a chain, and the rule that sets it. The amount is in MIST
 * or octas. Null if no rule sets one.
 */
export function gasBudgetCeiling(
  rules: readonly Rule[],
  chain: Chain,
): { readonly maxAtoms: bigint; readonly rule: "maxGasBudget" | "perUserCap" } | null {
  const ofTransactions = lowestGasBudgetCap(rules, chain);
  const ofUser = lowestUserCap(rules, chain).heldGasAtoms;
  if (ofUser !== null && (ofTransactions === null || ofUser < ofTransactions))
    return { maxAtoms: ofUser, rule: "perUserCap" };
  return ofTransactions === null ? null : { maxAtoms: ofTransactions, rule: "maxGasBudget" };
}

/**
 * Judges a request by all rules. A refusal wins over every permission. A request that no rule allows is refused, so an
 * empty policy sponsors nothing.
 */
export function judge(rules: readonly Rule[], request: PolicyRequest): PolicyVerdict {
  let allowed = false;
  const whys: string[] = [];
  for (const rule of rules) {
    const verdict = rule.judge(request);
    if (verdict.verdict === "refuse") return { allowed: false, rule: rule.name, why: verdict.why };
    if (verdict.verdict === "pass" && verdict.why !== undefined) whys.push(`${rule.name}: ${verdict.why}`);
    allowed ||= verdict.verdict === "allow";
  }
  const because = whys.length === 0 ? "" : ` (${whys.join("; ")})`;
  const what = request.action === "create_wallet" ? "a wallet for this user" : "this transaction";
  return allowed
    ? { allowed }
    : { allowed, rule: "default", why: `no rule of the app's policy allows ${what}${because}` };
}
