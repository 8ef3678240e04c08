import type { ArchiveBatch, ArchivedRow, ArchivedSponsorship } from "../../bindings/fund-archive.ts";
import { encodeLedgerRow } from "../ledger/archived.ts";
import type { NumberedLedgerRow } from "../ledger/sqlite-ledger.ts";
import { type ArchivedMonth, monthOf, withLedgerRow, withSponsorship } from "./months.ts";
import type { Move } from "./progress.ts";
import type { ArchivableStore, EndedSponsorship, EndedTreasury } from "./rows.ts";

/**
 * Ended rows move to the archive of their month. The ledger leads: its rows are in the order of time, and a `charge` or
 * a `release` names the sponsorship that ended then. So no index of ended rows is needed.
 *
 * 1. A step is written before an archive gets a row (`planMove`).
 * 2. The archives get the rows, and answer once the rows are on disk.
 * 3. One commit of the fund deletes the rows and counts them to their months (`finishMove`).
 *
 * A crash at any point repeats the same step. A row is always in the fund, in its archive, or in both. No step changes
 * a total, a counter or a live row.
 */

/** Ledger rows of one step. A step takes the fund some milliseconds. */
const LEDGER_ROWS_AT_ONCE = 256;
/** Sponsorships of one step that had to stay in an earlier step. */
const LATER_AT_ONCE = 32;
/** Treasury transactions of one step. */
const TREASURY_AT_ONCE = 256;
/** A sponsorship that had to stay is tried again after this time. */
export const TRIED_AGAIN_MS = 3_600_000;

/** A step, and the rows that it sends. They were read in the commit that wrote the step. */
export interface PlannedMove {
  readonly move: Move;
  /** The rows for the archive of each month. */
  readonly batches: ReadonlyMap<string, ArchiveBatch>;
  /** The ledger rows of the step. No ledger row ever changes. */
  readonly ledger: readonly NumberedLedgerRow[];
}

/** Sponsorships by their references. */
type EndedByReference = ReadonlyMap<string, EndedSponsorship>;

/** Reads the sponsorships that may leave now. The others stay. */
function movable(store: ArchivableStore, references: readonly string[], cutoffMs: number): EndedByReference {
  const referredTo = store.referredTo(references);
  const ended = store.ended
    .sponsorships(references.filter((reference) => !referredTo.has(reference)))
    .filter(({ view }) => view.createdAtMs <= cutoffMs);
  return new Map(ended.map((row) => [row.archived.name, row]));
}

function referencesOf({ sponsorships }: Move): readonly string[] {
  return sponsorships.map(({ reference }) => reference);
}

/**
 * Returns the ledger rows of a step that are old enough. If the clock was ahead, a row may have a future time. Older
 * rows behind it show that it is old enough, too.
 */
function oldLedger(store: ArchivableStore, cutoffMs: number, nowMs: number): readonly NumberedLedgerRow[] {
  const rows = store.oldestLedger(LEDGER_ROWS_AT_ONCE);
  const last = rows.findLastIndex(({ row }) => row.atMs <= cutoffMs);
  if (last !== -1) return rows.slice(0, last + 1);
  const [first] = rows;
  const isOfFuture = first !== undefined && first.row.atMs > nowMs && store.sequenceBefore(cutoffMs) > first.number;
  return isOfFuture ? rows : [];
}

/** Returns true if a step would find rows to move. Reads a few rows at most. */
export function hasRowsToMove(store: ArchivableStore, cutoffMs: number, nowMs: number): boolean {
  return (
    store.archiveProgress.move() !== null ||
    oldLedger(store, cutoffMs, nowMs).length > 0 ||
    store.archiveProgress.later(nowMs - TRIED_AGAIN_MS, 1).length > 0
  );
}

/**
 * Returns the step under way, or writes the next one.
 *
 * @param cutoffMs rows that ended after this time stay.
 * @returns null if no row can move now.
 */
export function planMove(store: ArchivableStore, cutoffMs: number, nowMs: number): PlannedMove | null {
  return repeatedMove(store, cutoffMs) ?? nextMove(store, cutoffMs, nowMs);
}

function repeatedMove(store: ArchivableStore, cutoffMs: number): PlannedMove | null {
  const move = store.archiveProgress.move();
  if (move === null) return null;
  const { ledgerUpTo } = move;
  const ledger = ledgerUpTo === 0 ? [] : store.oldestLedger(LEDGER_ROWS_AT_ONCE);
  return withBatches(move, {
    ended: movable(store, referencesOf(move), cutoffMs),
    ledger: ledger.filter((row) => row.number <= ledgerUpTo),
    treasury: store.ended.treasury(cutoffMs, TREASURY_AT_ONCE),
  });
}

function nextMove(store: ArchivableStore, cutoffMs: number, nowMs: number): PlannedMove | null {
  const progress = store.archiveProgress;
  const ledger = oldLedger(store, cutoffMs, nowMs);
  const later = progress.later(nowMs - TRIED_AGAIN_MS, LATER_AT_ONCE);
  if (ledger.length === 0 && later.length === 0) return null;
  const endedBy = ledger.flatMap(({ row }) => (row.kind === "charge" || row.kind === "release" ? row.reference : []));
  const references = [...new Set([...later, ...endedBy])];
  const ended = movable(store, references, cutoffMs);
  for (const reference of references) if (!ended.has(reference)) tryLater(store, reference, nowMs);
  const treasury = store.ended.treasury(cutoffMs, TREASURY_AT_ONCE);
  const move: Move = {
    ledgerUpTo: ledger.at(-1)?.number ?? 0,
    sponsorships: [...ended].map(([reference, { archived, view }]) => ({
      reference,
      number: archived.number,
      month: monthOf(view.createdAtMs),
    })),
    treasury: treasury.map(({ name, createdAtMs }) => ({ name, month: monthOf(createdAtMs) })),
  };
  progress.setMove(move);
  return withBatches(move, { ended, ledger, treasury });
}

/** Records that a sponsorship stays for now. If the fund no longer has it, no second try is needed. */
function tryLater(store: ArchivableStore, reference: string, nowMs: number): void {
  if (store.ended.hasSponsorship(reference)) store.archiveProgress.putLater(reference, nowMs);
  else store.archiveProgress.dropLater([reference]);
}

interface MonthBatch extends ArchiveBatch {
  readonly claimed: number[];
  readonly sponsorships: ArchivedSponsorship[];
  readonly ledger: ArchivedRow[];
  readonly treasury: { readonly name: string; readonly record: string }[];
}

/** Groups the rows of a step by month. A sponsorship that may no longer leave is only claimed. */
function withBatches(
  move: Move,
  {
    ended,
    ledger,
    treasury,
  }: {
    readonly ended: EndedByReference;
    readonly ledger: readonly NumberedLedgerRow[];
    readonly treasury: readonly EndedTreasury[];
  },
): PlannedMove {
  const batches = new Map<string, MonthBatch>();
  const batchOf = (month: string): MonthBatch => {
    const batch = batches.get(month) ?? { claimed: [], sponsorships: [], ledger: [], treasury: [] };
    batches.set(month, batch);
    return batch;
  };
  for (const { reference, number, month } of move.sponsorships) {
    const batch = batchOf(month);
    batch.claimed.push(number);
    const row = ended.get(reference);
    if (row !== undefined) batch.sponsorships.push(row.archived);
  }
  for (const { number, row } of ledger)
    batchOf(monthOf(row.atMs)).ledger.push({ number, record: encodeLedgerRow(row) });
  const months = new Map(move.treasury.map(({ name, month }) => [name, month]));
  for (const { name, record } of treasury) {
    const month = months.get(name);
    if (month !== undefined) batchOf(month).treasury.push({ name, record });
  }
  return { move, batches, ledger };
}

/**
 * Deletes the rows of a step that the archives have on disk, and counts them to their months. A sponsorship that
 * changed in between stays. The next step makes its archive forget it.
 */
export function finishMove(
  store: ArchivableStore,
  { move, batches, ledger }: PlannedMove,
  { cutoffMs, nowMs }: { readonly cutoffMs: number; readonly nowMs: number },
): void {
  const months = new Map<string, ArchivedMonth>();
  const change = (month: string, changed: (known: ArchivedMonth) => ArchivedMonth) =>
    months.set(month, changed(months.get(month) ?? store.months.get(month)));
  const left: Move["sponsorships"][number][] = [];
  const gone: ArchivedSponsorship[] = [];
  const sent = new Map([...batches.values()].flatMap(({ sponsorships }) => sponsorships.map((row) => [row.name, row])));
  const endedNow = movable(store, referencesOf(move), cutoffMs);
  for (const claim of move.sponsorships) {
    const { reference, month } = claim;
    const copy = sent.get(reference);
    const ended = endedNow.get(reference);
    if (copy === undefined) tryLater(store, reference, nowMs);
    else if (ended !== undefined && isSame(ended.archived, copy)) {
      change(month, (known) => withSponsorship(known, copy.number, ended.view));
      gone.push(copy);
    } else left.push(claim);
  }
  store.ended.removeSponsorships(gone);
  store.archiveProgress.dropLater(gone.map(({ name }) => name));
  for (const { number, row } of ledger) change(monthOf(row.atMs), (known) => withLedgerRow(known, number, row));
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
