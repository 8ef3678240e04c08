import type { ArchivedSponsorship, ArchivedTreasury } from "../../bindings/fund-archive.ts";
import type { NumberedLedgerRow } from "../ledger/sqlite-ledger.ts";
import type { SponsorshipView } from "../views.ts";
import type { SqliteMonths } from "./months.ts";
import type { SqliteProgress } from "./progress.ts";

/** A sponsorship with its number in the list. Numbers grow, and no number is used twice. */
export interface NumberedSponsorship {
  readonly number: number;
  readonly row: SponsorshipView;
}

/** A sponsorship that has ended, in the form for its archive and as lists show it. */
export interface EndedSponsorship {
  readonly archived: ArchivedSponsorship;
  readonly view: SponsorshipView;
}

/** A treasury transaction that has ended, in the form for its archive. */
export interface EndedTreasury extends ArchivedTreasury {
  readonly createdAtMs: number;
}

/** The sponsorships and treasury transactions that a fund still has, as its lists and its archive need them. */
export interface EndedRows {
  /**
   * Reads a sponsorship that may leave by its state. Null if there is none, or if it has to stay.
   * The row with the highest number stays, because SQLite would use its number again.
   */
  sponsorship(reference: string): EndedSponsorship | null;
  hasSponsorship(reference: string): boolean;
  removeSponsorship(reference: string): void;
  /** Lists ended treasury transactions from before a time, oldest first. Those that a key refers to stay. */
  treasury(madeBeforeMs: number, limit: number): readonly EndedTreasury[];
  removeTreasury(name: string): void;
  /** Lists sponsorships in any state with numbers below `below`, highest first. */
  sponsorshipsBelow(below: number, limit: number): readonly NumberedSponsorship[];
  /** Decodes an archived sponsorship, as lists show it. */
  archivedView(record: string): SponsorshipView;
}

/**
 * The storage that the archive's steps need of a fund, on any chain.
 * All methods are synchronous. The caller wraps a change in a transaction.
 */
export interface ArchivableStore {
  readonly ended: EndedRows;
  readonly months: SqliteMonths;
  readonly archiveProgress: SqliteProgress;

  /** Tells whether the answer to a repeat may still need the row of this reference. */
  isReferredTo(reference: string): boolean;
  oldestLedger(limit: number): readonly NumberedLedgerRow[];
  removeLedgerUpTo(number: number): void;
  /** Returns the number of the last ledger row before a time. 0 if there is none. */
  sequenceBefore(atMs: number): number;
}
