import { formatCoin } from "../coin-text.ts";
import type { Chain } from "../networks.ts";
import type {
  FundPolicy,
  FundPolicyField,
  FundPolicyRefusal,
  PolicyLists,
  PolicyUsage,
  SenderUsage,
  SponsorshipRequest,
  SponsorshipTerms,
} from "./fund-policy.ts";
import { targetMatcher } from "./move-targets.ts";
import { isPlumbingCall } from "./plumbing.ts";

/** A policy that is prepared to judge many sponsorships. */
export interface CompiledPolicy {
  /** True if the policy needs the sender's usage of the day. */
  readonly needsSenderUsage: boolean;
  /** True if orderless transactions may be sponsored. */
  readonly orderless: boolean;
  /** The storage cost of an execution above which its sender is stopped. Null without a limit. */
  readonly maxStorageCostAtoms: bigint | null;
  /**
   * Refuses by the lists and by `maxGasBudget`. Needs no dry run and no usage, and no dry run could change the result.
   */
  evaluateTerms(terms: SponsorshipTerms): FundPolicyRefusal | null;
  /**
   * Judges by every rule, at the exact amounts of the reservation. Null if no rule refuses.
   *
   * @throws Error if the policy needs the sender's usage and `usage` does not hold it.
   */
  evaluateSponsorship(request: SponsorshipRequest, usage: PolicyUsage): FundPolicyRefusal | null;
}

/**
 * Builds the look-ups of the lists once. The returned policy holds no state, and can judge any number of sponsorships.
 *
 * @param chain refusals show amounts in the coin of this chain.
 */
export function compilePolicy(policy: FundPolicy, chain: Chain): CompiledPolicy {
  const known = compiled[chain].get(policy);
  if (known !== undefined) return known;
  const fresh = compile(policy, chain);
  compiled[chain].set(policy, fresh);
  return fresh;
}

/** A policy object never changes. A lease keeps one, so many calls share its compilation. */
const compiled: Readonly<Record<Chain, WeakMap<FundPolicy, CompiledPolicy>>> = {
  sui: new WeakMap(),
  aptos: new WeakMap(),
};

function compile(policy: FundPolicy, chain: Chain): CompiledPolicy {
  const evaluateAmount = amountEvaluator(chain);

  const { allow, deny } = policy.moveTargets;
  const isListed = hasEntries(allow) ? targetMatcher(allow) : () => true;
  const isDenied = hasEntries(deny) ? targetMatcher(deny) : () => false;
  const isPlumbing = chain === "sui" ? isPlumbingCall : () => false;
  const isAllowedSender = listMatcher(policy.senders, addressMatcher);
  const listsCalls = hasEntries(allow);

  function evaluateCalls({ moveTargets, publishesCode, isNoOp = false }: SponsorshipTerms): FundPolicyRefusal | null {
    const isRefused = (target: string) => isDenied(target) || !(isNoOp || isListed(target) || isPlumbing(target));
    const refused = moveTargets.findIndex(isRefused);
    if (refused >= 0)
      return {
        rule: "moveTargets",
        details: `Move call ${refused} of the transaction is not sponsored: have the operator allow it`,
      };
    if (isNoOp) return null;
    return listsCalls && (publishesCode || !moveTargets.some(isListed))
      ? {
          rule: "moveTargets",
          details: "call at least one listed Move function, and publish nothing: only that is sponsored",
        }
      : null;
  }

  function evaluateTerms(terms: SponsorshipTerms): FundPolicyRefusal | null {
    return (
      evaluateCalls(terms) ??
      (isAllowedSender(terms.sender)
        ? null
        : { rule: "senders", details: "this sender is not sponsored: have the operator allow it" }) ??
      evaluateAmount(
        "maxGasBudget",
        policy.maxGasBudgetAtoms,
        terms.gasBudgetAtoms ?? 0n,
        "the gas budget is",
        "lower it",
      )
    );
  }

  return {
    needsSenderUsage: policy.maxSpendPerSenderPerDayAtoms !== null || policy.maxStorageCostAtoms !== null,
    // A policy from an edge of an earlier build lacks the field.
    orderless: policy.orderless === true,
    maxStorageCostAtoms: policy.maxStorageCostAtoms,
    evaluateTerms,
    evaluateSponsorship: (request, usage) => evaluateTerms(request) ?? evaluateTotals(policy, chain, request, usage),
  };
}

function hasEntries(list: readonly string[] | null): list is readonly string[] {
  return list !== null && list.length > 0;
}

type Matcher = (value: string) => boolean;

function addressMatcher(addresses: readonly string[]): Matcher {
  const listed = new Set(addresses);
  return (address) => listed.has(address);
}

function listMatcher({ allow, deny }: PolicyLists, matcherOf: (entries: readonly string[]) => Matcher): Matcher {
  const isDenied = hasEntries(deny) ? matcherOf(deny) : () => false;
  const isListed = hasEntries(allow) ? matcherOf(allow) : () => true;
  return (value) => !isDenied(value) && isListed(value);
}

const TOMORROW = "repeat after midnight UTC";

function amountEvaluator(chain: Chain) {
  return (
    rule: FundPolicyField,
    limitAtoms: bigint | null,
    amountAtoms: bigint,
    what: string,
    remedy: string,
  ): FundPolicyRefusal | null =>
    limitAtoms !== null && amountAtoms > limitAtoms
      ? { rule, details: `${what} above ${formatCoin(chain, limitAtoms)}: ${remedy}` }
      : null;
}

type AmountEvaluator = ReturnType<typeof amountEvaluator>;

/** Judges each total as if this sponsorship were included, with its gas budget and its fee. */
function evaluateTotals(
  policy: FundPolicy,
  chain: Chain,
  { gasBudgetAtoms, feeAtoms, storageCostAtoms }: SponsorshipRequest,
  usage: PolicyUsage,
): FundPolicyRefusal | null {
  const evaluateAmount = amountEvaluator(chain);
  const withheldAtoms = gasBudgetAtoms + feeAtoms;
  const inFlightAtoms = usage.inFlightAtoms + withheldAtoms;
  const spentAtoms = usage.spentTodayAtoms + withheldAtoms;
  return (
    evaluateStorageCost(policy, evaluateAmount, storageCostAtoms, gasBudgetAtoms) ??
    evaluateStopped(policy, chain, usage.sender) ??
    evaluateCount(policy, usage.inFlightCount + 1) ??
    evaluateAmount(
      "maxInFlightAmount",
      policy.maxInFlightAmountAtoms,
      inFlightAtoms,
      "the amount in flight would be",
      "repeat once others have ended",
    ) ??
    evaluateAmount(
      "maxSpendPerDay",
      policy.maxSpendPerDayAtoms,
      spentAtoms,
      "the spend of this UTC day would be",
      TOMORROW,
    ) ??
    evaluateSenderSpend(policy, evaluateAmount, usage.sender, withheldAtoms) ??
    evaluateAbandonCost(policy, chain, usage.abandonCostTodayAtoms)
  );
}

function evaluateStorageCost(
  { maxStorageCostAtoms }: FundPolicy,
  evaluateAmount: AmountEvaluator,
  storageCostAtoms: bigint | null,
  gasBudgetAtoms: bigint,
): FundPolicyRefusal | null {
  return storageCostAtoms === null
    ? evaluateAmount(
        "maxStorageCost",
        maxStorageCostAtoms,
        gasBudgetAtoms,
        "the gas budget, all of which may be storage, is",
        "lower it",
      )
    : evaluateAmount("maxStorageCost", maxStorageCostAtoms, storageCostAtoms, "the storage cost is", "store less");
}

function evaluateCount({ maxInFlightCount }: FundPolicy, count: number): FundPolicyRefusal | null {
  return maxInFlightCount !== null && count > maxInFlightCount
    ? {
        rule: "maxInFlightCount",
        details: `more than ${maxInFlightCount} sponsorships would be in flight: repeat once one has ended`,
      }
    : null;
}

/** Refuses a sender whose execution has stored more than the limit. A dry run could not foresee that. */
function evaluateStopped(
  { maxStorageCostAtoms: limitAtoms }: FundPolicy,
  chain: Chain,
  sender: SenderUsage | null,
): FundPolicyRefusal | null {
  if (limitAtoms === null || !known(sender).stopped) return null;
  const details = `a transaction of this sender has stored for more than ${formatCoin(chain, limitAtoms)} on this UTC day: ${TOMORROW}`;
  return { rule: "maxStorageCost", details };
}

function known(sender: SenderUsage | null): SenderUsage {
  if (sender === null) throw new Error("the policy needs the usage of the sender, and none was read");
  return sender;
}

function evaluateSenderSpend(
  { maxSpendPerSenderPerDayAtoms: limitAtoms }: FundPolicy,
  evaluateAmount: AmountEvaluator,
  sender: SenderUsage | null,
  withheldAtoms: bigint,
): FundPolicyRefusal | null {
  if (limitAtoms === null) return null;
  return evaluateAmount(
    "maxSpendPerSenderPerDay",
    limitAtoms,
    known(sender).spentAtoms + withheldAtoms,
    "the spend of this UTC day for this sender would be",
    TOMORROW,
  );
}

/** Refuses by the cost that is already booked, because future abandonments are unknown. */
function evaluateAbandonCost(
  { maxAbandonCostPerDayAtoms: limitAtoms }: FundPolicy,
  chain: Chain,
  costAtoms: bigint,
): FundPolicyRefusal | null {
  return limitAtoms !== null && costAtoms >= limitAtoms
    ? {
        rule: "maxAbandonCostPerDay",
        details: `sponsorships that nobody executed have cost ${formatCoin(chain, limitAtoms)} or more on this UTC day: ${TOMORROW}`,
      }
    : null;
}
