// Aptos only (unsettledIds, unknownRows, adoptBalance, givenUpBy): one balance is compared with the books at a ledger version.

import { raiseDeposit } from "../deposit.ts";
import { addEntry } from "../ledger/usage.ts";
import { closeUnresolvable } from "./settle.ts";
import type { AptosFundStore } from "./store.ts";
import { closeTreasuryUnresolvable } from "./treasury-settle.ts";

/** The fund's balance as one endpoint showed it. */
export interface BalanceReading {
  readonly octas: bigint;
  readonly version: bigint;
  /** What was live once the balance had been read (`unsettledIds`): nothing promised later was committed by then. */
  readonly open: readonly string[];
}

/** Everything that the chain may have committed without our knowing: ids of sponsorships, hashes of withdrawals. */
export function unsettledIds(store: AptosFundStore): readonly string[] {
  const pending = store.pendingTreasury();
  return pending === null ? store.liveIds(null) : [...store.liveIds(null), pending.hash];
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
  const isOpen = new Set(unsettledIds(store));
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
export function adoptBalance(
  store: AptosFundStore,
  reading: BalanceReading,
  evidence: SequenceEvidence,
  nowMs: number,
): bigint | null {
  const { octas, version } = reading;
  if (version < store.reconciledVersion() || unknownRows(store, reading, evidence).length > 0) return null;
  const givenUp = givenUpBy(store, reading, evidence);
  for (const reference of givenUp) {
    closeUnresolvable(store, reference, nowMs);
    closeTreasuryUnresolvable(store, reference);
  }
  const expectedOctas = store.totals().balanceAtoms - store.balanceChangeAfter(version);
  const differenceOctas = octas - expectedOctas;
  if (differenceOctas !== 0n) {
    const isDeposit = differenceOctas > 0n && givenUp.length === 0;
    const kind = isDeposit ? "deposit" : "adjustment";
    addEntry(store, { atMs: nowMs, kind, reference: `version ${version}`, balanceAtoms: differenceOctas });
    if (isDeposit) raiseDeposit(store, differenceOctas);
  }
  store.setReconciledVersion(version);
  return differenceOctas;
}

/** The rows that a reading closes, because it shows what they have cost. */
export function givenUpBy(
  store: AptosFundStore,
  { version, open }: BalanceReading,
  { usedAt }: SequenceEvidence,
): readonly string[] {
  const isOpen = new Set(unsettledIds(store));
  return open.filter((reference) => isOpen.has(reference) && (usedAt.get(reference) ?? version + 1n) <= version);
}
