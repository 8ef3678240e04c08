import type { Row } from "../../durable/sql.ts";
import type { SenderUsage } from "../../policy/fund-policy.ts";
import { utcDay } from "./usage.ts";

/** The number of `sender_usage` rows that one commit drops. */
const DROPPED_AT_ONCE = 5_000;

/** Counts each sender's spending in a UTC day, by access key. */
export class SqliteSenderUsage {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Reads a sender's spending on a day, through one key or through all (null). */
  read(sender: string, keyId: string | null, day: number): SenderUsage {
    const [row] = this.#sql
      .exec<Row<{ spent: string; stopped: number }>>(
        `SELECT CAST(COALESCE(SUM(spent_atoms), 0) AS TEXT) AS spent, COALESCE(MAX(stopped), 0) AS stopped
         FROM sender_usage WHERE day = ?1 AND sender = ?2 AND (?3 IS NULL OR key_id = ?3)`,
        day,
        sender,
        keyId,
      )
      .toArray();
    return { spentAtoms: BigInt(row?.spent ?? 0), stopped: row?.stopped === 1 };
  }

  /** Adds to a sender's spending on a day, atoms. The change may be negative. */
  add(sender: string, keyId: string, day: number, changeAtoms: bigint): void {
    const change = changeAtoms.toString();
    if (changeAtoms > 0n)
      this.#sql.exec(
        `INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (?, ?, ?, CAST(? AS INTEGER), 0)
         ON CONFLICT (day, sender, key_id) DO UPDATE SET spent_atoms = spent_atoms + excluded.spent_atoms`,
        day,
        sender,
        keyId,
        change,
      );
    else
      this.#sql.exec(
        `UPDATE sender_usage SET spent_atoms = spent_atoms + CAST(? AS INTEGER)
         WHERE day = ? AND sender = ? AND key_id = ?`,
        change,
        day,
        sender,
        keyId,
      );
  }

  /** Stops a sender for the rest of a day. */
  stop(sender: string, keyId: string, day: number): void {
    this.#sql.exec(
      `INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (?, ?, ?, 0, 1)
       ON CONFLICT (day, sender, key_id) DO UPDATE SET stopped = 1`,
      day,
      sender,
      keyId,
    );
  }

  /** Drops some counters of days that no clock returns to. */
  dropOld(nowMs: number): void {
    this.#sql.exec(
      `DELETE FROM sender_usage WHERE (day, sender, key_id) IN
         (SELECT day, sender, key_id FROM sender_usage WHERE day < ? LIMIT ${DROPPED_AT_ONCE})`,
      utcDay(nowMs) - 1,
    );
  }
}
