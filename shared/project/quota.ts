import { type Outcome, refuse } from "../errors.ts";
import type { RaisedEvent } from "../observe/events.ts";

/** Numbers the calendar months, UTC. */
export function monthOf(atMs: number): number {
  const date = new Date(atMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Writes a month as `2026-11`. */
function monthText(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
}

/** Limits the new wallets of a month. */
export class WalletQuota {
  readonly #sql: SqlStorage;
  readonly #raise: (event: RaisedEvent) => void;

  /** @param raise writes an event of the project itself. Called within a commit. */
  constructor(sql: SqlStorage, raise: (event: RaisedEvent) => void) {
    this.#sql = sql;
    this.#raise = raise;
  }

  /** Refuses with `quota_reached` if the month has as many wallets as its limit. Null if it has fewer, or no limit. */
  refusal(month: number, perMonth: number | null): Outcome<never> | null {
    if (perMonth === null || this.#made(month) < perMonth) return null;
    this.#raiseOnce(month, perMonth);
    return refuse(
      "quota_reached",
      `the project has made ${perMonth} new wallets this month, its limit: wait for the next month, or have the operator raise it`,
    );
  }

  /** Raises `quota.reached`, once for each month and limit. */
  #raiseOnce(month: number, walletsPerMonth: number): void {
    const told = this.#sql
      .exec(
        `INSERT INTO quota_told (only_row, month, wallets_per_month) VALUES (1, ?1, ?2) ON CONFLICT (only_row)
         DO UPDATE SET month = ?1, wallets_per_month = ?2 WHERE month <> ?1 OR wallets_per_month <> ?2 RETURNING 1`,
        month,
        walletsPerMonth,
      )
      .toArray();
    if (told.length > 0) this.#raise({ type: "quota.reached", data: { walletsPerMonth, month: monthText(month) } });
  }

  /** Counts the wallets of a month. Slow for many, so only a project with a limit is counted. */
  #made(month: number): number {
    return this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM wallet WHERE month = ?", month).one().count;
  }
}
