import { limitedTo } from "../durable/sql.ts";

/**
 * Part of version 5 of a fund's storage. Rows of earlier versions have kept all of their bytes. The fund goes once
 * through the ended ones.
 */
export const SPENT_BYTES_MIGRATION = `
  CREATE INDEX idempotency_by_reference ON idempotency (reference);
  CREATE TABLE spent_bytes (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    emptied_up_to INTEGER NOT NULL
  ) STRICT;
  INSERT INTO spent_bytes (only_row, emptied_up_to) VALUES (1, 0);
`;

/** The number of rows of one commit. Each may free 128 KiB. */
const ROWS_AT_ONCE = 200;

/** A table whose rows have bytes that only serve until the row ends. */
export interface BytesTable {
  readonly name: string;
  /** The column that an Idempotency-Key refers to. */
  readonly key: string;
  readonly bytes: string;
  /** SQL for a row that has ended and whose bytes are never sent again. */
  readonly hasEnded: string;
}

/** Rows whose bytes lie in a table of their own. */
export interface EndedBytes {
  /** Empties the bytes of an ended row. A live row keeps them. */
  empty(reference: string): void;
}

/**
 * Empties the bytes of ended rows. A row keeps bytes that the answer to a repeat needs while an Idempotency-Key refers
 * to it. That lasts a day at most, so that large transactions cannot fill the storage.
 */
export class SpentBytes {
  readonly #sql: SqlStorage;
  readonly #tables: readonly BytesTable[];
  readonly #ended: EndedBytes;

  constructor(sql: SqlStorage, tables: readonly BytesTable[], ended: EndedBytes) {
    this.#sql = sql;
    this.#tables = tables;
    this.#ended = ended;
  }

  /** Returns true if an Idempotency-Key refers to a row. A key whose day is over counts until it is dropped. */
  isReferredTo(reference: string): boolean {
    return this.#sql.exec("SELECT 1 FROM idempotency WHERE reference = ? LIMIT 1", reference).toArray().length > 0;
  }

  /** Returns the references that `isReferredTo` applies to. */
  referredTo(references: readonly string[]): ReadonlySet<string> {
    const query = "SELECT reference FROM idempotency WHERE reference IN (SELECT value FROM json_each(?))";
    const rows = this.#sql.exec<{ reference: string }>(query, JSON.stringify(references)).toArray();
    return new Set(rows.map(({ reference }) => reference));
  }

  /** Empties the bytes of an ended row that no key refers to. Call it when a key no longer refers to the row. */
  release(reference: string): void {
    if (this.isReferredTo(reference)) return;
    this.#ended.empty(reference);
    for (const { name, key, bytes, hasEnded } of this.#tables)
      this.#sql.exec(`UPDATE ${name} SET ${bytes} = x'' WHERE ${key} = ? AND ${hasEnded}`, reference);
  }

  /**
   * Drops some keys whose day is over, with the bytes that they kept. Then empties some of the rows that ended before
   * version 5.
   *
   * @returns true if more of either is already due.
   */
  sweep(nowMs: number): boolean {
    const old = this.#sql
      .exec<{ scope: string; reference: string }>(
        `SELECT scope, reference FROM idempotency WHERE expires_at_ms <= ?
         ORDER BY expires_at_ms ${limitedTo(ROWS_AT_ONCE)}`,
        nowMs,
      )
      .toArray();
    for (const { scope } of old) this.#sql.exec("DELETE FROM idempotency WHERE scope = ?", scope);
    for (const { reference } of old) this.release(reference);
    return this.#emptyOlder() || old.length === ROWS_AT_ONCE;
  }

  #emptyOlder(): boolean {
    const [row] = this.#sql.exec<{ upTo: number }>("SELECT emptied_up_to AS upTo FROM spent_bytes").toArray();
    if (row === undefined) return false;
    const upTo = row.upTo + ROWS_AT_ONCE;
    let last = 0;
    for (const { name, key, bytes, hasEnded } of this.#tables) {
      this.#sql.exec(
        `UPDATE ${name} SET ${bytes} = x'' WHERE rowid > ? AND rowid <= ? AND ${hasEnded} AND length(${bytes}) > 0
         AND NOT EXISTS (SELECT 1 FROM idempotency WHERE reference = ${key})`,
        row.upTo,
        upTo,
      );
      last = Math.max(
        last,
        this.#sql.exec<{ last: number | null }>(`SELECT MAX(rowid) AS last FROM ${name}`).one().last ?? 0,
      );
    }
    if (upTo < last) this.#sql.exec("UPDATE spent_bytes SET emptied_up_to = ?", upTo);
    else this.#sql.exec("DELETE FROM spent_bytes");
    return upTo < last;
  }
}
