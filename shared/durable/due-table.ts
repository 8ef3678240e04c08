export interface DueRow {
  readonly kind: string;
  readonly reference: string;
  readonly atMs: number;
}

const REARM_GRACE_MS = 10_000;
/** How often a clock that runs on is compared with the latest row. One that goes back is noticed at once. */
const PULL_BACK_INTERVAL_MS = 60_000;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;

/** The longest time from now at which a row of each kind is ever due. Kinds that are missing are never pulled back. */
export type LongestIntervals = Readonly<Record<string, number>>;

export const DUE_TABLE_MIGRATION = `
  CREATE TABLE due (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, reference)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX due_by_time ON due (at_ms);
`;

/**
 * What an object has to do later, and the alarm that wakes it. An object has one alarm; it is armed at the earliest
 * row, in the commit that wrote the row, so that a crash cannot separate them.
 */
export class DueTable {
  readonly #storage: DurableObjectStorage;
  readonly #alarmAtMs: (atMs: number) => number;
  /** What the platform's alarm is set to, as far as this instance knows; infinite: nothing is due; null: unknown. */
  #armedAtMs: number | null = null;
  /** An alarm that is late because it is at work need not be armed again by every request meanwhile. */
  #rearmedAtMs = 0;
  readonly #longestMs: LongestIntervals;
  /** The latest time that a request has shown. */
  #noticedAtMs = Number.NEGATIVE_INFINITY;
  #pulledBackAtMs = Number.NEGATIVE_INFINITY;
  /** Alarms in a row that have left their earliest row as it was. */
  #fruitless = 0;
  #earliestAtBegin: DueRow | null = null;

  constructor(storage: DurableObjectStorage, alarmAtMs: (atMs: number) => number, longestMs: LongestIntervals = {}) {
    this.#storage = storage;
    this.#alarmAtMs = alarmAtMs;
    this.#longestMs = longestMs;
  }

  /** Null: nothing is due any more. `by_then`: an earlier time that is set already stays. */
  set(kind: string, reference: string, atMs: number | null, when: "then" | "by_then" = "then"): void {
    const { sql } = this.#storage;
    if (atMs === null) {
      sql.exec("DELETE FROM due WHERE kind = ? AND reference = ?", kind, reference);
      return;
    }
    sql.exec(
      `INSERT INTO due (kind, reference, at_ms) VALUES (?, ?, ?) ON CONFLICT (kind, reference)
       DO UPDATE SET at_ms = ${when === "then" ? "excluded.at_ms" : "MIN(at_ms, excluded.at_ms)"}`,
      kind,
      reference,
      atMs,
    );
    this.#armAt(atMs);
  }

  /** When it is due; null: it is not. */
  dueAt(kind: string, reference: string): number | null {
    const [row] = this.#storage.sql
      .exec<{ at_ms: number }>("SELECT at_ms FROM due WHERE kind = ? AND reference = ?", kind, reference)
      .toArray();
    return row?.at_ms ?? null;
  }

  /** Rows that are due by now, oldest first: a batch at a time, so that one alarm stays short. */
  listDue(kind: string, nowMs: number, limit: number): readonly DueRow[] {
    return this.#storage.sql
      .exec<{ kind: string; reference: string; at_ms: number }>(
        // The plus keeps SQLite from the primary key, by which it would read and sort every row of the kind.
        "SELECT kind, reference, at_ms FROM due WHERE +kind = ? AND at_ms <= ? ORDER BY at_ms LIMIT ?",
        kind,
        nowMs,
        limit,
      )
      .toArray()
      .map((row) => ({ kind: row.kind, reference: row.reference, atMs: row.at_ms }));
  }

  /** Moves everything of a kind that is due by now to a later time. */
  postpone(kind: string, nowMs: number, atMs: number): void {
    this.#storage.sql.exec("UPDATE due SET at_ms = ? WHERE +kind = ? AND at_ms <= ?", atMs, kind, nowMs);
    this.#armAt(atMs);
  }

  /**
   * Arms the alarm at the earliest row, whatever was armed before. Called by the constructor and at the end of each
   * alarm: the platform gives up on an alarm that threw six times.
   */
  rearm(): void {
    const [row] = this.#storage.sql.exec<{ at_ms: number | null }>("SELECT MIN(at_ms) AS at_ms FROM due").toArray();
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    if (row?.at_ms != null) this.#armAt(row.at_ms);
  }

  #earliest(): DueRow | null {
    const [row] = this.#storage.sql
      .exec<{ kind: string; reference: string; at_ms: number }>("SELECT * FROM due ORDER BY at_ms LIMIT 1")
      .toArray();
    return row === undefined ? null : { kind: row.kind, reference: row.reference, atMs: row.at_ms };
  }

  /** To be called at the begin of an alarm. */
  beginAlarm(): void {
    this.#earliestAtBegin = this.#earliest();
  }

  /**
   * Arms the next alarm at the end of one, never in the past. One that has left its earliest row as it was has failed
   * to write, and would do so again at once: then the next one waits, longer each time.
   */
  endAlarm(nowMs: number): void {
    const before = this.#earliestAtBegin;
    const earliest = this.#earliest();
    const isStuck =
      earliest !== null &&
      earliest.atMs <= nowMs &&
      earliest.kind === before?.kind &&
      earliest.reference === before.reference &&
      earliest.atMs === before.atMs;
    this.#fruitless = isStuck ? this.#fruitless + 1 : 0;
    const backOffMs = isStuck ? Math.min(FIRST_BACK_OFF_MS * 2 ** (this.#fruitless - 1), LONGEST_BACK_OFF_MS) : 0;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    if (earliest !== null) this.#armAt(Math.max(earliest.atMs, nowMs + backOffMs));
  }

  /**
   * Pulls back what is due later than its kind ever is: it was set by a clock that was ahead, and would blind the object
   * until that time. Costs one look at the latest rows.
   */
  #pullBack(nowMs: number): void {
    this.#pulledBackAtMs = nowMs;
    let pulled = 0;
    for (const [kind, longestMs] of Object.entries(this.#longestMs))
      pulled += this.#storage.sql.exec(
        "UPDATE due SET at_ms = ? WHERE +kind = ? AND at_ms > ?",
        nowMs,
        kind,
        nowMs + longestMs,
      ).rowsWritten;
    if (pulled > 0) this.rearm();
  }

  /**
   * Arms again when the earliest row is overdue by more than an alarm's own delay: something lost the alarm. Asked by
   * every request, so it reads nothing where nothing is overdue. A clock that has gone back voids the times that are
   * kept in memory, and what was set while it was ahead is pulled back.
   */
  rearmIfOverdue(nowMs: number): void {
    const wentBack = nowMs < this.#noticedAtMs;
    this.#noticedAtMs = nowMs;
    if (wentBack) this.#rearmedAtMs = 0;
    if (wentBack || nowMs - this.#pulledBackAtMs >= PULL_BACK_INTERVAL_MS) this.#pullBack(nowMs);
    const checkAtMs = Math.max(this.#armedAtMs ?? 0, this.#rearmedAtMs) + REARM_GRACE_MS;
    if (this.#armedAtMs !== null && nowMs <= checkAtMs) return;
    this.#rearmedAtMs = nowMs;
    this.rearm();
  }

  #armAt(atMs: number): void {
    if (this.#armedAtMs !== null && this.#armedAtMs <= atMs) return;
    this.#armedAtMs = atMs;
    void this.#storage.setAlarm(this.#alarmAtMs(atMs));
  }
}
