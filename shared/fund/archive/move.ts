import type { ArchiveBatch, ArchivedRow, ArchivedSponsorship } from "../../bindings/fund-archive.ts";
import { encodeLedgerRow } from "../ledger/archived.ts";
import { type ArchivedMonth, monthOf, withLedgerRow, withSponsorship } from "./months.ts";
import type { Move } from "./progress.ts";
import type { ArchivableStore, EndedSponsorship } from "./rows.ts";

/**
 * Ended rows move to the archive of their month. The ledger leads: its rows are in the order of time, and a `charge` or
 * a `release` names the sponsorship that ended then. So no index of ended rows is needed.
 *
 * 1. A step is written before an archive gets a row (`planMove`).
 * 2. The archives get the rows, and answer once the rows are on disk (`batchesOfMove`).
 * 3. One commit of the fund deletes the rows and counts them to their months (`finishMove`).
 *
 * A crash at any point repeats the same step. A row is in the fund, in its archive, or in both, and never in neither.
 * No step changes a total, a counter or anything that is live.
 */

/** Ledger rows of one step. A step takes the fund some milliseconds. */
const LEDGER_ROWS_AT_ONCE = 256;
/** Sponsorships of one step that had to stay before. */
const LATER_AT_ONCE = 32;
/** Treasury transactions of one step. */
const TREASURY_AT_ONCE = 256;
/** A sponsorship that had to stay is tried again after this time. */
export const TRIED_AGAIN_MS = 3_600_000;

/** Reads a sponsorship that may leave now. Null if it has to stay. */
function movable(store: ArchivableStore, reference: string, cutoffMs: number): EndedSponsorship | null {
  const ended = store.ended.sponsorship(reference);
  if (ended === null || ended.view.createdAtMs > cutoffMs || store.isReferredTo(reference)) return null;
  return ended;
}

/**
 * Returns the number up to which the ledger is old enough. 0 if its first row is not.
 * A clock that was ahead has written times of the future. Older rows behind them show that they are old enough, too.
 */
function oldLedgerUpTo(store: ArchivableStore, cutoffMs: number, nowMs: number): number {
  const rows = store.oldestLedger(LEDGER_ROWS_AT_ONCE);
  const last = rows.findLast(({ row }) => row.atMs <= cutoffMs);
  if (last !== undefined) return last.number;
  const [first] = rows;
  const isOfFuture = first !== undefined && first.row.atMs > nowMs && store.sequenceBefore(cutoffMs) > first.number;
  return isOfFuture ? (rows.at(-1)?.number ?? 0) : 0;
}

/** Tells whether a step would find rows to move. It reads a few rows at most. */
export function hasRowsToMove(store: ArchivableStore, cutoffMs: number, nowMs: number): boolean {
  return (
    store.archiveProgress.move() !== null ||
    oldLedgerUpTo(store, cutoffMs, nowMs) > 0 ||
    store.archiveProgress.later(nowMs - TRIED_AGAIN_MS, 1).length > 0
  );
}

/**
 * Returns the step under way, or writes the next one.
 *
 * @param cutoffMs rows that ended after this time stay.
 * @returns null if there is nothing to move now.
 */
export function planMove(store: ArchivableStore, cutoffMs: number, nowMs: number): Move | null {
  const progress = store.archiveProgress;
  const underWay = progress.move();
  if (underWay !== null) return underWay;
  const ledgerUpTo = oldLedgerUpTo(store, cutoffMs, nowMs);
  const later = progress.later(nowMs - TRIED_AGAIN_MS, LATER_AT_ONCE);
  if (ledgerUpTo === 0 && later.length === 0) return null;
  const endedBy = ledgerRowsUpTo(store, ledgerUpTo).flatMap(({ row }) =>
    row.kind === "charge" || row.kind === "release" ? row.reference : [],
  );
  const sponsorships: Move["sponsorships"][number][] = [];
  for (const reference of new Set([...later, ...endedBy])) {
    const ended = movable(store, reference, cutoffMs);
    if (ended !== null) {
      const { archived, view } = ended;
      sponsorships.push({ reference, number: archived.number, month: monthOf(view.createdAtMs) });
    } else tryLater(store, reference, nowMs);
  }
  const treasury = store.ended
    .treasury(cutoffMs, TREASURY_AT_ONCE)
    .map(({ name, createdAtMs }) => ({ name, month: monthOf(createdAtMs) }));
  const move: Move = { ledgerUpTo, sponsorships, treasury };
  progress.setMove(move);
  return move;
}

/** Notes that a sponsorship stays for now. One that is not in the fund any more needs no second try. */
function tryLater(store: ArchivableStore, reference: string, nowMs: number): void {
  if (store.ended.hasSponsorship(reference)) store.archiveProgress.putLater(reference, nowMs);
  else store.archiveProgress.dropLater(reference);
}

function ledgerRowsUpTo(store: ArchivableStore, number: number) {
  return number === 0 ? [] : store.oldestLedger(LEDGER_ROWS_AT_ONCE).filter((row) => row.number <= number);
}

interface MonthBatch extends ArchiveBatch {
  readonly claimed: number[];
  readonly sponsorships: ArchivedSponsorship[];
  readonly ledger: ArchivedRow[];
  readonly treasury: { readonly name: string; readonly record: string }[];
}

/** Reads the rows of a step, for the archive of each month. A sponsorship that may not leave any more is only claimed. */
export function batchesOfMove(store: ArchivableStore, move: Move, cutoffMs: number): ReadonlyMap<string, ArchiveBatch> {
  const batches = new Map<string, MonthBatch>();
  const batchOf = (month: string): MonthBatch => {
    const batch = batches.get(month) ?? { claimed: [], sponsorships: [], ledger: [], treasury: [] };
    batches.set(month, batch);
    return batch;
  };
  for (const { reference, number, month } of move.sponsorships) {
    batchOf(month).claimed.push(number);
    const ended = movable(store, reference, cutoffMs);
    if (ended !== null) batchOf(month).sponsorships.push(ended.archived);
  }
  for (const { number, row } of ledgerRowsUpTo(store, move.ledgerUpTo))
    batchOf(monthOf(row.atMs)).ledger.push({ number, record: encodeLedgerRow(row) });
  const months = new Map(move.treasury.map(({ name, month }) => [name, month]));
  for (const { name, record } of store.ended.treasury(cutoffMs, TREASURY_AT_ONCE)) {
    const month = months.get(name);
    if (month !== undefined) batchOf(month).treasury.push({ name, record });
  }
  return batches;
}

/**
 * Deletes the rows of a step that the archives have on disk, and counts them to their months.
 * A sponsorship that changed meanwhile stays. The next step has its archive forget it.
 *
 * @param batches what the archives have answered.
 */
export function finishMove(
  store: ArchivableStore,
  move: Move,
  batches: ReadonlyMap<string, ArchiveBatch>,
  { cutoffMs, nowMs }: { readonly cutoffMs: number; readonly nowMs: number },
): void {
  const months = new Map<string, ArchivedMonth>();
  const change = (month: string, changed: (known: ArchivedMonth) => ArchivedMonth) =>
    months.set(month, changed(months.get(month) ?? store.months.get(month)));
  const left: Move["sponsorships"][number][] = [];
  const sent = new Map([...batches.values()].flatMap(({ sponsorships }) => sponsorships.map((row) => [row.name, row])));
  for (const claim of move.sponsorships) {
    const { reference, month } = claim;
    const copy = sent.get(reference);
    const ended = movable(store, reference, cutoffMs);
    if (copy === undefined) tryLater(store, reference, nowMs);
    else if (ended !== null && isSame(ended.archived, copy)) {
      change(month, (known) => withSponsorship(known, copy.number, ended.view));
      store.ended.removeSponsorship(reference);
      store.archiveProgress.dropLater(reference);
    } else left.push(claim);
  }
  for (const { number, row } of ledgerRowsUpTo(store, move.ledgerUpTo))
    change(monthOf(row.atMs), (known) => withLedgerRow(known, number, row));
  if (move.ledgerUpTo > 0) store.removeLedgerUpTo(move.ledgerUpTo);
  for (const [month, { treasury }] of batches)
    for (const { name } of treasury) {
      change(month, (known) => known);
      store.ended.removeTreasury(name);
    }
  for (const month of months.values()) store.months.put(month);
  store.archiveProgress.setMove(left.length === 0 ? null : { ledgerUpTo: 0, sponsorships: left, treasury: [] });
}

function isSame(one: ArchivedSponsorship, other: ArchivedSponsorship): boolean {
  return one.number === other.number && one.record === other.record && one.hash === other.hash;
}
