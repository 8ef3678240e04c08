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
  readonly activeCalls: number;
  readonly mayHaveExecuted: boolean;
}

export interface PinnedTransaction {
  /** Digest, or what else tells two transactions apart. */
  readonly id: string;
  /** What the workflow needs to go on with it; its own format. */
  readonly content: string;
  readonly capUsage: CapUsage;
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

export type BeginDecision =
  | { readonly kind: "begun"; readonly attempt: Attempt }
  /** The key was used for something else. */
  | { readonly kind: "conflict" };

export function begin(known: Attempt | null, fingerprint: string): BeginDecision {
  if (known === null)
    return { kind: "begun", attempt: { fingerprint, transaction: null, activeCalls: 1, mayHaveExecuted: false } };
  if (known.fingerprint !== fingerprint) return { kind: "conflict" };
  return { kind: "begun", attempt: { ...known, activeCalls: known.activeCalls + 1 } };
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

export type PinDecision =
  | { readonly kind: "pinned"; readonly attempt: Attempt; readonly usage: UserUsage }
  | { readonly kind: "over_cap"; readonly cap: string }
  /** Another attempt has this transaction, and one transaction must not become the success of two. */
  | { readonly kind: "taken" };

/** What is known of a transaction that an attempt is offered. */
export interface PinTerms {
  readonly origin: Origin;
  readonly usage: UserUsage;
  readonly cap: DailyCap;
  /** Another attempt has the same transaction. */
  readonly isOfAnotherAttempt: boolean;
  /** Another attempt's transaction is the same, and counts already: it counts once. */
  readonly isCounted: boolean;
}

/** Fixes an attempt's transaction, unless it has one. Attempts share a transaction only if their callers brought it. */
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
 * `nothing_sent`: this call has sent nothing. `refused`: a node has refused it, so it has held gas and counts, and is not
 * kept. `open`: the transaction was executed, or may have been, or may be yet.
 */
export type CallEnd = "nothing_sent" | "refused" | "maybe_sent";

/** The attempt after a call has ended; null: it is as if it had never been. */
export function endCall(attempt: Attempt, how: CallEnd): Attempt | null {
  const activeCalls = attempt.activeCalls - 1;
  const mayHaveExecuted = attempt.mayHaveExecuted || how === "maybe_sent";
  return activeCalls <= 0 && !mayHaveExecuted ? null : { ...attempt, activeCalls, mayHaveExecuted };
}

function plus(usage: UserUsage, { gasBudgetAtoms }: CapUsage): UserUsage {
  return { transactions: usage.transactions + 1, gasAtoms: usage.gasAtoms + gasBudgetAtoms };
}

/** What is left of the usage once an attempt, and the only one of its transaction, has come to nothing. */
export function minus(usage: UserUsage, { gasBudgetAtoms }: CapUsage): UserUsage {
  const gasAtoms = usage.gasAtoms - gasBudgetAtoms;
  return { transactions: Math.max(0, usage.transactions - 1), gasAtoms: gasAtoms < 0n ? 0n : gasAtoms };
}
