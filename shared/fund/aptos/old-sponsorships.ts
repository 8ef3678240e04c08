import { hasTable, u64Text } from "../../durable/sql.ts";
import { type AptosNumbered, type OldSponsorshipRow, oldSponsorshipOf } from "./sponsorship-rows.ts";
import type { AptosShown } from "./store.ts";

/** The table of version 5, whose rows move to `aptos_sponsorship_row`. */
export const APTOS_OLD_SPONSORSHIPS = "aptos_sponsorship";

/** The sponsorships that version 5 has stored and that have not moved yet. */
export class OldAptosSponsorships {
  readonly #sql: SqlStorage;
  #isThere: boolean | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  isThere(): boolean {
    this.#isThere ??= hasTable(this.#sql, APTOS_OLD_SPONSORSHIPS);
    return this.#isThere;
  }

  /** Checks again whether the table exists. */
  forget(): void {
    this.#isThere = null;
  }

  find(id: string): AptosNumbered | null {
    return this.#read("WHERE id = ?", id)[0] ?? null;
  }

  /** Finds the row of a sender at a sequence number that is not dead. */
  standing(sender: string, sequenceNumber: bigint): AptosNumbered | null {
    const where = "WHERE state <> 'dead' AND sender = ? AND sequence_number = ?";
    return this.#read(where, sender, u64Text(sequenceNumber))[0] ?? null;
  }

  hasDead(sender: string, sequenceNumber: bigint, { expiresAtMs, gasBudgetAtoms }: AptosShown): boolean {
    const where = `WHERE state = 'dead' AND sender = ? AND sequence_number = ? AND expires_at_ms = ? AND gas_budget = ?`;
    const bindings = [sender, u64Text(sequenceNumber), expiresAtMs, gasBudgetAtoms.toString()];
    return this.#read(`${where} LIMIT 1`, ...bindings).length > 0;
  }

  /** Lists live rows, oldest first (-1: all). */
  live(limit = -1): readonly AptosNumbered[] {
    // A scan in the order of `rowid` would read each ended row.
    return this.#read("INDEXED BY aptos_sponsorship_live WHERE state = 'signed' ORDER BY rowid LIMIT ?", limit);
  }

  /** Lists rows with numbers below `below`, highest first. */
  below(below: number, limit: number): readonly AptosNumbered[] {
    return this.#read("WHERE rowid < ? ORDER BY rowid DESC LIMIT ?", below, limit);
  }

  /** Lists rows that were committed after a ledger version. */
  committedAfter(version: bigint): readonly AptosNumbered[] {
    return this.#read("WHERE committed_version > ?", u64Text(version));
  }

  /** Lists the rows that move next: live ones, or else the oldest. */
  next(limit: number): readonly AptosNumbered[] {
    const live = this.live(limit);
    return live.length > 0 ? live : this.#read("ORDER BY rowid LIMIT ?", limit);
  }

  remove(number: number): void {
    this.#sql.exec("DELETE FROM aptos_sponsorship WHERE rowid = ?", number);
  }

  #read(where: string, ...bindings: SqlStorageValue[]): readonly AptosNumbered[] {
    if (!this.isThere()) return [];
    return this.#sql
      .exec<OldSponsorshipRow>(`SELECT rowid AS seq, * FROM aptos_sponsorship ${where}`, ...bindings)
      .toArray()
      .map(oldSponsorshipOf);
  }
}
