// Aptos only (recordTreasurySubmitAttempt): it records each send before it.

import { done, type Outcome, refuse } from "../../errors.ts";
import { availableOctas, maintenanceReserveOctas } from "../ledger/available.ts";
import type { IdempotencyRecord } from "../ledger/books.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import type { AptosFundStore, AptosTreasuryTransaction } from "./store.ts";

/**
 * The state machine of an Aptos fund's withdrawals. It upholds the guarantees that are listed in `sponsorships.ts`.
 *
 * `pending` → `complete` | `failed` | `dead` | `unresolvable`. The signed bytes are written before they leave.
 * Only the same bytes are ever sent again.
 * The fund signs nothing else as a sender, so each of its sequence numbers belongs to a withdrawal.
 */

/** A withdrawal before anything is written or sent. */
export type AptosTreasuryDraft = Pick<
  AptosTreasuryTransaction,
  | "hash"
  | "signedTransaction"
  | "sequenceNumber"
  | "gasBudgetAtoms"
  | "expiresAtMs"
  | "amountAtoms"
  | "collectedFeesAtoms"
>;

/**
 * Journals a withdrawal before it is submitted.
 *
 * @param idempotency written in the same commit.
 * @returns `sequence_conflict` while another withdrawal is under way. `balance_too_low` if the amount exceeds what may
 * be withdrawn, or if the gas might cost more than its reserve.
 */
export function beginTreasury(
  store: AptosFundStore,
  draft: AptosTreasuryDraft,
  nowMs: number,
  idempotency: IdempotencyRecord | null = null,
): Outcome<AptosTreasuryTransaction> {
  const pending = store.pendingTreasury();
  if (pending !== null)
    return refuse("sequence_conflict", "another withdrawal is under way: repeat after it ends", {
      expiresAtMs: pending.expiresAtMs,
    });
  if (draft.amountAtoms > withdrawableOctas(store, draft)) return withdrawalRefusal(store, draft);
  const reserveOctas = maintenanceReserveOctas(store);
  if (draft.gasBudgetAtoms > reserveOctas)
    return refuse(
      "balance_too_low",
      `the fund has ${reserveOctas} octas for the gas of its own transactions, this one may cost ${draft.gasBudgetAtoms}: deposit more`,
    );
  const ofNothing = { chargedAtoms: null, committedVersion: null, submitCount: 0 };
  const transaction: AptosTreasuryTransaction = { ...draft, ...ofNothing, state: "pending", createdAtMs: nowMs };
  store.putTreasuryTransaction(transaction);
  if (idempotency !== null) store.putIdempotency(idempotency);
  lookUpLater(store, transaction, nowMs);
  return done(transaction);
}

/**
 * Returns the amount that may be withdrawn, octas. For a withdrawal of fees, the earned fees. Otherwise the available
 * balance.
 */
export function withdrawableOctas(
  store: AptosFundStore,
  { collectedFeesAtoms }: Pick<AptosTreasuryDraft, "collectedFeesAtoms">,
): bigint {
  if (collectedFeesAtoms > 0n)
    return store.totals().accruedFeesAtoms - (store.pendingTreasury()?.collectedFeesAtoms ?? 0n);
  const available = availableOctas(store);
  return available > 0n ? available : 0n;
}

/** Refuses a withdrawal, and states the amount that can be withdrawn or collected. */
export function withdrawalRefusal(store: AptosFundStore, draft: Pick<AptosTreasuryDraft, "collectedFeesAtoms">) {
  const most = withdrawableOctas(store, draft);
  const details =
    draft.collectedFeesAtoms === 0n
      ? `at most ${most} octas can be withdrawn right now`
      : `at most ${most} octas of fees can be collected right now`;
  return refuse("balance_too_low", details);
}

function lookUpLater(store: AptosFundStore, transaction: AptosTreasuryTransaction, nowMs: number): void {
  const { hash, createdAtMs, expiresAtMs } = transaction;
  store.setDue("own", hash, nextLookUpAtMs(createdAtMs, expiresAtMs, nowMs));
}

/** Counts an attempt to send or look up a pending withdrawal, and schedules the next sending of the same bytes. */
export function recordTreasurySubmitAttempt(store: AptosFundStore, hash: string, nowMs: number): void {
  const transaction = store.treasuryTransaction(hash);
  if (transaction === null || transaction.state !== "pending") return;
  store.putTreasuryTransaction({ ...transaction, submitCount: transaction.submitCount + 1 });
  lookUpLater(store, transaction, nowMs);
}
