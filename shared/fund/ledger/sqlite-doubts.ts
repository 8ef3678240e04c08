import type { Row } from "../../durable/sql.ts";
import { ADDRESS_BALANCE, type Doubt, type DoubtStore, UNANSWERED } from "./missing-money.ts";

/** Part of version 5 of a fund's storage. */
export const DOUBTS_MIGRATION = `
  CREATE TABLE doubt (
    id TEXT PRIMARY KEY,
    booked TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    booked_by_ms INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    missed_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE doubt_progress (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    chain_ms INTEGER NOT NULL,
    looked_for_after TEXT NOT NULL
  ) STRICT;
  INSERT INTO doubt_progress (only_row, chain_ms, looked_for_after) VALUES (1, 0, '');
`;

type DoubtRow = Row<{
  booked: string;
  since_ms: number;
  booked_by_ms: number;
  endpoint: string;
  missed_at_ms: number | null;
}>;

type ProgressRow = Row<{ chain_ms: number; looked_for_after: string }>;

/**
 * Stores the doubts of a Sui fund: at most one for each coin booked as free, and one for the address balance. One more
 * row has the time since which no second endpoint answers about listed coins.
 */
export class SqliteDoubts implements DoubtStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  doubt(id: string): Doubt | null {
    const [row] = this.#sql.exec<DoubtRow>("SELECT * FROM doubt WHERE id = ?", id).toArray();
    if (row === undefined) return null;
    const { booked, since_ms: sinceMs, booked_by_ms: bookedByMs, endpoint, missed_at_ms: missedAtMs } = row;
    return { booked, sinceMs, bookedByMs, endpoint, missedAtMs };
  }

  putDoubt(id: string, { booked, sinceMs, bookedByMs, endpoint, missedAtMs }: Doubt): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO doubt (id, booked, since_ms, booked_by_ms, endpoint, missed_at_ms)
       VALUES (?, ?, ?, ?, ?, ?)`,
      id,
      booked,
      Math.floor(sinceMs),
      Math.floor(bookedByMs),
      endpoint,
      missedAtMs === null ? null : Math.floor(missedAtMs),
    );
  }

  dropDoubt(id: string): void {
    this.#sql.exec("DELETE FROM doubt WHERE id = ?", id);
  }

  /** Returns true if any coin is in doubt. */
  hasOfCoins(): boolean {
    const ofCoins = "SELECT 1 FROM doubt WHERE id NOT IN (?, ?) LIMIT 1";
    return this.#sql.exec(ofCoins, ADDRESS_BALANCE, UNANSWERED).toArray().length > 0;
  }

  /**
   * Drops the doubts about coins that are no longer booked as free. The transaction that moved such a coin judges it.
   */
  dropOfMovedCoins(): void {
    this.#sql.exec(
      "DELETE FROM doubt WHERE id NOT IN (?, ?) AND id NOT IN (SELECT object_id FROM coin WHERE state = 'free')",
      ADDRESS_BALANCE,
      UNANSWERED,
    );
  }

  chainMs(): number {
    return this.#progress().chain_ms;
  }

  setChainMs(chainMs: number): void {
    this.#sql.exec("UPDATE doubt_progress SET chain_ms = ?", Math.floor(chainMs));
  }

  /** Returns the last coin looked up on the chain. Empty if the next round begins. */
  lookedForAfter(): string {
    return this.#progress().looked_for_after;
  }

  setLookedForAfter(objectId: string): void {
    if (objectId !== this.lookedForAfter()) this.#sql.exec("UPDATE doubt_progress SET looked_for_after = ?", objectId);
  }

  #progress(): ProgressRow {
    return this.#sql.exec<ProgressRow>("SELECT * FROM doubt_progress").one();
  }
}
