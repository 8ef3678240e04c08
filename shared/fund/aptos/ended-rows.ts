import { u64Text } from "../../durable/sql.ts";
import { jsonRecord } from "../archive/record.ts";
import type { EndedRows, EndedSponsorship, EndedTreasury, NumberedSponsorship } from "../archive/rows.ts";
import type { SponsorshipView } from "../views.ts";
import { decodeSponsorship, encodeSponsorship } from "./archived.ts";
import {
  type SponsorshipRow,
  sponsorshipOf,
  sponsorshipViewOf,
  type TreasuryRow,
  treasuryTransactionOf,
} from "./rows.ts";

/** The rows of an Aptos fund as its lists and its archive need them. */
export class AptosEndedRows implements EndedRows {
  readonly #sql: SqlStorage;
  readonly #reconciledVersion: () => bigint;

  /** @param reconciledVersion returns the ledger version below which no reading of the balance counts. */
  constructor(sql: SqlStorage, reconciledVersion: () => bigint) {
    this.#sql = sql;
    this.#reconciledVersion = reconciledVersion;
  }

  sponsorshipsBelow(below: number, limit: number): readonly NumberedSponsorship[] {
    return this.#sql
      .exec<SponsorshipRow & { number: number }>(
        "SELECT rowid AS number, * FROM aptos_sponsorship WHERE rowid < ? ORDER BY rowid DESC LIMIT ?",
        below,
        limit,
      )
      .toArray()
      .map((row) => ({ number: row.number, row: sponsorshipViewOf(sponsorshipOf(row)) }));
  }

  /** A row that an older reading of the balance would have to count stays, too. */
  sponsorship(id: string): EndedSponsorship | null {
    const [found] = this.#sql
      .exec<SponsorshipRow & { number: number }>(
        `SELECT rowid AS number, * FROM aptos_sponsorship
         WHERE id = ? AND state IN ('complete', 'dead') AND rowid < (SELECT MAX(rowid) FROM aptos_sponsorship)`,
        id,
      )
      .toArray();
    if (found === undefined) return null;
    const row = sponsorshipOf(found);
    if (row.committedVersion !== null && row.committedVersion > this.#reconciledVersion()) return null;
    const record = encodeSponsorship(row);
    return { archived: { number: found.number, name: id, hash: row.hash, record }, view: sponsorshipViewOf(row) };
  }

  hasSponsorship(id: string): boolean {
    return this.#sql.exec("SELECT 1 FROM aptos_sponsorship WHERE id = ?", id).toArray().length > 0;
  }

  removeSponsorship(id: string): void {
    this.#sql.exec("DELETE FROM aptos_sponsorship WHERE id = ?", id);
  }

  archivedView(record: string): SponsorshipView {
    return sponsorshipViewOf(decodeSponsorship(record));
  }

  treasury(madeBeforeMs: number, limit: number): readonly EndedTreasury[] {
    const where = `WHERE state IN ('complete', 'failed', 'dead') AND created_at_ms <= ?
      AND (committed_version IS NULL OR committed_version <= ?)
      AND NOT EXISTS (SELECT 1 FROM idempotency WHERE reference = hash) ORDER BY rowid LIMIT ?`;
    const reconciled = this.#reconciledVersion();
    const upTo = reconciled < 0n ? "" : u64Text(reconciled);
    return this.#sql
      .exec<TreasuryRow>(`SELECT * FROM aptos_own_transaction ${where}`, madeBeforeMs, upTo, limit)
      .toArray()
      .map(treasuryTransactionOf)
      .map((row) => ({ name: row.hash, record: jsonRecord(row), createdAtMs: row.createdAtMs }));
  }

  removeTreasury(hash: string): void {
    this.#sql.exec("DELETE FROM aptos_own_transaction WHERE hash = ?", hash);
  }
}
