import { type DueColumn, DueColumns, type DueRow, type When } from "./due-columns.ts";
import { limitedTo, type Row } from "./sql.ts";

export type { DueRow };

const REARM_GRACE_MS = 10_000;
/**
 * Interval between comparisons of a clock that runs on with the latest row. A clock that goes back is noticed at once.
 */
const PULL_BACK_INTERVAL_MS = 60_000;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;

/** The row of `due`, as SQLite returns it. */
type DueTableRow = Row<{ kind: string; reference: string; at_ms: number }>;

function dueRowOf({ kind, reference, at_ms }: DueTableRow): DueRow {
  return { kind, reference, atMs: at_ms };
}

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
 * alarm at the earliest row, so that a crash cannot separate them. A reference that is in no row of a due column has a
 * row of `due`.
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
  readonly #columns: DueColumns;
  /** The latest time of any request. */
  #noticedAtMs = Number.NEGATIVE_INFINITY;
  #pulledBackAtMs = Number.NEGATIVE_INFINITY;
  /** The number of alarms in a row that have not changed their earliest row. */
  #fruitless = 0;
  #earliestAtBegin: DueRow | null = null;

  constructor(
    storage: DurableObjectStorage,
    alarmAtMs: (atMs: number) => number,
    longestMs: LongestIntervals = {},
    columns: readonly DueColumn[] = [],
  ) {
    this.#storage = storage;
    this.#alarmAtMs = alarmAtMs;
    this.#longestMs = longestMs;
    this.#columns = new DueColumns(storage.sql, columns);
  }

  /** Sets the time of a row. Null deletes it. `by_then` keeps an earlier time. */
  set(kind: string, reference: string, atMs: number | null, when: When = "then"): void {
    if (!this.#columns.set(kind, reference, atMs, when)) this.#setRow(kind, reference, atMs, when);
    if (atMs !== null) this.#armAt(atMs);
  }

  /** Removes every time of a reference that nothing is left to do for. */
  drop(kind: string, reference: string): void {
    this.#columns.set(kind, reference, null, "then");
    this.#setRow(kind, reference, null, "then");
  }

  #setRow(kind: string, reference: string, atMs: number | null, when: When): void {
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
  }

  /** Returns the time when a row is due. Null if it is not. */
  dueAt(kind: string, reference: string): number | null {
    const [row] = this.#storage.sql
      .exec<{ at_ms: number }>("SELECT at_ms FROM due WHERE kind = ? AND reference = ?", kind, reference)
      .toArray();
    return row?.at_ms ?? this.#columns.dueAt(kind, reference);
  }

  /** Returns rows that are due by now, oldest first. Each call returns a batch, so that one alarm stays short. */
  listDue(kind: string, nowMs: number, limit: number): readonly DueRow[] {
    const rows = this.#storage.sql
      .exec<DueTableRow>(
        // The plus keeps SQLite from using the primary key, which would read and sort every row of the kind.
        `SELECT kind, reference, at_ms FROM due WHERE +kind = ? AND at_ms <= ? ORDER BY at_ms ${limitedTo(limit)}`,
        kind,
        nowMs,
      )
      .toArray()
      .map(dueRowOf);
    const inColumns = this.#columns.listDue(kind, nowMs, limit);
    if (inColumns.length === 0) return rows;
    return [...rows, ...inColumns].sort((a, b) => a.atMs - b.atMs).slice(0, limit);
  }

  /** Moves everything of a kind that is due by now to a later time. */
  postpone(kind: string, nowMs: number, atMs: number): void {
    this.#storage.sql.exec("UPDATE due SET at_ms = ? WHERE +kind = ? AND at_ms <= ?", atMs, kind, nowMs);
    this.#columns.postpone(kind, nowMs, atMs);
    this.#armAt(atMs);
  }

  /**
   * Arms the alarm at the earliest row, for any earlier arming. The constructor calls it, and the end of each alarm.
   * The platform drops an alarm that threw six times.
   */
  rearm(): void {
    const earliest = this.#earliest();
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    if (earliest !== null) this.#armAt(earliest.atMs);
  }

  /** Takes the alarm back if no row is left. It would wake an idle object for nothing. */
  disarmIfEmpty(): void {
    if (this.#earliest() !== null) return;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    void this.#storage.deleteAlarm();
  }

  #earliest(): DueRow | null {
    const rows = this.#storage.sql
      .exec<DueTableRow>("SELECT * FROM due ORDER BY at_ms LIMIT 1")
      .toArray()
      .map(dueRowOf);
    const [first = null] = [...rows, ...this.#columns.earliest()].sort((a, b) => a.atMs - b.atMs);
    return first;
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
    const latest = Math.max(latestMs ?? 0, this.#columns.latestMs());
    // An UPDATE begins a transaction, also if it changes no row.
    if (latest <= nowMs + Math.min(...Object.values(this.#longestMs))) return;
    let pulled = 0;
    for (const [kind, longestMs] of Object.entries(this.#longestMs)) {
      const later = sql.exec("UPDATE due SET at_ms = ? WHERE +kind = ? AND at_ms > ?", nowMs, kind, nowMs + longestMs);
      pulled += later.rowsWritten + this.#columns.pullBack(kind, nowMs, nowMs + longestMs);
    }
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
