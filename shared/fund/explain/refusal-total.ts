import type { Row } from "../../durable/sql.ts";

/** The days before today that a clock set back may still change. */
const OPEN_DAYS = 2;
const FIRST_DAY = 0;
/** The rows of a day that are not added up yet. */
const NAMED = "FROM refusal_count WHERE day = ? AND NOT (key_id = '' AND rule = '')";
const FOLD = `
  INSERT INTO refusal_count (day, key_id, reason, rule, calls)
  SELECT day, '', reason, '', SUM(calls) ${NAMED} GROUP BY day, reason
  ON CONFLICT (day, key_id, reason, rule) DO UPDATE SET calls = calls + excluded.calls`;

type CallsByReason = ReadonlyMap<string, number>;

/**
 * Sums a fund's refused calls over all days by reason. Older days are read once a day, because their sums do not change
 * any more.
 */
export class RefusalTotal {
  readonly #sql: SqlStorage;
  #older: { readonly beforeDay: number; readonly calls: CallsByReason } | null = null;
  /** Memory knows each day before this one as added up. */
  #foldedTo = FIRST_DAY;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** @param today days since 1970, UTC. */
  read(today: number): Readonly<Record<string, number>> {
    const beforeDay = today - OPEN_DAYS;
    if (this.#older?.beforeDay !== beforeDay) this.#older = { beforeDay, calls: this.#sum(FIRST_DAY, beforeDay - 1) };
    const total = new Map(this.#older.calls);
    for (const [reason, calls] of this.#sum(beforeDay, Number.MAX_SAFE_INTEGER))
      total.set(reason, (total.get(reason) ?? 0) + calls);
    return Object.fromEntries(total);
  }

  /**
   * Adds up the keys and rules of one old day. Keeps the sums of its reasons. Call it inside a commit of the fund.
   *
   * @param beforeDay the first day that keeps its keys and rules.
   */
  foldOld(beforeDay: number): void {
    const [oldest] = this.#sql
      .exec<{ day: number }>(
        `SELECT day FROM refusal_count WHERE day >= ? AND day < ? AND NOT (key_id = '' AND rule = '')
         ORDER BY day LIMIT 1`,
        this.#foldedTo,
        beforeDay,
      )
      .toArray();
    this.#foldedTo = oldest?.day ?? Math.max(beforeDay, this.#foldedTo);
    if (oldest === undefined) return;
    this.#sql.exec(FOLD, oldest.day);
    this.#sql.exec(`DELETE ${NAMED}`, oldest.day);
  }

  #sum(fromDay: number, toDay: number): CallsByReason {
    const rows = this.#sql.exec<Row<{ reason: string; calls: number }>>(
      "SELECT reason, SUM(calls) AS calls FROM refusal_count WHERE day BETWEEN ? AND ? GROUP BY reason",
      fromDay,
      toDay,
    );
    return new Map(rows.toArray().map(({ reason, calls }) => [reason, calls]));
  }
}
