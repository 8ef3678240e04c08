export interface DueRow {
  readonly kind: string;
  readonly reference: string;
  readonly atMs: number;
}

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
  /** What the platform's alarm is set to, as far as this instance knows; null: unknown or none. */
  #armedAtMs: number | null = null;

  constructor(storage: DurableObjectStorage, alarmAtMs: (atMs: number) => number) {
    this.#storage = storage;
    this.#alarmAtMs = alarmAtMs;
  }

  set(kind: string, reference: string, atMs: number | null): void {
    const { sql } = this.#storage;
    if (atMs === null) sql.exec("DELETE FROM due WHERE kind = ? AND reference = ?", kind, reference);
    else {
      sql.exec("INSERT OR REPLACE INTO due (kind, reference, at_ms) VALUES (?, ?, ?)", kind, reference, atMs);
      this.#armAt(atMs);
    }
  }

  /** Rows that are due by now, oldest first: a batch at a time, so that one alarm stays short. */
  take(kind: string, nowMs: number, limit: number): readonly DueRow[] {
    return this.#storage.sql
      .exec<{ kind: string; reference: string; at_ms: number }>(
        "SELECT kind, reference, at_ms FROM due WHERE kind = ? AND at_ms <= ? ORDER BY at_ms LIMIT ?",
        kind,
        nowMs,
        limit,
      )
      .toArray()
      .map((row) => ({ kind: row.kind, reference: row.reference, atMs: row.at_ms }));
  }

  /**
   * Arms the alarm at the earliest row, whatever was armed before. Called by the constructor and at the end of each
   * alarm: the platform gives up on an alarm that threw six times.
   */
  rearm(): void {
    const [row] = this.#storage.sql.exec<{ at_ms: number | null }>("SELECT MIN(at_ms) AS at_ms FROM due").toArray();
    this.#armedAtMs = null;
    if (row?.at_ms != null) this.#armAt(row.at_ms);
  }

  /** Arms again when the earliest row is overdue by more than an alarm's own delay: something lost the alarm. */
  rearmIfOverdue(nowMs: number): void {
    const GRACE_MS = 10_000;
    if (this.#armedAtMs === null || this.#armedAtMs + GRACE_MS < nowMs) this.rearm();
  }

  #armAt(atMs: number): void {
    if (this.#armedAtMs !== null && this.#armedAtMs <= atMs) return;
    this.#armedAtMs = atMs;
    void this.#storage.setAlarm(this.#alarmAtMs(atMs));
  }
}
