import type { ArchivedSponsorship, ArchivedTreasury } from "../../bindings/fund-archive.ts";
import type { Scanned, ScanStart } from "../../durable/scan.ts";
import type { NumberedLedgerRow } from "../ledger/sqlite-ledger.ts";
import type { SponsorshipPlaces } from "../lists/conditions.ts";
import type { SponsorshipFilter } from "../lists/filter.ts";
import type { SponsorshipView } from "../views.ts";
import type { SqliteMonths } from "./months.ts";
import type { SqliteProgress } from "./progress.ts";

/** A sponsorship with its number in the list. Numbers only grow, and are never reused. */
export interface NumberedSponsorship {
  readonly number: number;
  readonly row: SponsorshipView;
}

/** A sponsorship that has ended, in the forms of its archive and of lists. */
export interface EndedSponsorship {
  readonly archived: ArchivedSponsorship;
  readonly view: SponsorshipView;
}

/** A treasury transaction that has ended, in the form for its archive. */
export interface EndedTreasury extends ArchivedTreasury {
  readonly createdAtMs: number;
}

/** The sponsorships and treasury transactions that a fund still has, for its lists and its archive. */
export interface EndedRows {
  /**
   * Reads the sponsorships whose state allows them to leave, in the order of their references. The row with the highest
   * number stays, because SQLite would use its number again.
   */
  sponsorships(references: readonly string[]): readonly EndedSponsorship[];
  hasSponsorship(reference: string): boolean;
  removeSponsorships(rows: readonly ArchivedSponsorship[]): void;
  /** Lists ended treasury transactions from before a time, oldest first. Leaves out those that a key refers to. */
  treasury(madeBeforeMs: number, limit: number): readonly EndedTreasury[];
  /**
   * Returns the time at which a treasury transaction of the fund's own storage was made. Null if the fund no longer has
   * it.
   */
  treasuryMadeAtMs(name: string): number | null;
  removeTreasury(name: string): void;
  /** Lists sponsorships in any state with numbers below `below`, highest first. */
  sponsorshipsBelow(below: number, limit: number): readonly NumberedSponsorship[];
  /** Lists sponsorships that a filter selects. Does not read rows of version 5. */
  scanSponsorships(filter: SponsorshipFilter, start: ScanStart): Scanned<NumberedSponsorship>;
  /** The places of fields in an archived sponsorship. */
  readonly places: SponsorshipPlaces;
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

  /** Returns the references whose rows the answer to a repeat may still need. */
  referredTo(references: readonly string[]): ReadonlySet<string>;
  oldestLedger(limit: number): readonly NumberedLedgerRow[];
  removeLedgerUpTo(number: number): void;
  /** Returns the number of the last ledger row before a time. 0 without such a row. */
  sequenceBefore(atMs: number): number;
}
