// Aptos only (closedUntilMs, missingOctas, adoptCorrection): a signature on Aptos dies by time alone, and one balance holds all money.

import type { AptosSeen } from "../../chain/aptos/seen.ts";
import { addEntry } from "../ledger/usage.ts";
import {
  type BalanceReading,
  closeGivenUp,
  differenceAt,
  givenUpBy,
  type SequenceEvidence,
  unknownRows,
} from "./adopt.ts";
import { MAX_EXPIRATION_SECONDS } from "./limits.ts";
import type { AptosFundStore } from "./store.ts";

/** The greatest lead of our clock over the ledger that counts. A clock that is further ahead is wrong. */
const MAX_AHEAD_MS = 3_600_000;

/**
 * Returns the chain's time at which every forgotten signature of a restored state has expired. The service signs
 * nothing that expires later than an hour ahead of its clock. The ledger may lag behind that clock.
 *
 * @param ledger a reply from after the closure of the fund.
 */
export function closedUntilMs({ timestampMs: timeMs }: AptosSeen<null>, nowMs: number): number {
  const signedByMs = Math.max(timeMs, Math.min(nowMs, timeMs + MAX_AHEAD_MS));
  return signedByMs + Number(MAX_EXPIRATION_SECONDS) * 1_000;
}

/**
 * Returns the amount that a reading lacks against the books, beyond the possible cost of its open rows, octas. Only
 * transactions that the fund has signed lower the balance. So the state has forgotten one, or the reply lies. 0 if
 * nothing is missing. Null while an open row may have been committed at that version, or for an older reading.
 */
export function missingOctas(
  store: AptosFundStore,
  reading: BalanceReading,
  evidence: SequenceEvidence,
): bigint | null {
  const differenceOctas = differenceAt(store, reading, evidence);
  if (differenceOctas === null) return null;
  const missing = -differenceOctas - greatestCost(store, givenUpBy(store, reading, evidence));
  return missing > 0n ? missing : 0n;
}

/** Sums the greatest possible costs of open rows. */
function greatestCost(store: AptosFundStore, references: readonly string[]): bigint {
  return references.reduce((sum, reference) => {
    const own = store.treasuryTransaction(reference);
    const { gasBudgetAtoms = 0n } = own ?? store.sponsorship(reference) ?? {};
    return sum + gasBudgetAtoms + (own?.amountAtoms ?? 0n);
  }, 0n);
}

/**
 * Takes a reading into the books of a recovering fund. The difference is one correction, with any causes. No part of it
 * is certainly a deposit.
 *
 * @returns the difference booked, octas. Null, with nothing written, for a reading that `adoptBalance` does not take.
 */
export function adoptCorrection(
  store: AptosFundStore,
  reading: BalanceReading,
  evidence: SequenceEvidence,
  nowMs: number,
): bigint | null {
  if (unknownRows(store, reading, evidence).length > 0) return null;
  const differenceOctas = differenceAt(store, reading, evidence);
  if (differenceOctas === null) return null;
  closeGivenUp(store, givenUpBy(store, reading, evidence), nowMs);
  const { version } = reading.balance;
  const reference = `version ${version}`;
  if (differenceOctas !== 0n)
    addEntry(store, { atMs: nowMs, kind: "correction", reference, balanceAtoms: differenceOctas });
  store.setReconciledVersion(version);
  return differenceOctas;
}
