import type { SponsorshipView } from "../views.ts";
import type { FundBooks } from "./books.ts";
import { type DailyCounts, NOTHING_COUNTED } from "./daily.ts";
import { addEntry, addUsage, spentAtoms, utcDay, withheldAtoms } from "./usage.ts";

/**
 * Every chain books a sponsorship in the same way. Its amount is withheld from its first moment until it is charged or
 * released. A sponsorship without gas is released when it expires, although it may still execute (`isReleased`).
 */

/** The most targets that one sponsorship counts for. A transaction on Sui may have a thousand calls. */
const TARGETS_A_SPONSORSHIP = 8;

/** The fields of a sponsorship that booking uses. */
export type Booked = Pick<
  SponsorshipView,
  "keyId" | "sender" | "gasBudgetAtoms" | "feeAtoms" | "chargedAtoms" | "rebateAtoms" | "createdAtMs"
> &
  Partial<Pick<SponsorshipView, "maintenanceAtoms">> & {
    /** True if `addExpiryReleaseEntry` has booked it. Absent for false. */
    readonly isReleased?: boolean;
  };

/** The facts of an end that only the row's bytes and the chain know. */
export interface EndFacts {
  /** The targets of the sponsorship's Move calls. */
  readonly targets: readonly string[];
  /** True if the chain shows that it aborted. */
  readonly isAborted?: boolean;
}

/** Returns the amount that a live sponsorship withholds now. */
function heldAtoms(sponsorship: Booked): bigint {
  return sponsorship.isReleased === true ? 0n : withheldAtoms(sponsorship);
}

/** Withholds a sponsorship's budget and its fee. Returns the number of the ledger row. */
export function addReserveEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): number {
  const { keyId, sender, createdAtMs } = sponsorship;
  const withheld = withheldAtoms(sponsorship);
  const number = addEntry(books, { atMs: nowMs, kind: "reserve", reference, keyId, inFlightAtoms: withheld });
  addUsage(books, keyId, nowMs, { inFlightCount: 1, inFlightAtoms: withheld, spentTodayAtoms: withheld });
  books.addSenderSpend(sender, keyId, utcDay(createdAtMs), withheld);
  return number;
}

/**
 * Releases a sponsorship that has expired, although it may still execute. Its withheld amount is available again, and
 * no longer counts as in flight or spent. The row must be marked as released in the same commit. Its end is counted
 * later.
 *
 * @returns the number of the ledger row.
 */
export function addExpiryReleaseEntry(books: FundBooks, reference: string, sponsorship: Booked, nowMs: number): number {
  if (sponsorship.isReleased === true) throw new Error(`${reference} was released before`);
  return release(books, reference, sponsorship, 0n, nowMs);
}

/**
 * Releases a sponsorship that can never execute. Its withheld amount is available again, and no longer counts as spent.
 *
 * @returns the number of the ledger row.
 */
export function addReleaseEntry(
  books: FundBooks,
  reference: string,
  sponsorship: Booked,
  { targets }: EndFacts,
  nowMs: number,
): number {
  const maintenanceAtoms = sponsorship.maintenanceAtoms ?? 0n;
  countEnd(books, sponsorship, targets, { abandoned: 1, maintenanceAtoms }, nowMs);
  return release(books, reference, sponsorship, 0n, nowMs);
}

/**
 * Releases a sponsorship of unknown cost. Its withheld amount is available again, and still counts as spent.
 *
 * @returns the number of the ledger row.
 */
export function addUnresolvableEntry(
  books: FundBooks,
  reference: string,
  sponsorship: Booked,
  { targets }: EndFacts,
  nowMs: number,
): number {
  countEnd(books, sponsorship, targets, { unresolvable: 1 }, nowMs);
  return release(books, reference, sponsorship, withheldAtoms(sponsorship), nowMs);
}

/**
 * Stops counting a sponsorship of unknown cost as spent, once the chain proves that it was never executed. Its end was
 * counted before, and its amount was released then.
 */
export function uncountSpent(books: FundBooks, sponsorship: Booked, nowMs: number): void {
  const { keyId, sender, createdAtMs } = sponsorship;
  const spentOnDay = utcDay(createdAtMs);
  const correctionAtoms = -withheldAtoms(sponsorship);
  addUsage(books, keyId, nowMs, { spentTodayAtoms: correctionAtoms, spentOnDay });
  books.addSenderSpend(sender, keyId, spentOnDay, correctionAtoms);
}

/**
 * Charges a sponsorship that was closed as unresolvable, once the chain shows it. The books had taken its cost from the
 * chain before, so a correction gives the charge back. Its end was counted before, and its targets are gone.
 *
 * @param addressBalanceAtoms as for `addChargeEntry`.
 * @returns the number of the charge's row.
 */
export function addLateChargeEntry(
  books: FundBooks,
  reference: string,
  sponsorship: Booked & { readonly chargedAtoms: bigint },
  addressBalanceAtoms: bigint,
  nowMs: number,
): number {
  const { keyId, sender, createdAtMs, chargedAtoms, feeAtoms, rebateAtoms } = sponsorship;
  const charge = { balanceAtoms: -chargedAtoms, addressBalanceAtoms: -addressBalanceAtoms };
  const number = addEntry(books, {
    ...{ atMs: nowMs, kind: "charge", reference, keyId },
    ...{ ...charge, accruedFeesAtoms: feeAtoms },
  });
  const correction = { balanceAtoms: chargedAtoms, addressBalanceAtoms };
  addEntry(books, { atMs: nowMs, kind: "correction", reference, keyId, ...correction });
  const spentOnDay = utcDay(createdAtMs);
  const correctionAtoms = spentAtoms(sponsorship) - withheldAtoms(sponsorship);
  addUsage(books, keyId, nowMs, { spentTodayAtoms: correctionAtoms, spentOnDay });
  books.addSenderSpend(sender, keyId, spentOnDay, correctionAtoms);
  countEnd(books, sponsorship, [], { chargedAtoms, feeAtoms, rebateAtoms: rebateAtoms ?? 0n }, nowMs);
  return number;
}

function release(books: FundBooks, reference: string, sponsorship: Booked, spent: bigint, nowMs: number): number {
  const { keyId } = sponsorship;
  countOver(books, sponsorship, spent, nowMs);
  const inFlightAtoms = -heldAtoms(sponsorship);
  return addEntry(books, { atMs: nowMs, kind: "release", reference, keyId, inFlightAtoms });
}

/**
 * Charges a sponsorship that the chain has executed. Books the charge as spent and the fee as earned, and ends the
 * withholding.
 *
 * @param addressBalanceAtoms the part of the charge that the address balance paid. 0 on a chain without one.
 * @returns the number of the ledger row.
 */
export function addChargeEntry(
  books: FundBooks,
  reference: string,
  sponsorship: Booked & { readonly chargedAtoms: bigint },
  addressBalanceAtoms: bigint,
  { targets, isAborted = false }: EndFacts,
  nowMs: number,
): number {
  const { keyId, chargedAtoms, feeAtoms } = sponsorship;
  const number = addEntry(books, {
    atMs: nowMs,
    kind: "charge",
    reference,
    keyId,
    balanceAtoms: -chargedAtoms,
    addressBalanceAtoms: -addressBalanceAtoms,
    inFlightAtoms: -heldAtoms(sponsorship),
    accruedFeesAtoms: feeAtoms,
  });
  countOver(books, sponsorship, spentAtoms(sponsorship), nowMs);
  const amounts = { chargedAtoms, feeAtoms, rebateAtoms: sponsorship.rebateAtoms ?? 0n };
  countEnd(books, sponsorship, targets, { executed: 1, failed: isAborted ? 1 : 0, ...amounts }, nowMs);
  return number;
}

/**
 * Takes a sponsorship out of the amount in flight, unless it was released before. Corrects the counters of the day on
 * which it began, while that day lasts.
 */
function countOver(books: FundBooks, sponsorship: Booked, spent: bigint, nowMs: number): void {
  const { keyId, sender, createdAtMs, isReleased = false } = sponsorship;
  const held = heldAtoms(sponsorship);
  const spentOnDay = utcDay(createdAtMs);
  const correctionAtoms = spent - held;
  addUsage(books, keyId, nowMs, {
    inFlightCount: isReleased ? 0 : -1,
    inFlightAtoms: -held,
    spentTodayAtoms: correctionAtoms,
    spentOnDay,
  });
  books.addSenderSpend(sender, keyId, spentOnDay, correctionAtoms);
}

/**
 * Counts an ended sponsorship for its key, its sender and its first targets.
 *
 * @param targets the targets of its Move calls. One that occurs twice counts once.
 */
function countEnd(
  books: FundBooks,
  { keyId, sender }: Booked,
  targets: readonly string[],
  counts: Partial<DailyCounts>,
  nowMs: number,
): void {
  const day = utcDay(nowMs);
  const added = { ...NOTHING_COUNTED, ...counts };
  books.addDaily("key", { day, name: keyId, ...added });
  books.addDaily("sender", { day, name: sender, ...added });
  for (const name of [...new Set(targets)].slice(0, TARGETS_A_SPONSORSHIP))
    books.addDaily("target", { day, name, ...added });
}
