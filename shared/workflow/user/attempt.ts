import { formatCoin } from "../../coin-text.ts";
import type { Chain } from "../../networks.ts";
import type { DailyCap } from "../../policy/rule.ts";

/**
 * Decides what one user's workflows may execute. Pure: storage is elsewhere.
 *
 * All calls of one user with one `Idempotency-Key` are an attempt. An attempt has one transaction. The first call that
 * makes one pins it, and every other call continues with the same bytes. No other attempt has it, unless the caller
 * brought its bytes. The service and the chain execute the same bytes only once.
 *
 *     none ── begin ──▶ begun ── pin ──▶ pinned ── endCall("open") ──▶ pinned, may have executed
 *                         │                │
 *                         └────────────────┴── endCall("nothing_sent") of the last active call ──▶ none
 *
 * A transaction that was executed, or may have been, stays with its attempt. A call whose process died stays active, so
 * its attempt keeps the transaction, too. No answer frees such an attempt again, not even that its transaction can never
 * execute: an answer about an earlier call may come from another fund. The caller needs a new key then.
 */
export interface Attempt {
  /** SHA-256 of the request. Another request under the same key is a conflict. */
  readonly fingerprint: string;
  readonly transaction: PinnedTransaction | null;
  /** Calls that have begun and not ended. */
  readonly activeCalls: number;
  readonly mayHaveExecuted: boolean;
}

/** The one transaction of an attempt. */
export interface PinnedTransaction {
  /** The digest, or another id that differs for different transactions. */
  readonly id: string;
  /** The workflow's own format, from which it continues. */
  readonly content: string;
  readonly capUsage: CapUsage;
}

/** `made`: the workflow made the bytes for this attempt only. `brought`: the caller may use them under several keys. */
export type Origin = "made" | "brought";

/** The share of a transaction in its user's caps. */
export interface CapUsage {
  readonly chain: Chain;
  /** MIST or octas. */
  readonly gasBudgetAtoms: bigint;
}

/** The sum of a user's transactions on one chain and UTC day. */
export interface UserUsage {
  readonly transactions: number;
  /** MIST or octas. */
  readonly gasAtoms: bigint;
}

/** The usage of a user who has executed nothing today. */
export const NO_USAGE: UserUsage = { transactions: 0, gasAtoms: 0n };

/** The decision about the begin of a call. */
export type BeginDecision =
  | { readonly kind: "begun"; readonly attempt: Attempt }
  /** The key was used for another request. */
  | { readonly kind: "conflict" };

/** Begins a call. @param known null if the attempt has no call yet. */
export function begin(known: Attempt | null, fingerprint: string): BeginDecision {
  if (known === null)
    return { kind: "begun", attempt: { fingerprint, transaction: null, activeCalls: 1, mayHaveExecuted: false } };
  if (known.fingerprint !== fingerprint) return { kind: "conflict" };
  return { kind: "begun", attempt: { ...known, activeCalls: known.activeCalls + 1 } };
}

/** Returns the cap that one more transaction would break. Null if it breaks none. */
export function brokenCap({ chain, gasBudgetAtoms }: CapUsage, usage: UserUsage, cap: DailyCap): string | null {
  const { transactionsPerDay, gasPerDayAtoms } = cap;
  if (transactionsPerDay !== null && usage.transactions >= transactionsPerDay)
    return `${transactionsPerDay} transactions a day`;
  if (gasPerDayAtoms !== null && usage.gasAtoms + gasBudgetAtoms > gasPerDayAtoms)
    return `${formatCoin(chain, gasPerDayAtoms)} of gas a day`;
  return null;
}

/** The decision about a transaction to pin. */
export type PinDecision =
  | { readonly kind: "pinned"; readonly attempt: Attempt; readonly usage: UserUsage }
  | { readonly kind: "over_cap"; readonly cap: string }
  /** Another attempt has this transaction. One transaction must not be the success of two attempts. */
  | { readonly kind: "taken" };

/** Facts about the transaction to pin. */
export interface PinTerms {
  readonly origin: Origin;
  readonly usage: UserUsage;
  readonly cap: DailyCap;
  /** Another attempt has the same transaction. */
  readonly isOfAnotherAttempt: boolean;
  /** Another attempt has counted the same transaction. It counts once. */
  readonly isCounted: boolean;
}

/** Pins a transaction to an attempt without one. Attempts share a transaction only if their callers brought it. */
export function pin(
  attempt: Attempt,
  offered: PinnedTransaction,
  { origin, usage, cap, isOfAnotherAttempt, isCounted }: PinTerms,
): PinDecision {
  if (attempt.transaction !== null) return { kind: "pinned", attempt, usage };
  if (isOfAnotherAttempt && origin === "made") return { kind: "taken" };
  const pinned = { ...attempt, transaction: offered };
  if (isCounted) return { kind: "pinned", attempt: pinned, usage };
  const cappedBy = brokenCap(offered.capUsage, usage, cap);
  if (cappedBy !== null) return { kind: "over_cap", cap: cappedBy };
  return { kind: "pinned", attempt: pinned, usage: plus(usage, offered.capUsage) };
}

/**
 * `nothing_sent`: this call sent nothing. `refused`: a node refused it; it has held gas, so it counts, but is not kept.
 * `open`: the transaction was executed, may have been, or may be yet. A Worker of another version sends the same words
 * during a roll-out: an unknown one would delete the attempt.
 */
export type CallEnd = "nothing_sent" | "refused" | "open";

/** Ends a call. Null means that the attempt must be deleted, as if it had never begun. */
export function endCall(attempt: Attempt, how: CallEnd): Attempt | null {
  const activeCalls = attempt.activeCalls - 1;
  const mayHaveExecuted = attempt.mayHaveExecuted || how === "open";
  return activeCalls <= 0 && !mayHaveExecuted ? null : { ...attempt, activeCalls, mayHaveExecuted };
}

function plus(usage: UserUsage, { gasBudgetAtoms }: CapUsage): UserUsage {
  return { transactions: usage.transactions + 1, gasAtoms: usage.gasAtoms + gasBudgetAtoms };
}

/** Takes a transaction off the usage, when the only attempt that has it ended without effect. */
export function minus(usage: UserUsage, { gasBudgetAtoms }: CapUsage): UserUsage {
  const gasAtoms = usage.gasAtoms - gasBudgetAtoms;
  return { transactions: Math.max(0, usage.transactions - 1), gasAtoms: gasAtoms < 0n ? 0n : gasAtoms };
}
