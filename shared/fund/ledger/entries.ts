import type { SponsorshipView } from "../views.ts";
import type { FundBooks } from "./books.ts";
import { addEntry, addUsage, spentAtoms, utcDay, withheldAtoms } from "./usage.ts";

/** Every chain books a sponsorship alike: withheld from its first moment until it is charged or released. */

/** The fields of a sponsorship that booking uses. */
export type Booked = Pick<
  SponsorshipView,
  "keyId" | "sender" | "gasBudgetAtoms" | "feeAtoms" | "chargedAtoms" | "createdAtMs"
>;

/** Withholds a sponsorship's budget and its fee. */
export function addReserveEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): void {
  const { keyId, sender, createdAtMs } = sponsorship;
  const withheld = withheldAtoms(sponsorship);
  addEntry(books, { atMs: nowMs, kind: "reserve", reference, keyId, inFlightAtoms: withheld });
  addUsage(books, keyId, nowMs, { inFlightCount: 1, inFlightAtoms: withheld, spentTodayAtoms: withheld });
  books.addSenderSpend(sender, keyId, utcDay(createdAtMs), withheld);
}

/**
 * Releases a sponsorship that can never execute. Its withheld amount is available again, and no longer counts as spent.
 */
export function addReleaseEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): void {
  release(books, reference, sponsorship, 0n, nowMs);
}

/** Releases a sponsorship of unknown cost. Its withheld amount is available again, and still counts as spent. */
export function addUnresolvableEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): void {
  release(books, reference, sponsorship, withheldAtoms(sponsorship), nowMs);
}

function release(books: FundBooks, reference: string, sponsorship: Booked, spent: bigint, nowMs: number): void {
  const { keyId } = sponsorship;
  addEntry(books, { atMs: nowMs, kind: "release", reference, keyId, inFlightAtoms: -withheldAtoms(sponsorship) });
  countOver(books, sponsorship, spent, nowMs);
}

/**
 * Charges a sponsorship that the chain has executed. The charge is gone, the fee is earned, and nothing stays withheld.
 *
 * @param addressBalanceAtoms the part of the charge that the address balance paid. 0 on a chain without one.
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

/** Corrects the counters of the day on which a sponsorship began, while that day lasts. */
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
