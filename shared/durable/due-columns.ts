import { limitedTo } from "./sql.ts";

/** A task of an object, and its time in Unix milliseconds. */
export interface DueRow {
  readonly kind: string;
  readonly reference: string;
  readonly atMs: number;
}

/**
 * A table whose rows have the time of one kind of work in a column of their own. Such a row changes with its work, so
 * the time costs no other page. A row of `due` would have places of its own in two trees.
 */
export interface DueColumn {
  readonly kind: string;
  readonly table: string;
  /** The unique column that has the reference, packed. */
  readonly id: string;
  readonly pack: (reference: string) => Uint8Array | string;
  readonly unpack: (stored: ArrayBuffer | string) => string;
}

/** `by_then` keeps an earlier time. */
export type When = "then" | "by_then";

/** Adds the time to a table, with an index. It is null while nothing is due. */
export function dueColumnMigration({ table }: DueColumn): string {
  return `
    ALTER TABLE ${table} ADD COLUMN due_at_ms INTEGER;
    CREATE INDEX ${table}_due ON ${table} (due_at_ms) WHERE due_at_ms IS NOT NULL;
  `;
}

/**
 * Moves the time of a reference from `due` to a row that has just come into a column's table. Without such a time, it
 * changes nothing.
 */
export function moveDue(sql: SqlStorage, { kind, table, id, pack }: DueColumn, reference: string): void {
  const where = "FROM due WHERE kind = ? AND reference = ?";
  const [row] = sql.exec<{ at_ms: number }>(`SELECT at_ms ${where}`, kind, reference).toArray();
  if (row === undefined) return;
  const moved = sql.exec(`UPDATE ${table} SET due_at_ms = ? WHERE ${id} = ?`, row.at_ms, pack(reference));
  if (moved.rowsWritten > 0) sql.exec(`DELETE ${where}`, kind, reference);
}

/** A column with the statements of each call. Their texts are made once. */
interface Statements extends DueColumn {
  readonly update: string;
  readonly updateByThen: string;
}

/** Keeps the times that rows of other tables have themselves. `DueTable` joins them with its own rows. */
export class DueColumns {
  readonly #sql: SqlStorage;
  readonly #columns: readonly Statements[];
  /** The column of the last reference found. An object has rows of one chain, so the next is in it, too. */
  #lastFound: Statements | null = null;

  constructor(sql: SqlStorage, columns: readonly DueColumn[]) {
    this.#sql = sql;
    this.#columns = columns.map((column) => {
      const update = (time: string) => `UPDATE ${column.table} SET due_at_ms = ${time} WHERE ${column.id} = ?2`;
      return { ...column, update: update("?1"), updateByThen: update("MIN(?1, IFNULL(due_at_ms, ?1))") };
    });
  }

  /** Sets the time of a reference, or null. Returns false if no row has the reference. */
  set(kind: string, reference: string, atMs: number | null, when: When): boolean {
    const isSet = ({ update, updateByThen, pack }: Statements) =>
      this.#sql.exec(when === "then" ? update : updateByThen, atMs, pack(reference)).rowsWritten > 0;
    const last = this.#lastFound;
    if (last?.kind === kind && isSet(last)) return true;
    const found = this.#ofKind(kind).find((column) => column !== last && isSet(column));
    if (found !== undefined) this.#lastFound = found;
    return found !== undefined;
  }

  /** Returns the time of a reference. Null if nothing is due. */
  dueAt(kind: string, reference: string): number | null {
    for (const { table, id, pack } of this.#ofKind(kind)) {
      const found = `SELECT due_at_ms AS at_ms FROM ${table} WHERE ${id} = ?`;
      const [row] = this.#sql.exec<{ at_ms: number | null }>(found, pack(reference)).toArray();
      if (row !== undefined) return row.at_ms;
    }
    return null;
  }

  /** Returns rows of a kind that are due by now, oldest first in each table. */
  listDue(kind: string, nowMs: number, limit: number): readonly DueRow[] {
    return this.#ofKind(kind).flatMap((column) => this.#list(column, limit, "due_at_ms <= ?", nowMs));
  }

  /** Returns the earliest row of each table. */
  earliest(): readonly DueRow[] {
    return this.#columns.flatMap((column) => this.#list(column, 1, "due_at_ms IS NOT NULL"));
  }

  /** Returns the latest time. 0 if nothing is due. */
  latestMs(): number {
    const latest = this.#columns.map(({ table }) => {
      const { at_ms } = this.#sql
        .exec<{ at_ms: number | null }>(`SELECT MAX(due_at_ms) AS at_ms FROM ${table} WHERE due_at_ms IS NOT NULL`)
        .one();
      return at_ms ?? 0;
    });
    return Math.max(0, ...latest);
  }

  /** Moves everything of a kind that is due by now to a later time. */
  postpone(kind: string, nowMs: number, atMs: number): void {
    for (const { table } of this.#ofKind(kind))
      this.#sql.exec(`UPDATE ${table} SET due_at_ms = ? WHERE due_at_ms <= ?`, atMs, nowMs);
  }

  /** Moves everything of a kind that is due after a time to now. Returns a number above 0 if anything moved. */
  pullBack(kind: string, nowMs: number, afterMs: number): number {
    return this.#ofKind(kind).reduce((pulled, { table }) => {
      const later = this.#sql.exec(`UPDATE ${table} SET due_at_ms = ? WHERE due_at_ms > ?`, nowMs, afterMs);
      return pulled + later.rowsWritten;
    }, 0);
  }

  #ofKind(kind: string): readonly Statements[] {
    return this.#columns.filter((column) => column.kind === kind);
  }

  #list(
    { kind, table, id, unpack }: DueColumn,
    limit: number,
    where: string,
    ...bindings: number[]
  ): readonly DueRow[] {
    return this.#sql
      .exec<{ reference: ArrayBuffer | string; at_ms: number }>(
        `SELECT ${id} AS reference, due_at_ms AS at_ms FROM ${table} WHERE ${where}
         ORDER BY due_at_ms ${limitedTo(limit)}`,
        ...bindings,
      )
      .toArray()
      .map(({ reference, at_ms }) => ({ kind, reference: unpack(reference), atMs: at_ms }));
  }
}
