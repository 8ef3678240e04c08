import type { AptosExecutedAt, AptosExecution } from "../../chain/aptos/node.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { availableOctas, maintenanceReserveOctas } from "../ledger/available.ts";
import type { IdempotencyRecord } from "../ledger/books.ts";
import { book } from "../ledger/usage.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import { UNRESOLVABLE } from "../views.ts";
import { chargeOf } from "./gas.ts";
import { closeUnresolvable } from "./sponsorships.ts";
import type { AptosFundStore, AptosTreasuryState, AptosTreasuryTransaction } from "./store.ts";

/** Nobody submits it any more. */
const NO_BYTES = { signedTransaction: new Uint8Array() };

/**
 * The state machine of an Aptos fund's withdrawals, and what its balance on chain says about deposits. It upholds the
 * guarantees that are listed in `aptos-fund.ts`.
 *
 * `pending` → `complete` | `failed` | `dead` | `unresolvable`. The signed bytes are written before they leave, and only the same bytes
 * are ever sent again. The fund signs nothing else as a sender, so that its sequence number is a withdrawal's own.
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
 * Journals a withdrawal, before it is submitted.
 *
 * @param idempotency written in the same commit.
 * @returns `sequence_conflict` while another one is under way; `balance_too_low` when it would pay out more than may be
 * withdrawn, or its gas might cost more than is reserved for that.
 */
export function beginTreasury(
  store: AptosFundStore,
  draft: AptosTreasuryDraft,
  nowMs: number,
  idempotency: IdempotencyRecord | null = null,
): Outcome<AptosTreasuryTransaction> {
  const pending = store.pendingOwnTransaction();
  if (pending !== null)
    return refuse("sequence_conflict", "another withdrawal is under way: try again once it is over", {
      expiresAtMs: pending.expiresAtMs,
    });
  if (draft.amountAtoms > withdrawableOctas(store, draft)) return refuseWithdrawal(store, draft);
  const reserveOctas = maintenanceReserveOctas(store);
  if (draft.gasBudgetAtoms > reserveOctas)
    return refuse(
      "balance_too_low",
      `the fund has ${reserveOctas} octas for the gas of its own transactions, this one may cost ${draft.gasBudgetAtoms}`,
    );
  const ofNothing = { chargedAtoms: null, committedVersion: null, resends: 0 };
  const transaction: AptosTreasuryTransaction = { ...draft, ...ofNothing, state: "pending", createdAtMs: nowMs };
  store.putOwnTransaction(transaction);
  if (idempotency !== null) store.putIdempotency(idempotency);
  lookUpLater(store, transaction, nowMs);
  return done(transaction);
}

/** Fees out of what has been earned; anything else out of what is available. */
export function withdrawableOctas(
  store: AptosFundStore,
  { collectedFeesAtoms }: Pick<AptosTreasuryDraft, "collectedFeesAtoms">,
): bigint {
  if (collectedFeesAtoms > 0n)
    return store.totals().accruedFeesAtoms - (store.pendingOwnTransaction()?.collectedFeesAtoms ?? 0n);
  const available = availableOctas(store);
  return available > 0n ? available : 0n;
}

/** Says how much is left to withdraw, or to collect. */
export function refuseWithdrawal(store: AptosFundStore, draft: Pick<AptosTreasuryDraft, "collectedFeesAtoms">) {
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

/** It was sent, or looked up, and has no outcome yet: when to send the same bytes again. */
export function recordTreasuryMiss(store: AptosFundStore, hash: string, nowMs: number): void {
  const transaction = store.ownTransaction(hash);
  if (transaction === null || transaction.state !== "pending") return;
  store.putOwnTransaction({ ...transaction, resends: transaction.resends + 1 });
  lookUpLater(store, transaction, nowMs);
}

/**
 * Books a committed withdrawal. One that was aborted has cost its gas, and moved nothing.
 *
 * @param address the fund's.
 * @returns whether it is booked; false, having written nothing, when this cannot be what the fund has signed.
 */
export function settleTreasury(
  store: AptosFundStore,
  execution: AptosExecution,
  address: string,
  nowMs: number,
): boolean {
  const transaction = store.ownTransaction(execution.hash);
  if (transaction === null || transaction.state === "dead" || transaction.state === UNRESOLVABLE) return false;
  if (transaction.state !== "pending") return true;
  if (execution.sender !== address || execution.sequenceNumber !== transaction.sequenceNumber) return false;
  const chargedAtoms = chargeOf(execution, transaction);
  if (chargedAtoms === null) return false;
  const { success, version: committedVersion } = execution;
  const { hash, amountAtoms, collectedFeesAtoms } = transaction;
  const state = success ? "complete" : "failed";
  store.putOwnTransaction({ ...transaction, ...NO_BYTES, state, chargedAtoms, committedVersion });
  store.setDue("own", hash, null);
  book(store, {
    atMs: nowMs,
    kind: "withdraw",
    reference: hash,
    balanceAtoms: -chargedAtoms - (success ? amountAtoms : 0n),
    accruedFeesAtoms: success ? -collectedFeesAtoms : 0n,
  });
  return true;
}

/**
 * What an endpoint shows at the withdrawal's sequence number closes it, or leaves it as it is: by the rules of
 * `closeByEvidence` of `aptos-fund.ts`.
 *
 * @param address the fund's.
 * @returns its state after that; null: no such withdrawal.
 */
export function closeTreasuryByEvidence(
  store: AptosFundStore,
  hash: string,
  seen: AptosExecutedAt,
  address: string,
  nowMs: number,
): AptosTreasuryState | null {
  const transaction = store.ownTransaction(hash);
  if (transaction === null || transaction.state !== "pending") return transaction?.state ?? null;
  if (seen.kind === "used") return "pending";
  if (seen.kind === "unused") {
    if (seen.ledger.timeMs < transaction.expiresAtMs) return "pending";
  } else {
    const { execution } = seen;
    if (execution.sender !== address || execution.sequenceNumber !== transaction.sequenceNumber) return "pending";
    if (execution.hash === hash) {
      settleTreasury(store, execution, address, nowMs);
      return store.ownTransaction(hash)?.state ?? null;
    }
  }
  store.putOwnTransaction({ ...transaction, ...NO_BYTES, state: "dead" });
  store.setDue("own", hash, null);
  return "dead";
}

/** The fund's balance as one endpoint showed it. */
export interface BalanceReading {
  readonly octas: bigint;
  readonly version: bigint;
  /** What was live once the balance had been read (`openReferences`): nothing promised later was committed by then. */
  readonly open: readonly string[];
}

/** Everything that the chain may have committed without our knowing: ids of sponsorships, hashes of withdrawals. */
export function openReferences(store: AptosFundStore): readonly string[] {
  const pending = store.pendingOwnTransaction();
  return pending === null ? store.live(null) : [...store.live(null), pending.hash];
}

/** What endpoints have shown of the sequence numbers of open rows, by reference: each the version of that one reply. */
export interface SequenceEvidence {
  /** The latest version at which it was unused. */
  readonly unusedAt: ReadonlyMap<string, bigint>;
  /** A version at which it was used, of rows that are given up: no endpoint shows by what. */
  readonly usedAt: ReadonlyMap<string, bigint>;
}

/** The rows of a reading of which it is not known whether they had changed the balance by then. */
export function unknownRows(
  store: AptosFundStore,
  { version, open }: BalanceReading,
  { unusedAt, usedAt }: SequenceEvidence,
): readonly string[] {
  const isOpen = new Set(openReferences(store));
  return open.filter(
    (reference) =>
      isOpen.has(reference) &&
      (unusedAt.get(reference) ?? -1n) < version &&
      (usedAt.get(reference) ?? version + 1n) > version,
  );
}

/**
 * Compares the fund's balance at a ledger version with the books at that version, and books what differs. It is exact:
 * the balance changes by what anybody deposits, and by what the fund has signed. Of the latter all that was committed
 * by that version is booked, with the version that committed it, once every row that was open after the reading is
 * either closed or known not to be committed at that version. So the books at that version are the totals less what
 * later versions have changed, and what the chain shows beside that was deposited. Readings only count in the order of
 * their versions: an older one would take back the deposits that a later one has found.
 *
 * A row that is given up is closed by the reading that it has changed. The difference is then its cost and perhaps a
 * deposit, and nobody can tell them apart: an adjustment, and never called a deposit.
 *
 * No bound is taken instead of what a row has cost. A storage refund can exceed the cost, and would pass for a deposit.
 *
 * @returns the difference booked, octas: a deposit, or an adjustment. Null, having written nothing, while an open row may
 * have been committed by that version, and for a reading older than one that was compared.
 */
export function takeBalance(
  store: AptosFundStore,
  reading: BalanceReading,
  evidence: SequenceEvidence,
  nowMs: number,
): bigint | null {
  const { octas, version } = reading;
  if (version < store.comparedVersion() || unknownRows(store, reading, evidence).length > 0) return null;
  const givenUp = givenUpBy(store, reading, evidence);
  for (const reference of givenUp) {
    closeUnresolvable(store, reference, nowMs);
    closeOwnUnresolvable(store, reference);
  }
  const expectedOctas = store.totals().balanceAtoms - store.bookedAfter(version);
  const differenceOctas = octas - expectedOctas;
  if (differenceOctas !== 0n) {
    const isDeposit = differenceOctas > 0n && givenUp.length === 0;
    const kind = isDeposit ? "deposit" : "adjustment";
    book(store, { atMs: nowMs, kind, reference: `version ${version}`, balanceAtoms: differenceOctas });
    const { balanceAtoms } = store.totals();
    if (isDeposit) store.raise({ type: "fund.deposit", amountAtoms: differenceOctas, balanceAtoms });
  }
  store.setComparedVersion(version);
  return differenceOctas;
}

/** The rows that a reading closes, because it shows what they have cost. */
export function givenUpBy(
  store: AptosFundStore,
  { version, open }: BalanceReading,
  { usedAt }: SequenceEvidence,
): readonly string[] {
  const isOpen = new Set(openReferences(store));
  return open.filter((reference) => isOpen.has(reference) && (usedAt.get(reference) ?? version + 1n) <= version);
}

/** Its sequence number is used, and only the fund has its key; whether it paid, only the balance tells. */
function closeOwnUnresolvable(store: AptosFundStore, hash: string): void {
  const transaction = store.ownTransaction(hash);
  if (transaction === null || transaction.state !== "pending") return;
  store.putOwnTransaction({ ...transaction, ...NO_BYTES, state: UNRESOLVABLE });
  store.setDue("own", hash, null);
}
