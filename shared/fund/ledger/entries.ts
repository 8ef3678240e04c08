import type { SponsorshipView } from "../views.ts";
import type { FundBooks } from "./books.ts";
import { addEntry, addUsage, spentAtoms, utcDay, withheldAtoms } from "./usage.ts";

/** How a sponsorship is booked, on every chain: withheld from its first moment on, until it is charged or released. */

/** What booking needs of a sponsorship. */
export type Booked = Pick<
  SponsorshipView,
  "keyId" | "sender" | "gasBudgetAtoms" | "feeAtoms" | "chargedAtoms" | "createdAtMs"
>;

/** Withholds its budget and its fee. */
export function addReserveEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): void {
  const { keyId, sender, createdAtMs } = sponsorship;
  const withheld = withheldAtoms(sponsorship);
  addEntry(books, { atMs: nowMs, kind: "reserve", reference, keyId, inFlightAtoms: withheld });
  addUsage(books, keyId, nowMs, { inFlightCount: 1, inFlightAtoms: withheld, spentTodayAtoms: withheld });
  books.addSenderSpend(sender, keyId, utcDay(createdAtMs), withheld);
}

/** It can never execute: what it withheld is available again, and counts as spent no more. */
export function addReleaseEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): void {
  release(books, reference, sponsorship, 0n, nowMs);
}

/** Nobody knows what it has cost: what it withheld is available again, and goes on counting as spent. */
export function addUnresolvableEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): void {
  release(books, reference, sponsorship, withheldAtoms(sponsorship), nowMs);
}

function release(books: FundBooks, reference: string, sponsorship: Booked, spent: bigint, nowMs: number): void {
  const { keyId } = sponsorship;
  addEntry(books, { atMs: nowMs, kind: "release", reference, keyId, inFlightAtoms: -withheldAtoms(sponsorship) });
  countOver(books, sponsorship, spent, nowMs);
}

/**
 * The chain has executed it: what it was charged is gone, the fee is earned, the rest is withheld no more.
 *
 * @param addressBalanceAtoms what of the charge the address balance has paid, on a chain that has one; 0 elsewhere.
 */
export function addChargeEntry(
  books: FundBooks,
  reference: string,
  sponsorship: Booked & { readonly chargedAtoms: bigint },
  addressBalanceAtoms: bigint,
  nowMs: number,
): void {
  const { keyId, chargedAtoms, feeAtoms } = sponsorship;
  addEntry(books, {
    atMs: nowMs,
    kind: "charge",
    reference,
    keyId,
    balanceAtoms: -chargedAtoms,
    addressBalanceAtoms: -addressBalanceAtoms,
    inFlightAtoms: -withheldAtoms(sponsorship),
    accruedFeesAtoms: feeAtoms,
  });
  countOver(books, sponsorship, spentAtoms(sponsorship), nowMs);
}

/** The limits of the day on which a sponsorship began are corrected, while that day lasts. */
function countOver(books: FundBooks, sponsorship: Booked, spent: bigint, nowMs: number): void {
  const { keyId, sender, createdAtMs } = sponsorship;
  const withheld = withheldAtoms(sponsorship);
  const spentOnDay = utcDay(createdAtMs);
  const correctionAtoms = spent - withheld;
  addUsage(books, keyId, nowMs, {
    inFlightCount: -1,
    inFlightAtoms: -withheld,
    spentTodayAtoms: correctionAtoms,
    spentOnDay,
  });
  books.addSenderSpend(sender, keyId, spentOnDay, correctionAtoms);
}
