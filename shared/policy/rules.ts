import { formatCoin } from "../amounts.ts";
import { type Chain, chainOf, type Network, type SuiNetwork } from "../networks.ts";
import { fullTarget, targetMatcher } from "./move-targets.ts";

/** What an app's policy knows of a transaction that a user wants sponsored, or signed. */
export interface SponsoredTransaction {
  readonly network: Network;
  /** The app's own id of the user: as the back end named it, or the token's `sub`. */
  readonly user: string;
  /** Address in full length. */
  readonly sender: string;
  /** Every Move call, `0x…::module::function` with the package (Aptos: account) in full length, in order. */
  readonly moveTargets: readonly string[];
  /**
   * Runs code that `moveTargets` does not name: publishes or upgrades a package (Sui), runs a script or acts for a
   * multisig account (Aptos). The rules here never allow that.
   */
  readonly bringsCode: boolean;
  /** What its gas may cost: MIST or octas. Null while it is not known yet. A policy is asked again once it is. */
  readonly gasBudgetAtoms: bigint | null;
}

/** `pass`: this rule has nothing to say. A transaction is sponsored when a rule allows it and none refuses it. */
export type RuleVerdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "pass" }
  | { readonly verdict: "refuse"; readonly why: string };

/** What one user's transactions on a chain may come to in a UTC day. Null: no limit. */
export interface DailyCap {
  readonly transactionsPerDay: number | null;
  /** MIST or octas, counted at the gas budgets. */
  readonly gasPerDayAtoms: bigint | null;
}

export interface UserCap extends DailyCap {
  /** Sponsorships that hold gas: neither executed nor over. Sui only: nothing is held on Aptos before it is executed. */
  readonly heldAtOnce: number | null;
}

export const NO_CAP: UserCap = { transactionsPerDay: null, gasPerDayAtoms: null, heldAtOnce: null };

export interface Rule {
  readonly name: string;
  readonly judge: (transaction: SponsoredTransaction) => RuleVerdict;
  /** The highest gas budget that this rule can allow on a chain: lets the service refuse before it holds a coin. */
  readonly maxGasBudget?: { readonly chain: Chain; readonly maxAtoms: bigint };
  /** Counted where transactions are executed: a rule by itself does not know what came before. */
  readonly userCap?: UserCap & { readonly chain: Chain };
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
export function allowMoveCalls(networks: readonly Network[], targets: readonly string[]): Rule {
  const isListed = targetMatcher(targets.map(fullTarget));
  return {
    name: "allowMoveCalls",
    judge: ({ network, moveTargets, bringsCode }) => {
      const listed = moveTargets.length > 0 && moveTargets.every(isListed);
      return networks.includes(network) && listed && !bringsCode ? ALLOW : PASS;
    },
  };
}

/**
 * Allows transactions without any Move call: users who split, merge and transfer what they own. On Aptos transfers are
 * Move calls: list `0x1::aptos_account::transfer` and the like.
 */
export function allowPlainTransfers(networks: readonly SuiNetwork[]): Rule {
  return {
    name: "allowPlainTransfers",
    judge: ({ network, moveTargets, bringsCode }) =>
      networks.some((allowed) => allowed === network) && moveTargets.length === 0 && !bringsCode ? ALLOW : PASS,
  };
}

/** Refuses transactions that may cost more gas than this: MIST on Sui, octas on Aptos. */
export function maxGasBudget(chain: Chain, maxAtoms: bigint): Rule {
  return {
    name: "maxGasBudget",
    maxGasBudget: { chain, maxAtoms },
    judge: ({ network, gasBudgetAtoms }) =>
      chainOf(network) === chain && gasBudgetAtoms !== null && gasBudgetAtoms > maxAtoms
        ? { verdict: "refuse", why: `the gas budget is above ${formatCoin(chain, maxAtoms)}` }
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

/**
 * Refuses a user's transactions on a chain beyond so many, or beyond so much gas budget (MIST, octas), in a UTC day.
 * Transactions that were executed count, however they ended; abandoned and refused ones do not. These count towards
 * `heldAtOnce`, for as long as gas is held for them.
 */
export function perUserCap(chain: Chain, caps: Partial<UserCap>): Rule {
  return { name: "perUserCap", userCap: { chain, ...NO_CAP, ...caps }, judge: () => PASS };
}

function lower<Value extends number | bigint>(one: Value | null, other: Value | null): Value | null {
  if (one === null || other === null) return one ?? other;
  return other < one ? other : one;
}

/** The lowest cap of all rules on a chain; null where none has one. */
export function lowestGasBudgetCap(rules: readonly Rule[], chain: Chain): bigint | null {
  const caps = rules.flatMap(({ maxGasBudget: cap }) => (cap?.chain === chain ? [cap.maxAtoms] : []));
  return caps.reduce<bigint | null>(lower, null);
}

/** What all caps of users leave together on a chain. */
export function lowestUserCap(rules: readonly Rule[], chain: Chain): UserCap {
  const caps = rules.flatMap(({ userCap }) => (userCap?.chain === chain ? [userCap] : []));
  return caps.reduce<UserCap>(
    (lowest, cap) => ({
      transactionsPerDay: lower(lowest.transactionsPerDay, cap.transactionsPerDay),
      gasPerDayAtoms: lower(lowest.gasPerDayAtoms, cap.gasPerDayAtoms),
      heldAtOnce: lower(lowest.heldAtOnce, cap.heldAtOnce),
    }),
    NO_CAP,
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
