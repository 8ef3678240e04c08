import { formatCoin } from "../../amounts.ts";
import type { Chain } from "../../networks.ts";
import type { DailyCap } from "../../policy/rules.ts";

/**
 * What one user's workflows have executed: the decisions, free of storage.
 *
 * An attempt is what a caller names with an `Idempotency-Key`. It has one transaction: whichever call makes one first
 * fixes it, and every other call of the attempt goes on with that one, byte for byte. No other attempt has it, unless
 * the caller brought its bytes. That the same bytes are executed
 * once, and a repeat is told how they ended, is the service's and the chain's part, not repeated here.
 *
 *     none ── begin ──▶ begun ── fix ──▶ fixed ── leave("open") ──▶ fixed, open
 *                         │                │
 *                         └────────────────┴── leave("nothing_sent") by the last call at it ──▶ none
 *
 * Once a call has left a transaction `open` (executed, or nobody knows), the attempt keeps it. A call that never leaves,
 * because its process died, counts as being at it, so its attempt keeps it as well.
 */
export interface Attempt {
  /** Of what the attempt asks for. Another one under the same key is a conflict. */
  readonly fingerprint: string;
  readonly transaction: PinnedTransaction | null;
  /** Calls that have begun and not left. */
  readonly callsAtIt: number;
  readonly isOpen: boolean;
}

export interface PinnedTransaction {
  /** Digest, or what else tells two transactions apart. */
  readonly id: string;
  /** What the workflow needs to go on with it; its own format. */
  readonly content: string;
  readonly charge: CapUsage;
}

/** `made` by the workflow, for one attempt alone; or `brought` by the caller, who decides under how many keys. */
export type Origin = "made" | "brought";

/** What a transaction counts towards a user's caps. */
export interface CapUsage {
  readonly chain: Chain;
  /** MIST or octas. */
  readonly gasBudgetAtoms: bigint;
}

/** What a user's transactions on one chain have come to on one UTC day. */
export interface UserUsage {
  readonly transactions: number;
  readonly gasAtoms: bigint;
}

export const NO_USAGE: UserUsage = { transactions: 0, gasAtoms: 0n };

export type Begun =
  | { readonly kind: "begun"; readonly attempt: Attempt }
  /** The key was used for something else. */
  | { readonly kind: "conflict" };

export function begin(known: Attempt | null, fingerprint: string): Begun {
  if (known === null)
    return { kind: "begun", attempt: { fingerprint, transaction: null, callsAtIt: 1, isOpen: false } };
  if (known.fingerprint !== fingerprint) return { kind: "conflict" };
  return { kind: "begun", attempt: { ...known, callsAtIt: known.callsAtIt + 1 } };
}

/** Which cap one more transaction would break; null: none. */
export function brokenCap({ chain, gasBudgetAtoms }: CapUsage, usage: UserUsage, cap: DailyCap): string | null {
  const { transactionsPerDay, gasPerDayAtoms } = cap;
  if (transactionsPerDay !== null && usage.transactions >= transactionsPerDay)
    return `${transactionsPerDay} transactions a day`;
  if (gasPerDayAtoms !== null && usage.gasAtoms + gasBudgetAtoms > gasPerDayAtoms)
    return `${formatCoin(chain, gasPerDayAtoms)} of gas a day`;
  return null;
}

export type Pinned =
  | { readonly kind: "fixed"; readonly attempt: Attempt; readonly usage: UserUsage }
  | { readonly kind: "over_cap"; readonly cap: string }
  /** Another attempt has this transaction, and one transaction must not become the success of two. */
  | { readonly kind: "taken" };

/** What is known of a transaction that an attempt is offered. */
export interface Offer {
  readonly origin: Origin;
  readonly usage: UserUsage;
  readonly cap: DailyCap;
  /** Another attempt has the same transaction. */
  readonly isAnothers: boolean;
  /** Another attempt's transaction is the same, and counts already: it counts once. */
  readonly isCounted: boolean;
}

/** Fixes an attempt's transaction, unless it has one. Attempts share a transaction only if their callers brought it. */
export function pin(
  attempt: Attempt,
  offered: PinnedTransaction,
  { origin, usage, cap, isAnothers, isCounted }: Offer,
): Pinned {
  if (attempt.transaction !== null) return { kind: "fixed", attempt, usage };
  if (isAnothers && origin === "made") return { kind: "taken" };
  const fixed = { ...attempt, transaction: offered };
  if (isCounted) return { kind: "fixed", attempt: fixed, usage };
  const cappedBy = brokenCap(offered.charge, usage, cap);
  if (cappedBy !== null) return { kind: "over_cap", cap: cappedBy };
  return { kind: "fixed", attempt: fixed, usage: plus(usage, offered.charge) };
}

/**
 * `nothing_sent`: this call has sent nothing. `refused`: a node has refused it, so it has held gas and counts, and is not
 * kept. `open`: the transaction was executed, or may have been, or may be yet.
 */
export type CallEnd = "nothing_sent" | "refused" | "open";

/** The attempt after a call has ended; null: it is as if it had never been. */
export function endCall(attempt: Attempt, how: CallEnd): Attempt | null {
  const callsAtIt = attempt.callsAtIt - 1;
  const isOpen = attempt.isOpen || how === "open";
  return callsAtIt <= 0 && !isOpen ? null : { ...attempt, callsAtIt, isOpen };
}

function plus(usage: UserUsage, { gasBudgetAtoms }: CapUsage): UserUsage {
  return { transactions: usage.transactions + 1, gasAtoms: usage.gasAtoms + gasBudgetAtoms };
}

/** What is left of the usage once an attempt, and the only one of its transaction, has come to nothing. */
export function minus(usage: UserUsage, { gasBudgetAtoms }: CapUsage): UserUsage {
  const gasAtoms = usage.gasAtoms - gasBudgetAtoms;
  return { transactions: Math.max(0, usage.transactions - 1), gasAtoms: gasAtoms < 0n ? 0n : gasAtoms };
}
