import { jsonRecord } from "../archive/record.ts";
import type { EndedRows, EndedSponsorship, EndedTreasury, NumberedSponsorship } from "../archive/rows.ts";
import type { SponsorshipView } from "../views.ts";
import { decodeSponsorship, encodeSponsorship, shownSponsorship } from "./archived.ts";
import {
  LIST_COLUMNS,
  type SponsorshipListRow,
  type SponsorshipRow,
  sponsorshipOf,
  sponsorshipViewOf,
  type TreasuryRow,
  treasuryTransactionOf,
} from "./rows.ts";

/** The rows of a Sui fund as its lists and its archive need them. */
export class SuiEndedRows implements EndedRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  sponsorshipsBelow(below: number, limit: number): readonly NumberedSponsorship[] {
    return this.#sql
      .exec<SponsorshipListRow & { number: number }>(
        `SELECT rowid AS number, ${LIST_COLUMNS} FROM sponsorship WHERE rowid < ? ORDER BY rowid DESC LIMIT ?`,
        below,
        limit,
      )
      .toArray()
      .map((row) => ({ number: row.number, row: sponsorshipViewOf(row) }));
  }

  sponsorship(digest: string): EndedSponsorship | null {
    const [row] = this.#sql
      .exec<SponsorshipRow & { number: number }>(
        `SELECT rowid AS number, * FROM sponsorship
         WHERE digest = ? AND state IN ('complete', 'dead') AND rowid < (SELECT MAX(rowid) FROM sponsorship)`,
        digest,
      )
      .toArray();
    if (row === undefined) return null;
    const record = encodeSponsorship(sponsorshipOf(row));
    return { archived: { number: row.number, name: digest, hash: null, record }, view: sponsorshipViewOf(row) };
  }

  hasSponsorship(digest: string): boolean {
    return this.#sql.exec("SELECT 1 FROM sponsorship WHERE digest = ?", digest).toArray().length > 0;
  }

  removeSponsorship(digest: string): void {
    this.#sql.exec("DELETE FROM sponsorship WHERE digest = ?", digest);
  }

  archivedView(record: string): SponsorshipView {
    return shownSponsorship(decodeSponsorship(record));
  }

  treasury(madeBeforeMs: number, limit: number): readonly EndedTreasury[] {
    const where = `WHERE state <> 'pending' AND created_at_ms <= ?
      AND NOT EXISTS (SELECT 1 FROM idempotency WHERE reference = digest) ORDER BY rowid LIMIT ?`;
    return this.#sql
      .exec<TreasuryRow>(`SELECT * FROM own_transaction ${where}`, madeBeforeMs, limit)
      .toArray()
      .map(treasuryTransactionOf)
      .map((row) => ({ name: row.digest, record: jsonRecord(row), createdAtMs: row.createdAtMs }));
  }

  removeTreasury(digest: string): void {
    this.#sql.exec("DELETE FROM own_transaction WHERE digest = ?", digest);
  }
}
