import type { Chain, Network } from "../networks.ts";
import type { PolicyRequest } from "./request.ts";

/**
 * `pass`: this rule does not allow it, and another one may; `why` is told to the caller if none does. A transaction is
 * allowed if a rule allows it and none refuses it.
 */
export type RuleVerdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "pass"; readonly why?: string }
  | { readonly verdict: "refuse"; readonly why: string };

/** What one user's transactions on a chain may come to in a UTC day. Null: no limit. */
export interface DailyCap {
  readonly transactionsPerDay: number | null;
  /** MIST or octas, counted at the gas budgets. */
  readonly gasPerDayAtoms: bigint | null;
}

/** What one user's sponsorships that hold gas may come to: those that are neither executed nor over. Null: no limit. */
export interface HeldCap {
  readonly heldAtOnce: number | null;
  /** MIST or octas of gas budget. One whose budget a dry run sets counts with the highest that it may be until then. */
  readonly heldGasAtoms: bigint | null;
}

export type UserCap = DailyCap & HeldCap;

export const NO_CAP: UserCap = {
  transactionsPerDay: null,
  gasPerDayAtoms: null,
  heldAtOnce: null,
  heldGasAtoms: null,
};

export interface Rule {
  readonly name: string;
  readonly judge: (request: PolicyRequest) => RuleVerdict;
  /**
   * What transactions this rule may allow: the access key of the workflows is given these Move calls, and no others.
   * `any`: what no list of calls can name. Null: none, it only refuses, or allows wallets.
   */
  readonly mayAllow: { readonly networks: readonly Network[]; readonly targets: readonly string[] | "any" } | null;
  /** The highest gas budget that this rule can allow on a chain: lets the service refuse before it holds a coin. */
  readonly maxGasBudget?: { readonly chain: Chain; readonly maxAtoms: bigint };
  /** Counted where transactions are executed: a rule by itself does not know what came before. */
  readonly userCap?: UserCap & { readonly chain: Chain };
}

export interface PolicyRefusal {
  readonly allowed: false;
  readonly rule: string;
  readonly why: string;
}

export type PolicyVerdict = { readonly allowed: true } | PolicyRefusal;
