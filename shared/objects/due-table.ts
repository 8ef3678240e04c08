export interface DueRow {
  readonly kind: string;
  readonly reference: string;
  readonly atMs: number;
}

const REARM_GRACE_MS = 10_000;

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

  constructor(storage: DurableObjectStorage, alarmAtMs: (atMs: number) => number) {
    this.#storage = storage;
    this.#alarmAtMs = alarmAtMs;
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
  at(kind: string, reference: string): number | null {
    const [row] = this.#storage.sql
      .exec<{ at_ms: number }>("SELECT at_ms FROM due WHERE kind = ? AND reference = ?", kind, reference)
      .toArray();
    return row?.at_ms ?? null;
  }

  /** Rows that are due by now, oldest first: a batch at a time, so that one alarm stays short. */
  take(kind: string, nowMs: number, limit: number): readonly DueRow[] {
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

  /**
   * Arms again when the earliest row is overdue by more than an alarm's own delay: something lost the alarm. Asked by
   * every request, so it reads nothing where nothing is overdue.
   */
  rearmIfOverdue(nowMs: number): void {
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
