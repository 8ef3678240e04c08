import * as z from "zod";
import { type ForgottenTransaction, RECOVERING, type RecoveryView, STATE_BEHIND_CHAIN } from "./views.ts";

/** The forgotten transactions that a Sui fund has found by its coins. */
export interface FoundForgotten {
  /** The order is that of their checkpoints. */
  readonly transactions: readonly ForgottenTransaction[];
  /** False if others may exist. */
  readonly isComplete: boolean;
}

/** The most forgotten payments that a recovery keeps, the latest ones. */
const MAX_FORGOTTEN_PAYMENTS = 200;

/**
 * A recovery brings a fund's stored state up to the chain, after a restored backup.
 *
 * `needed` → `closing` → `waiting` → `adopting` → `done`. The fund sponsors nothing and pays nothing out before `done`.
 * `needed`: the fund has paused itself, and waits for the operator. `closing`: the recovery fixes the end of all
 * signatures that may still execute. `waiting`: that end has not come yet. `adopting`: open rows are settled, and the
 * chain's balance is taken into the books.
 */
const recoverySteps = ["needed", "closing", "waiting", "adopting", "done"] as const;
/** One step of a recovery. */
export type RecoveryStep = (typeof recoverySteps)[number];

const storedRecovery = z.object({
  startedAtMs: z.int(),
  step: z.enum(recoverySteps),
  closedUntilMs: z.int().nullable(),
  closedThroughEpoch: z
    .string()
    .regex(/^[0-9]+$/)
    .nullable()
    .default(null),
  causeAfter: z.string().nullable(),
  evidence: z.string().nullable(),
  openReferences: z.int(),
  corrections: z.string().regex(/^-?[0-9]+$/),
  withdrawals: z.enum(["unconfirmed", "confirmed"]),
  forgottenPayments: z.array(z.string()),
  lookedBack: z
    .array(z.object({ digest: z.string(), amount: z.string().regex(/^[0-9]+$/), to: z.string().nullable() }))
    .nullable()
    .default(null),
  lookBacks: z.int().default(0),
  isForgottenComplete: z.boolean().nullable().default(null),
  waitingFor: z.string().nullable().default(null),
  ownSequence: z
    .string()
    .regex(/^[0-9]+$/)
    .nullable(),
  adoptedCheckpoint: z
    .string()
    .regex(/^[0-9]+$/)
    .nullable()
    .default(null),
});

/** The stored state of a fund's last recovery. */
export interface Recovery {
  readonly startedAtMs: number;
  readonly step: RecoveryStep;
  /** The fund stays closed until the chain's own clock shows this time. Null if no such time is fixed. */
  readonly closedUntilMs: number | null;
  /** The last epoch on Sui in which a forgotten transaction may execute. Null if no such epoch is fixed. */
  readonly closedThroughEpoch: bigint | null;
  /** The cause of the pause that follows the recovery. Null if the fund opens again. */
  readonly causeAfter: string | null;
  /**
   * The evidence that the state is behind the chain, in words. Null if an operator ordered the recovery without
   * evidence.
   */
  readonly evidence: string | null;
  /** The number of rows that were open at the last step. */
  readonly openReferences: number;
  /** The sum of the corrections booked so far. */
  readonly correctionAtoms: bigint;
  /**
   * `unconfirmed`: a withdrawal under an unknown key must be confirmed, because the copy may have forgotten the key.
   */
  readonly withdrawals: "unconfirmed" | "confirmed";
  /** The digests of the fund's own transactions that the state has forgotten and that the chain shows. */
  readonly forgottenPayments: readonly string[];
  /** The forgotten transactions of a Sui fund, with their amounts. Null before it has looked for them. */
  readonly lookedBack: readonly ForgottenTransaction[] | null;
  /** The number of searches that it has begun. */
  readonly lookBacks: number;
  /** False if the forgotten payments may be incomplete. Null if the recovery has not looked yet, or cannot know. */
  readonly isForgottenComplete: boolean | null;
  /** Completes "waits for …". Null if it does not wait, or if the reason is not known. */
  readonly waitingFor: string | null;
  /** The sequence number of the fund's next own transaction on Aptos, as a recovery has read it. Null before that. */
  readonly ownSequenceNumber: bigint | null;
  /** The checkpoint on Sui up to which the last ended recovery has adopted the chain's money. Null before that. */
  readonly adoptedCheckpoint: bigint | null;
}

/** Encodes a recovery as the JSON of its column. */
export function encodeRecovery(recovery: Recovery): string {
  const { correctionAtoms, closedThroughEpoch, ownSequenceNumber, adoptedCheckpoint, lookedBack, ...rest } = recovery;
  return JSON.stringify({
    ...rest,
    lookedBack:
      lookedBack?.map(({ digest, amountAtoms, to }) => ({ digest, amount: String(amountAtoms ?? 0n), to })) ?? null,
    corrections: correctionAtoms.toString(),
    closedThroughEpoch: closedThroughEpoch?.toString() ?? null,
    ownSequence: ownSequenceNumber?.toString() ?? null,
    adoptedCheckpoint: adoptedCheckpoint?.toString() ?? null,
  });
}

/** Decodes the JSON of the column. Throws for anything else. */
export function decodeRecovery(text: string): Recovery {
  const { corrections, closedThroughEpoch, ownSequence, adoptedCheckpoint, lookedBack, ...rest } = storedRecovery.parse(
    JSON.parse(text),
  );
  return {
    ...rest,
    lookedBack: lookedBack?.map(({ amount, ...shown }) => ({ ...shown, amountAtoms: BigInt(amount) })) ?? null,
    correctionAtoms: BigInt(corrections),
    closedThroughEpoch: closedThroughEpoch === null ? null : BigInt(closedThroughEpoch),
    ownSequenceNumber: ownSequence === null ? null : BigInt(ownSequence),
    adoptedCheckpoint: adoptedCheckpoint === null ? null : BigInt(adoptedCheckpoint),
  };
}

/** The part of a fund's record that a recovery changes. */
export interface RecoveryRecord {
  readonly pausedCause: string | null;
  readonly recovery: Recovery | null;
}

/** Returns true if a recovery has begun and not ended. */
export function isRecovering({ recovery }: Pick<RecoveryRecord, "recovery">): boolean {
  return recovery !== null && recovery.step !== "needed" && recovery.step !== "done";
}

/** Returns true if a fund must change nothing on its chain, because its state may be older. Only a recovery may. */
export function isClosed({ recovery }: Pick<RecoveryRecord, "recovery">): boolean {
  return recovery !== null && recovery.step !== "done";
}

/** Returns the cause of the pause that a recovery imposes. Null if it imposes none. */
function imposedCause(recovery: Recovery | null): string | null {
  if (recovery === null || recovery.step === "done") return null;
  return recovery.step === "needed" ? STATE_BEHIND_CHAIN : RECOVERING;
}

/**
 * Applies a pause or a resumption to the record. A null cause resumes. A recovery keeps its own pause. The change then
 * applies after the recovery.
 */
export function withPause({ recovery }: RecoveryRecord, cause: string | null): RecoveryRecord {
  const imposed = imposedCause(recovery);
  if (imposed === null || recovery === null) return { pausedCause: cause, recovery };
  return { pausedCause: imposed, recovery: { ...recovery, causeAfter: cause } };
}

/** Records that the state is behind the chain. The fund pauses until the operator orders a recovery. */
export function behindChain(record: RecoveryRecord, evidence: string, nowMs: number): RecoveryRecord {
  return { pausedCause: STATE_BEHIND_CHAIN, recovery: { ...begun(record, nowMs), step: "needed", evidence } };
}

/** Begins a recovery, or continues the one that is under way. */
export function beginRecovery(record: RecoveryRecord, nowMs: number): RecoveryRecord & { readonly recovery: Recovery } {
  const { recovery } = record;
  if (recovery !== null && isRecovering(record)) return { pausedCause: record.pausedCause, recovery };
  const evidence = recovery?.step === "needed" ? recovery.evidence : null;
  return { pausedCause: RECOVERING, recovery: { ...begun(record, nowMs), evidence } };
}

function begun({ pausedCause, recovery }: RecoveryRecord, nowMs: number): Recovery {
  return {
    startedAtMs: nowMs,
    step: "closing",
    closedUntilMs: null,
    closedThroughEpoch: null,
    causeAfter: recovery?.step === "needed" ? recovery.causeAfter : pausedCause,
    evidence: null,
    openReferences: 0,
    correctionAtoms: 0n,
    withdrawals: "unconfirmed",
    // Keys from before an earlier recovery may still be unconfirmed.
    forgottenPayments: recovery?.withdrawals === "unconfirmed" ? recovery.forgottenPayments : [],
    lookedBack: null,
    lookBacks: 0,
    // The sweeps of an earlier recovery have hidden the transactions that it did not find.
    isForgottenComplete:
      recovery?.withdrawals === "unconfirmed" && recovery.isForgottenComplete === false ? false : null,
    waitingFor: null,
    ownSequenceNumber: recovery?.ownSequenceNumber ?? null,
    adoptedCheckpoint: recovery?.adoptedCheckpoint ?? null,
  };
}

/** Adds digests to the forgotten payments of a recovery. Those of earlier steps and recoveries stay. */
export function withForgotten({ forgottenPayments }: Recovery, digests: readonly string[]): readonly string[] {
  return [...new Set([...forgottenPayments, ...digests])].slice(-MAX_FORGOTTEN_PAYMENTS);
}

/**
 * Adds the results of a search. A transaction that pays out is a forgotten payment. Payments of an earlier recovery
 * stay in the list of digests only.
 */
export function withLookedBack(recovery: Recovery, { transactions, isComplete }: FoundForgotten): Recovery {
  const lookedBack = transactions.slice(-MAX_FORGOTTEN_PAYMENTS);
  const payments = transactions.filter(({ to }) => to !== null).map(({ digest }) => digest);
  const forgottenPayments = withForgotten(recovery, payments);
  const isEach = payments.every((digest) => forgottenPayments.includes(digest));
  const isForgottenComplete = isComplete && isEach && recovery.isForgottenComplete !== false;
  return { ...recovery, lookedBack, forgottenPayments, isForgottenComplete };
}

/** Ends a recovery. The fund opens, unless an operator has paused it. */
export function endRecovery(recovery: Recovery): RecoveryRecord {
  const ended: Recovery = { ...recovery, step: "done", openReferences: 0, waitingFor: null };
  return { pausedCause: recovery.causeAfter, recovery: ended };
}

/**
 * Records the operator's confirmation that every withdrawal from now on is a new one. Null without an ended recovery. A
 * repeat changes nothing.
 */
export function confirmWithdrawals({ recovery }: RecoveryRecord): Recovery | null {
  return recovery?.step === "done" ? { ...recovery, withdrawals: "confirmed" } : null;
}

/** Shows a recovery to the operator. */
export function recoveryView(recovery: Recovery): RecoveryView {
  const { step, startedAtMs, closedUntilMs, evidence, waitingFor, openReferences, correctionAtoms } = recovery;
  const { withdrawals, forgottenPayments, isForgottenComplete, lookedBack } = recovery;
  const shown = new Set(lookedBack?.map(({ digest }) => digest));
  const others = forgottenPayments.filter((digest) => !shown.has(digest));
  const forgottenTransactions = [
    ...others.map((digest) => ({ digest, amountAtoms: null, to: null })),
    ...(lookedBack ?? []),
  ];
  const state = step === "closing" || step === "adopting" ? "running" : step;
  const progress = { state, startedAtMs, closedUntilMs, evidence, waitingFor, openReferences } as const;
  return { ...progress, correctionAtoms, withdrawals, forgottenPayments, forgottenTransactions, isForgottenComplete };
}
