import { formatSui } from "../amounts.ts";
import type { SuiNetwork } from "../networks.ts";
import { fullTarget, targetMatcher } from "./move-targets.ts";

/** What an app's policy knows of a transaction that a user wants sponsored. */
export interface SponsoredTransaction {
  readonly network: SuiNetwork;
  /** The app's own id of the user, as the caller of the workflow named it. */
  readonly user: string;
  /** Sui address, full length. */
  readonly sender: string;
  /** Every Move call, `0x…::module::function` with the package in full length, in order. */
  readonly moveTargets: readonly string[];
  /** Publishes or upgrades a package. The rules here never allow that. */
  readonly publishesCode: boolean;
  /** MIST; null while it is not known yet. A policy is asked again once it is. */
  readonly gasBudgetMist: bigint | null;
}

/** `pass`: this rule has nothing to say. A transaction is sponsored when a rule allows it and none refuses it. */
export type RuleVerdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "pass" }
  | { readonly verdict: "refuse"; readonly why: string };

export interface Rule {
  readonly name: string;
  readonly judge: (transaction: SponsoredTransaction) => RuleVerdict;
  /** The highest gas budget that this rule can allow: lets the service refuse before it holds a coin. */
  readonly maxGasBudgetMist?: bigint;
}

export type PolicyVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly rule: string; readonly why: string };

const ALLOW: RuleVerdict = { verdict: "allow" };
const PASS: RuleVerdict = { verdict: "pass" };

/**
 * Allows transactions whose Move calls are all on the list, and which make at least one.
 *
 * @param targets `package::module::function`, `package::module::*` or `package::*`.
 */
export function allowMoveCalls(networks: readonly SuiNetwork[], targets: readonly string[]): Rule {
  const isListed = targetMatcher(targets.map(fullTarget));
  return {
    name: "allowMoveCalls",
    judge: ({ network, moveTargets, publishesCode }) => {
      const listed = moveTargets.length > 0 && moveTargets.every(isListed);
      return networks.includes(network) && listed && !publishesCode ? ALLOW : PASS;
    },
  };
}

/** Allows transactions without any Move call: users who split, merge and transfer what they own. */
export function allowPlainTransfers(networks: readonly SuiNetwork[]): Rule {
  return {
    name: "allowPlainTransfers",
    judge: ({ network, moveTargets, publishesCode }) =>
      networks.includes(network) && moveTargets.length === 0 && !publishesCode ? ALLOW : PASS,
  };
}

/** Refuses transactions that may cost more gas than this, MIST. */
export function maxGasBudget(maxMist: bigint): Rule {
  return {
    name: "maxGasBudget",
    maxGasBudgetMist: maxMist,
    judge: ({ gasBudgetMist }) =>
      gasBudgetMist !== null && gasBudgetMist > maxMist
        ? { verdict: "refuse", why: `the gas budget is above ${formatSui(maxMist)}` }
        : PASS,
  };
}

/** Refuses these senders, whatever they do. */
export function denySenders(senders: readonly string[]): Rule {
  const denied = new Set(senders.map(fullTarget));
  return {
    name: "denySenders",
    judge: ({ sender }) => (denied.has(sender) ? { verdict: "refuse", why: "this sender is not sponsored" } : PASS),
  };
}

/** The lowest cap of all rules; null where none has one. */
export function lowestGasBudgetCap(rules: readonly Rule[]): bigint | null {
  return rules.reduce<bigint | null>(
    (lowest, { maxGasBudgetMist: cap }) => (cap !== undefined && (lowest === null || cap < lowest) ? cap : lowest),
    null,
  );
}

/** A refusal wins over every permission, and what no rule allows is refused: an empty policy sponsors nothing. */
export function judge(rules: readonly Rule[], transaction: SponsoredTransaction): PolicyVerdict {
  let allowed = false;
  for (const rule of rules) {
    const verdict = rule.judge(transaction);
    if (verdict.verdict === "refuse") return { allowed: false, rule: rule.name, why: verdict.why };
    allowed ||= verdict.verdict === "allow";
  }
  return allowed
    ? { allowed }
    : { allowed, rule: "default", why: "no rule of the app's policy allows this transaction" };
}
