import type { Chain, Network } from "../networks.ts";
import type { PolicyRequest } from "./request.ts";

/**
 * The verdict of one rule. `pass`: this rule does not allow the transaction, and another one may. If no rule allows it,
 * the caller reads `why`. A transaction is allowed if a rule allows it and no rule refuses it.
 */
export type RuleVerdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "pass"; readonly why?: string }
  | { readonly verdict: "refuse"; readonly why: string };

/** The caps of one user's transactions on a chain in a UTC day. Null means no limit. */
export interface DailyCap {
  readonly transactionsPerDay: number | null;
  /** MIST or octas, counted at the gas budgets. */
  readonly gasPerDayAtoms: bigint | null;
}

/** The caps of one user's open sponsorships, which hold gas and may still execute. Null means no limit. */
export interface HeldCap {
  readonly heldAtOnce: number | null;
  /**
   * MIST or octas of gas budget. A sponsorship whose budget a dry run sets counts with its highest possible budget
   * until then.
   */
  readonly heldGasAtoms: bigint | null;
}

/** All caps of one user on a chain. */
export type UserCap = DailyCap & HeldCap;

/** Caps without any limit. */
export const NO_CAP: UserCap = {
  transactionsPerDay: null,
  gasPerDayAtoms: null,
  heldAtOnce: null,
  heldGasAtoms: null,
};

/** One rule of an app's policy. */
export interface Rule {
  readonly name: string;
  readonly judge: (request: PolicyRequest) => RuleVerdict;
  /**
   * The transactions that this rule may allow. The access key of the workflows may call these Move targets, and no
   * others. `any`: transactions that no list of calls can name. Null if the rule only refuses, or allows wallets.
   */
  readonly mayAllow: { readonly networks: readonly Network[]; readonly targets: readonly string[] | "any" } | null;
  /**
   * The highest gas budget that this rule can allow on a chain. With it, the service refuses before it holds a coin.
   */
  readonly maxGasBudget?: { readonly chain: Chain; readonly maxAtoms: bigint };
  /** The workflows count these caps when they execute transactions. A rule alone does not know earlier transactions. */
  readonly userCap?: UserCap & { readonly chain: Chain };
}

/** A refusal by a policy. `why` is for people. */
export interface PolicyRefusal {
  readonly allowed: false;
  readonly rule: string;
  readonly why: string;
}

/** The verdict of a whole policy. */
export type PolicyVerdict = { readonly allowed: true } | PolicyRefusal;
