import type { ArchivedSponsorship } from "../../bindings/fund-archive.ts";
import type { Scanned, ScanStart } from "../../durable/scan.ts";
import { u64Text } from "../../durable/sql.ts";
import { jsonRecord } from "../archive/record.ts";
import type { EndedRows, EndedSponsorship, EndedTreasury, NumberedSponsorship } from "../archive/rows.ts";
import type { SponsorshipFilter } from "../lists/filter.ts";
import type { SponsorshipView } from "../views.ts";
import { decodeSponsorship, encodeSponsorship, SPONSORSHIP_PLACES } from "./archived.ts";
import { type TreasuryRow, treasuryTransactionOf } from "./rows.ts";
import { sponsorshipViewOf } from "./sponsorship-rows.ts";
import type { SqliteAptosSponsorships } from "./sqlite-sponsorships.ts";

/** Reads and archives the ended rows of an Aptos fund. */
export class AptosEndedRows implements EndedRows {
  readonly places = SPONSORSHIP_PLACES;
  readonly #sql: SqlStorage;
  readonly #sponsorships: SqliteAptosSponsorships;
  readonly #reconciledVersion: () => bigint;

  /** @param reconciledVersion returns the ledger version before which readings of the balance no longer count. */
  constructor(sql: SqlStorage, sponsorships: SqliteAptosSponsorships, reconciledVersion: () => bigint) {
    this.#sql = sql;
    this.#sponsorships = sponsorships;
    this.#reconciledVersion = reconciledVersion;
  }

  sponsorshipsBelow(below: number, limit: number): readonly NumberedSponsorship[] {
    return this.#sponsorships.below(below, limit).map(({ number, row }) => ({ number, row: sponsorshipViewOf(row) }));
  }

  /** Keeps a row that an older reading of the balance would have to count. */
  sponsorships(ids: readonly string[]): readonly EndedSponsorship[] {
    const newest = this.#sponsorships.below(Number.MAX_SAFE_INTEGER, 1)[0]?.number;
    const reconciled = this.#reconciledVersion();
    return ids.flatMap((id) => {
      const found = this.#sponsorships.numbered(id);
      if (found === null || found.number === newest) return [];
      const { number, row } = found;
      if (row.state !== "complete" && row.state !== "dead") return [];
      if (row.committedVersion !== null && row.committedVersion > reconciled) return [];
      const record = encodeSponsorship(row);
      return { archived: { number, name: id, hash: row.hash, record }, view: sponsorshipViewOf(row) };
    });
  }

  hasSponsorship(id: string): boolean {
    return this.#sponsorships.find(id) !== null;
  }

  removeSponsorships(rows: readonly ArchivedSponsorship[]): void {
    this.#sponsorships.remove(rows.map(({ number, name }) => ({ number, id: name })));
  }

  scanSponsorships(filter: SponsorshipFilter, start: ScanStart): Scanned<NumberedSponsorship> {
    const { rows, reached } = this.#sponsorships.scan(filter, start);
    return { rows: rows.map(({ number, row }) => ({ number, row: sponsorshipViewOf(row) })), reached };
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

  treasuryMadeAtMs(hash: string): number | null {
    const where = "WHERE hash = ?";
    const rows = this.#sql.exec<{ created_at_ms: number }>(
      `SELECT created_at_ms FROM aptos_own_transaction ${where}`,
      hash,
    );
    return rows.toArray()[0]?.created_at_ms ?? null;
  }

  removeTreasury(hash: string): void {
    this.#sql.exec("DELETE FROM aptos_own_transaction WHERE hash = ?", hash);
  }
}
