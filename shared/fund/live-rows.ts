/** A row, and its number in the list. */
interface Numbered<Row> {
  readonly number: number;
  readonly row: Row;
}

/** The bytes that all rows in memory take together. Beyond it, the oldest rows are dropped. */
const LIVE_ROWS_BYTES = 4 * 1_024 * 1_024;
/** The bytes that a row takes without the bytes of its transaction. */
const ROW_BYTES = 1_024;

/**
 * Keeps live sponsorships in memory beside their rows, since each transition reads its row again. A change then finds
 * its row by number. A row that a rolled back transaction has written is dropped, and the table is read again.
 */
export class LiveRows<Row> {
  readonly #rows = new Map<string, Numbered<Row>>();
  readonly #carriedBytes: (row: Row) => number;
  readonly #onRollback: (undo: () => void) => void;
  #bytes = 0;

  /**
   * @param carriedBytes counts the bytes of the transaction that a row carries.
   * @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back.
   */
  constructor(carriedBytes: (row: Row) => number, onRollback: (undo: () => void) => void) {
    this.#carriedBytes = carriedBytes;
    this.#onRollback = onRollback;
  }

  /** Returns a row from memory. Null if only the table may have it. */
  get(id: string): Numbered<Row> | null {
    return this.#rows.get(id) ?? null;
  }

  /** Keeps a row of the table that was just written or just read. */
  keep(id: string, numbered: Numbered<Row>): void {
    this.drop(id);
    this.#onRollback(() => this.drop(id));
    this.#rows.set(id, numbered);
    this.#bytes += this.#bytesOf(numbered);
    for (const oldest of this.#rows.keys()) {
      if (this.#bytes <= LIVE_ROWS_BYTES) return;
      this.drop(oldest);
    }
  }

  drop(id: string): void {
    const known = this.#rows.get(id);
    if (known === undefined) return;
    this.#rows.delete(id);
    this.#bytes -= this.#bytesOf(known);
  }

  #bytesOf({ row }: Numbered<Row>): number {
    return ROW_BYTES + this.#carriedBytes(row);
  }
}
