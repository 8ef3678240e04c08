// Sui only: a node shows an executed transaction late, and without its balance changes.

import type { SuiExecution } from "../../chain/sui/execution.ts";
import { decodeExecution, encodeExecution } from "../../chain/sui/kept-execution.ts";
import type { Row } from "../../durable/sql.ts";
import { IDEMPOTENCY_TTL_MS } from "../../idempotency.ts";
import type { SetDue } from "../ledger/books.ts";

/** Part of version 5 of a fund's storage. */
export const KEPT_ANSWERS_MIGRATION = `
  CREATE TABLE kept_answer (
    digest TEXT PRIMARY KEY,
    execution BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX kept_answer_by_expiry ON kept_answer (expires_at_ms, bytes);
`;

/** A usual execution takes one kilobyte. A larger one than this is looked up on the chain instead. */
const MAX_ANSWER_BYTES = 64 * 1_024;
/** The oldest give way to the newest above this. */
const MAX_KEPT_BYTES = 64 * 1_024 * 1_024;
/** Answers dropped in one commit, while there are more. */
const DROPPED_AT_ONCE = 500;
const NEXT_DROP_MS = 1_000;
/** A fund that executes all day is not woken for each answer. */
const DROP_INTERVAL_MS = 3_600_000;

interface Kept {
  readonly execution: SuiExecution | null;
  readonly bytes: number;
}

const NOTHING_KEPT: Kept = { execution: null, bytes: 0 };

/**
 * What the chain answered to a fund's executions, for their repeats: a node does not show a transaction by its digest
 * before its checkpoint is indexed, and leaves the balance changes out of a repeat's answer.
 */
export class KeptAnswers {
  readonly #sql: SqlStorage;
  readonly #setDue: SetDue;
  readonly #onRollback: (undo: () => void) => void;
  /** Null: not counted yet. */
  #keptBytes: number | null = null;

  /** @param onRollback registers what takes back a change in memory if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, setDue: SetDue, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#setDue = setDue;
    this.#onRollback = onRollback;
  }

  /** Null: none is kept, or not any more. */
  get(digest: string): SuiExecution | null {
    return this.#read(digest).execution;
  }

  /**
   * Keeps an answer for a day. One that is kept already stays, and only learns its checkpoint.
   *
   * @param isFirst none can be kept yet, so none is looked for.
   * @returns what a repeat reads; the answer as it is where it cannot be kept.
   */
  keep(execution: SuiExecution, nowMs: number, isFirst = false): SuiExecution {
    const { execution: earlier, bytes } = isFirst ? NOTHING_KEPT : this.#read(execution.digest);
    const { checkpoint, timestampMs } = execution;
    if (earlier !== null && (earlier.checkpoint !== null || checkpoint === null)) return earlier;
    const encoded = encodeExecution(earlier === null ? execution : { ...earlier, checkpoint, timestampMs });
    if (encoded === null || encoded.length > MAX_ANSWER_BYTES) return earlier ?? execution;
    const keptBytes = this.#counted();
    if (keptBytes === 0) this.#setDue("answers", "", nowMs + IDEMPOTENCY_TTL_MS);
    this.#sql.exec(
      `INSERT INTO kept_answer (digest, execution, bytes, expires_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET execution = excluded.execution, bytes = excluded.bytes`,
      execution.digest,
      encoded,
      encoded.length,
      nowMs + IDEMPOTENCY_TTL_MS,
    );
    this.#count(keptBytes - bytes + encoded.length);
    if (this.#counted() > MAX_KEPT_BYTES) this.#dropOldest(Number.MAX_SAFE_INTEGER);
    // Not the execution as given: what is read back is normalized.
    return decodeExecution(encoded) ?? execution;
  }

  /** Drops some of those whose day is over, and says when to go on. */
  dropOld(nowMs: number): void {
    this.#dropOldest(nowMs);
    const [oldest] = this.#sql
      .exec<{ atMs: number }>("SELECT expires_at_ms AS atMs FROM kept_answer ORDER BY expires_at_ms LIMIT 1")
      .toArray();
    if (oldest === undefined) this.#setDue("answers", "", null);
    else if (oldest.atMs <= nowMs) this.#setDue("answers", "", nowMs + NEXT_DROP_MS);
    else this.#setDue("answers", "", Math.max(oldest.atMs, nowMs + DROP_INTERVAL_MS));
  }

  /** Of another format than today's, only the bytes count. */
  #read(digest: string): Kept {
    const [row] = this.#sql
      .exec<Row<{ execution: ArrayBuffer; bytes: number }>>(
        "SELECT execution, bytes FROM kept_answer WHERE digest = ?",
        digest,
      )
      .toArray();
    if (row === undefined) return NOTHING_KEPT;
    return { execution: decodeExecution(new Uint8Array(row.execution)), bytes: row.bytes };
  }

  #dropOldest(untilMs: number): void {
    const rows = this.#sql
      .exec<Row<{ digest: string; bytes: number }>>(
        "SELECT digest, bytes FROM kept_answer WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?",
        untilMs,
        DROPPED_AT_ONCE,
      )
      .toArray();
    for (const { digest } of rows) this.#sql.exec("DELETE FROM kept_answer WHERE digest = ?", digest);
    this.#count(this.#counted() - rows.reduce((sum, { bytes }) => sum + bytes, 0));
  }

  #counted(): number {
    this.#keptBytes ??= this.#sql
      .exec<{ bytes: number }>("SELECT COALESCE(SUM(bytes), 0) AS bytes FROM kept_answer")
      .one().bytes;
    return this.#keptBytes;
  }

  #count(bytes: number): void {
    const before = this.#keptBytes;
    this.#onRollback(() => {
      this.#keptBytes = before;
    });
    this.#keptBytes = bytes;
  }
}
