// Sui only: a sponsorship waits unsigned for its sender on Sui alone.

import type { SuiSponsorship } from "./store.ts";

/** Above this the oldest rows give way to the newest. With their bytes, the rows take at most 4 MiB. */
const MAX_ROWS = 512;
const MAX_BYTES = 8 * 1_024;

/**
 * Keeps prepared sponsorships in memory beside their rows, until they are over. A call is about to execute each of
 * them, and reads its row again after each of its awaits. A row that a rolled back transaction has written is dropped.
 */
export class PreparedRows {
  readonly #rows = new Map<string, SuiSponsorship>();
  readonly #onRollback: (undo: () => void) => void;

  /** @param onRollback registers what takes back a change in memory if the transaction under way is rolled back. */
  constructor(onRollback: (undo: () => void) => void) {
    this.#onRollback = onRollback;
  }

  /** Returns a row from memory. Null if only the table has it. */
  get(digest: string): SuiSponsorship | null {
    return this.#rows.get(digest) ?? null;
  }

  /** Keeps or drops a row. The caller passes each row that it writes. */
  put(row: SuiSponsorship): void {
    const { digest, state } = row;
    const isKept = state === "prepared" || (state === "signed" && this.#rows.has(digest));
    this.#rows.delete(digest);
    this.#onRollback(() => this.#rows.delete(digest));
    if (!isKept || row.transactionBytes.length > MAX_BYTES) return;
    this.#rows.set(digest, row);
    if (this.#rows.size <= MAX_ROWS) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }
}
