import type { ArchivedSponsorship } from "../../bindings/fund-archive.ts";
import type { Scanned, ScanStart } from "../../durable/scan.ts";
import { jsonRecord } from "../archive/record.ts";
import type { EndedRows, EndedSponsorship, EndedTreasury, NumberedSponsorship } from "../archive/rows.ts";
import type { SponsorshipFilter } from "../lists/filter.ts";
import type { SponsorshipView } from "../views.ts";
import { decodeSponsorship, encodeSponsorship, SPONSORSHIP_PLACES } from "./archived.ts";
import { type TreasuryRow, treasuryTransactionOf } from "./rows.ts";
import { sponsorshipViewOf } from "./sponsorship-rows.ts";
import type { SqliteSuiSponsorships } from "./sqlite-sponsorships.ts";

/** Reads and archives the ended rows of a Sui fund. */
export class SuiEndedRows implements EndedRows {
  readonly places = SPONSORSHIP_PLACES;
  readonly #sql: SqlStorage;
  readonly #sponsorships: SqliteSuiSponsorships;

  constructor(sql: SqlStorage, sponsorships: SqliteSuiSponsorships) {
    this.#sql = sql;
    this.#sponsorships = sponsorships;
  }

  sponsorshipsBelow(below: number, limit: number): readonly NumberedSponsorship[] {
    return this.#sponsorships.below(below, limit).map(({ number, row }) => ({ number, row: sponsorshipViewOf(row) }));
  }

  sponsorships(digests: readonly string[]): readonly EndedSponsorship[] {
    const newest = this.#sponsorships.below(Number.MAX_SAFE_INTEGER, 1)[0]?.number;
    return digests.flatMap((digest) => {
      const found = this.#sponsorships.numbered(digest);
      if (found === null || found.number === newest) return [];
      const { number, row } = found;
      if (row.state !== "complete" && row.state !== "dead") return [];
      const record = encodeSponsorship(row);
      return { archived: { number, name: digest, hash: null, record }, view: sponsorshipViewOf(row) };
    });
  }

  hasSponsorship(digest: string): boolean {
    return this.#sponsorships.find(digest) !== null;
  }

  removeSponsorships(rows: readonly ArchivedSponsorship[]): void {
    this.#sponsorships.remove(rows.map(({ number, name }) => ({ number, digest: name })));
  }

  scanSponsorships(filter: SponsorshipFilter, start: ScanStart): Scanned<NumberedSponsorship> {
    const { rows, reached } = this.#sponsorships.scan(filter, start);
    return { rows: rows.map(({ number, row }) => ({ number, row: sponsorshipViewOf(row) })), reached };
  }

  archivedView(record: string): SponsorshipView {
    return sponsorshipViewOf(decodeSponsorship(record));
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

  treasuryMadeAtMs(digest: string): number | null {
    const where = "WHERE digest = ?";
    const rows = this.#sql.exec<{ created_at_ms: number }>(
      `SELECT created_at_ms FROM own_transaction ${where}`,
      digest,
    );
    return rows.toArray()[0]?.created_at_ms ?? null;
  }

  removeTreasury(digest: string): void {
    this.#sql.exec("DELETE FROM own_transaction WHERE digest = ?", digest);
  }
}
