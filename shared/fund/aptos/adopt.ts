// Aptos only (unsettledIds, unknownRows, differenceAt, adoptBalance, givenUpBy, closeGivenUp): one balance is compared with the books at a ledger version.

import type { AptosSequenceReading } from "../../chain/aptos/node.ts";
import type { AptosSeen } from "../../chain/aptos/seen.ts";
import { raiseDeposit } from "../deposit.ts";
import { addEntry } from "../ledger/usage.ts";
import { closeUnresolvable } from "./settle.ts";
import type { AptosFundStore } from "./store.ts";
import { closeTreasuryUnresolvable } from "./treasury-settle.ts";

/** The fund's balance as one endpoint showed it, and the rows that it may lack. */
export interface BalanceReading {
  /** The balance in octas. */
  readonly balance: AptosSeen<bigint>;
  /** The unsettled rows after the balance was read (`unsettledIds`). No later row was committed by that version. */
  readonly open: readonly string[];
}

/** Lists the rows that the chain may have committed before we know: ids of sponsorships, hashes of withdrawals. */
export function unsettledIds(store: AptosFundStore): readonly string[] {
  const pending = store.pendingTreasury();
  return pending === null ? store.liveIds(null) : [...store.liveIds(null), pending.hash];
}

/** The endpoints' evidence about the sequence numbers of open rows, by reference. */
export interface SequenceEvidence {
  /** The latest reply that showed the number unused, by row id. */
  readonly unusedAt: ReadonlyMap<string, AptosSequenceReading>;
  /**
   * The stored version at which the number was used, for rows that are given up (`used-sequences.ts`). No endpoint
   * shows the transaction that used the number.
   */
  readonly usedAt: ReadonlyMap<string, bigint>;
}

/** Returns the rows of a reading that may have changed the balance at its version. */
export function unknownRows(
  store: AptosFundStore,
  { balance: { version }, open }: BalanceReading,
  { unusedAt, usedAt }: SequenceEvidence,
): readonly string[] {
  const isOpen = new Set(unsettledIds(store));
  const unusedBy = (reference: string) => {
    const seen = unusedAt.get(reference);
    return seen?.value.kind === "unused" ? seen.version : -1n;
  };
  return open.filter(
    (reference) =>
      isOpen.has(reference) && unusedBy(reference) < version && (usedAt.get(reference) ?? version + 1n) > version,
  );
}

/**
 * Returns the difference of a reading from the books at its version, octas. Null while an open row may have been
 * committed at that version. Also null for a reading older than a compared one.
 */
export function differenceAt(
  store: AptosFundStore,
  reading: BalanceReading,
  evidence: SequenceEvidence,
): bigint | null {
  const { value: octas, version } = reading.balance;
  if (version < store.reconciledVersion() || unknownRows(store, reading, evidence).length > 0) return null;
  return octas - (store.totals().balanceAtoms - store.balanceChangeAfter(version));
}

/**
 * Compares the fund's balance at a ledger version with the books at that version, and books the difference. The
 * comparison is exact. The balance changes only by deposits and by transactions that the fund has signed. The books
 * hold every commit up to that version, once each row open after the reading is settled. Such a row is either closed,
 * or known not to be committed at that version. So the books at that version are the totals less the changes of later
 * versions. The rest of the balance is deposits. Readings count only in the order of their versions. An older one would
 * book later deposits as losses.
 *
 * A reading closes a given-up row that has changed it. The difference is then the row's cost and perhaps a deposit.
 * Nothing distinguishes the two, so the difference is an adjustment, never a deposit.
 *
 * No bound replaces the cost of a row. A storage refund can exceed the cost, and would look like a deposit.
 *
 * @returns the difference booked, octas: a deposit, or an adjustment. Null, with nothing written, while an open row may
 * have been committed at that version. Also null for a reading older than a compared one.
 */
export function adoptBalance(
  store: AptosFundStore,
  reading: BalanceReading,
  evidence: SequenceEvidence,
  nowMs: number,
): bigint | null {
  const { version } = reading.balance;
  const differenceOctas = differenceAt(store, reading, evidence);
  if (differenceOctas === null) return null;
  const givenUp = givenUpBy(store, reading, evidence);
  closeGivenUp(store, givenUp, nowMs);
  if (differenceOctas !== 0n) {
    const isDeposit = differenceOctas > 0n && givenUp.length === 0;
    const kind = isDeposit ? "deposit" : "adjustment";
    addEntry(store, { atMs: nowMs, kind, reference: `version ${version}`, balanceAtoms: differenceOctas });
    if (isDeposit) raiseDeposit(store, differenceOctas);
  }
  store.setReconciledVersion(version);
  return differenceOctas;
}

/** Returns the rows that a reading closes, because it shows their cost. */
export function givenUpBy(
  store: AptosFundStore,
  { balance: { version }, open }: BalanceReading,
  { usedAt }: SequenceEvidence,
): readonly string[] {
  const isOpen = new Set(unsettledIds(store));
  return open.filter((reference) => isOpen.has(reference) && (usedAt.get(reference) ?? version + 1n) <= version);
}

/** Closes rows whose cost a reading shows. */
export function closeGivenUp(store: AptosFundStore, references: readonly string[], nowMs: number): void {
  for (const reference of references) {
    closeUnresolvable(store, reference, nowMs);
    closeTreasuryUnresolvable(store, reference, nowMs);
  }
}
