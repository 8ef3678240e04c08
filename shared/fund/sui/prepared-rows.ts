// Sui only: a sponsorship waits unsigned for its sender on Sui alone.

import type { SuiSponsorship } from "./store.ts";

/** The oldest give way to the newest above this: with their bytes, they take at most 4 MiB. */
const MAX_ROWS = 512;
const MAX_BYTES = 8 * 1_024;

/**
 * Sponsorships that are prepared, in memory beside their rows, until they are over: a call is about to execute each of
 * them, and asks for it again after everything that it waits for. What a rolled back transaction has written is dropped.
 */
export class PreparedRows {
  readonly #rows = new Map<string, SuiSponsorship>();
  readonly #onRollback: (undo: () => void) => void;

  /** @param onRollback registers what takes back a change in memory if the transaction under way is rolled back. */
  constructor(onRollback: (undo: () => void) => void) {
    this.#onRollback = onRollback;
  }

  /** Null: the row tells. */
  get(digest: string): SuiSponsorship | null {
    return this.#rows.get(digest) ?? null;
  }

  /** To be called with each row that is written. */
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
