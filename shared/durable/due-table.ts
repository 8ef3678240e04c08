/** A task of an object, and its time in Unix milliseconds. */
export interface DueRow {
  readonly kind: string;
  readonly reference: string;
  readonly atMs: number;
}

const REARM_GRACE_MS = 10_000;
/**
 * Interval between comparisons of a clock that runs on with the latest row. A clock that goes back is noticed at once.
 */
const PULL_BACK_INTERVAL_MS = 60_000;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;

/** The longest time from now at which a row of each kind is ever due. Missing kinds are never pulled back. */
export type LongestIntervals = Readonly<Record<string, number>>;

/** Creates the table of due rows without its index, for an object with a handful of rows. */
export const DUE_TABLE = `
  CREATE TABLE due (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, reference)
  ) STRICT, WITHOUT ROWID;`;

/** Creates the table of due rows. */
export const DUE_TABLE_MIGRATION = `${DUE_TABLE}
  CREATE INDEX due_by_time ON due (at_ms);
`;

/**
 * Keeps an object's later work, and the alarm for it. An object has one alarm. The commit that writes a row arms the
 * alarm at the earliest row, so that a crash cannot separate them.
 */
export class DueTable {
  readonly #storage: DurableObjectStorage;
  readonly #alarmAtMs: (atMs: number) => number;
  /** The time of the platform's alarm that this instance knows. Infinite if nothing is due. Null if it is unknown. */
  #armedAtMs: number | null = null;
  /**
   * The time of the last repeated arming. An alarm that is late because it runs is not armed again by every request.
   */
  #rearmedAtMs = 0;
  readonly #longestMs: LongestIntervals;
  /** The latest time of any request. */
  #noticedAtMs = Number.NEGATIVE_INFINITY;
  #pulledBackAtMs = Number.NEGATIVE_INFINITY;
  /** The number of alarms in a row that have not changed their earliest row. */
  #fruitless = 0;
  #earliestAtBegin: DueRow | null = null;

  constructor(storage: DurableObjectStorage, alarmAtMs: (atMs: number) => number, longestMs: LongestIntervals = {}) {
    this.#storage = storage;
    this.#alarmAtMs = alarmAtMs;
    this.#longestMs = longestMs;
  }

  /** Sets the time of a row. Null deletes it. `by_then` keeps an earlier time. */
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

  /** Returns the time when a row is due. Null if it is not. */
  dueAt(kind: string, reference: string): number | null {
    const [row] = this.#storage.sql
      .exec<{ at_ms: number }>("SELECT at_ms FROM due WHERE kind = ? AND reference = ?", kind, reference)
      .toArray();
    return row?.at_ms ?? null;
  }

  /** Returns rows that are due by now, oldest first. Each call returns a batch, so that one alarm stays short. */
  listDue(kind: string, nowMs: number, limit: number): readonly DueRow[] {
    return this.#storage.sql
      .exec<{ kind: string; reference: string; at_ms: number }>(
        // The plus keeps SQLite from using the primary key, which would read and sort every row of the kind.
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
   * Arms the alarm at the earliest row, for any earlier arming. The constructor calls it, and the end of each alarm.
   * The platform drops an alarm that threw six times.
   */
  rearm(): void {
    const [row] = this.#storage.sql.exec<{ at_ms: number | null }>("SELECT MIN(at_ms) AS at_ms FROM due").toArray();
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    if (row?.at_ms != null) this.#armAt(row.at_ms);
  }

  /** Takes the alarm back if no row is left. It would wake an idle object for nothing. */
  disarmIfEmpty(): void {
    if (this.#earliest() !== null) return;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    void this.#storage.deleteAlarm();
  }

  #earliest(): DueRow | null {
    const [row] = this.#storage.sql
      .exec<{ kind: string; reference: string; at_ms: number }>("SELECT * FROM due ORDER BY at_ms LIMIT 1")
      .toArray();
    return row === undefined ? null : { kind: row.kind, reference: row.reference, atMs: row.at_ms };
  }

  /** Returns how late the earliest row is, ms. 0 if nothing is late. */
  lateMs(nowMs: number): number {
    return Math.max(0, nowMs - (this.#earliest()?.atMs ?? nowMs));
  }

  /** Begins an alarm. Every alarm calls it first. */
  beginAlarm(): void {
    this.#earliestAtBegin = this.#earliest();
  }

  /**
   * Arms the next alarm at the end of one, never in the past. An alarm that left its earliest row as it was has failed
   * to write, and would fail again at once. The next one then waits, longer each time.
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
   * Pulls back rows that are due later than their kind ever is. A clock that was ahead has set them. The object
   * would otherwise not run them until that time. It costs one look at the latest rows.
   */
  #pullBack(nowMs: number): void {
    this.#pulledBackAtMs = nowMs;
    const { sql } = this.#storage;
    const { at_ms: latestMs } = sql.exec<{ at_ms: number | null }>("SELECT MAX(at_ms) AS at_ms FROM due").one();
    // An UPDATE begins a transaction, also if it changes no row.
    if (latestMs === null || latestMs <= nowMs + Math.min(...Object.values(this.#longestMs))) return;
    let pulled = 0;
    for (const [kind, longestMs] of Object.entries(this.#longestMs))
      pulled += sql.exec(
        "UPDATE due SET at_ms = ? WHERE +kind = ? AND at_ms > ?",
        nowMs,
        kind,
        nowMs + longestMs,
      ).rowsWritten;
    if (pulled > 0) this.rearm();
  }

  /**
   * Arms again when the earliest row is overdue by more than an alarm's own delay, because the alarm was lost. Every
   * request calls it, so it reads nothing if nothing is overdue. A clock that has gone back voids the times in memory.
   * Rows that were set while it was ahead are pulled back.
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
