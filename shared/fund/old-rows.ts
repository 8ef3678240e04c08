/** The number of rows that one step moves. A step takes some ten milliseconds, and calls are answered between steps. */
export const MOVED_AT_ONCE = 500;

/**
 * A table of version 5. Its rows move to a compact one, a bounded number at a time, while the fund is used. Until it is
 * empty, its store reads both tables. Each row is in exactly one of them.
 */
export interface OldTable {
  readonly name: string;
  /** Returns true if the table still exists. */
  hasOld(): boolean;
  /** Moves some rows, live ones first. Returns their number. It is below the limit only if no row is left. */
  moveSome(limit: number): number;
  /** Forgets that the table exists, because it was dropped, or because its creation was rolled back. */
  forgetOld(): void;
}

/** Moves the rows of old tables, and drops a table once it is empty. */
export class OldRows {
  readonly #sql: SqlStorage;
  readonly #tables: readonly OldTable[];
  readonly #onRollback: (undo: () => void) => void;

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, tables: readonly OldTable[], onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#tables = tables;
    this.#onRollback = onRollback;
  }

  /**
   * Moves some rows in the transaction under way. A crash before its commit moves none. @returns true if rows are left.
   */
  move(limit = MOVED_AT_ONCE): boolean {
    let left = limit;
    for (const table of this.#tables.filter((each) => each.hasOld())) {
      const moved = table.moveSome(left);
      if (moved === left) return true;
      left -= moved;
      this.#sql.exec(`DROP TABLE ${table.name}`);
      table.forgetOld();
      this.#onRollback(() => table.forgetOld());
    }
    return false;
  }
}

interface Numbered {
  readonly number: number;
}

/** Joins rows of two tables with the highest numbers, highest first. */
export function newestOf<Row extends Numbered>(
  rows: readonly Row[],
  others: readonly Row[],
  limit: number,
): readonly Row[] {
  if (others.length === 0) return rows;
  return [...rows, ...others].sort((a, b) => b.number - a.number).slice(0, limit);
}

/** Joins rows of two tables with the lowest numbers, lowest first. */
export function oldestOf<Row extends Numbered>(
  rows: readonly Row[],
  others: readonly Row[],
  limit: number,
): readonly Row[] {
  if (others.length === 0) return rows;
  return [...rows, ...others].sort((a, b) => a.number - b.number).slice(0, limit);
}
