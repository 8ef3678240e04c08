import * as z from "zod";
import type { Row } from "../../durable/sql.ts";

/**
 * Part of version 6 of a fund's storage. `archive_month` lists the archives and the sums of their rows.
 * `archive_move` is the step under way. `archive_later` names ended sponsorships that had to stay.
 */
export const ARCHIVE_MIGRATION_6 = `
  CREATE TABLE archive_month (
    month TEXT PRIMARY KEY,
    content TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE archive_move (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    move TEXT NOT NULL
  ) STRICT;
  CREATE TABLE archive_later (
    reference TEXT PRIMARY KEY,
    tried_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX archive_later_by_time ON archive_later (tried_at_ms);
`;

const moveSchema = z.object({
  ledgerUpTo: z.int(),
  sponsorships: z.array(z.object({ reference: z.string(), number: z.int(), month: z.string() })).readonly(),
  treasury: z.array(z.object({ name: z.string(), month: z.string() })).readonly(),
});

/**
 * One step of the archive: the rows that it moves, each with its month. It is on disk before an archive gets a row. So
 * a step that a crash interrupts is repeated unchanged. If a sponsorship becomes live again, the archive forgets it.
 */
export type Move = z.output<typeof moveSchema>;

/** Stores the step under way, and the sponsorships that could not leave yet. */
export class SqliteProgress {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Reads the step under way. Null if no step is under way. */
  move(): Move | null {
    const [row] = this.#sql.exec<{ move: string }>("SELECT move FROM archive_move").toArray();
    return row === undefined ? null : moveSchema.parse(JSON.parse(row.move));
  }

  setMove(move: Move | null): void {
    if (move === null) this.#sql.exec("DELETE FROM archive_move");
    else this.#sql.exec("INSERT OR REPLACE INTO archive_move (only_row, move) VALUES (1, ?)", JSON.stringify(move));
  }

  /** Lists sponsorships that had to stay and were not tried since a time, the longest untried first. */
  later(triedBeforeMs: number, limit: number): readonly string[] {
    return this.#sql
      .exec<Row<{ reference: string }>>(
        "SELECT reference FROM archive_later WHERE tried_at_ms < ? ORDER BY tried_at_ms LIMIT ?",
        triedBeforeMs,
        limit,
      )
      .toArray()
      .map(({ reference }) => reference);
  }

  /** Records that a sponsorship stays for now. */
  putLater(reference: string, nowMs: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO archive_later (reference, tried_at_ms) VALUES (?, ?)", reference, nowMs);
  }

  dropLater(references: readonly string[]): void {
    const isOne = "reference IN (SELECT value FROM json_each(?))";
    this.#sql.exec(`DELETE FROM archive_later WHERE ${isOne}`, JSON.stringify(references));
  }

  /** Returns true if any sponsorship had to stay. */
  hasLater(): boolean {
    return this.#sql.exec("SELECT 1 FROM archive_later LIMIT 1").toArray().length > 0;
  }
}
