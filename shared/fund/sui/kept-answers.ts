// Sui only: a node shows an executed transaction late, and without its balance changes.

import type { SuiExecution } from "../../chain/sui/execution.ts";
import { decodeExecution, encodeExecution } from "../../chain/sui/kept-execution.ts";
import { limitedTo, type Row } from "../../durable/sql.ts";
import { IDEMPOTENCY_TTL_MS } from "../../idempotency.ts";
import { DEFAULT_FUND_LIMITS } from "../fund-limits.ts";
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

/**
 * The largest answer that is kept. A usual execution takes one kilobyte. A larger one is looked up on the chain
 * instead.
 */
const MAX_ANSWER_BYTES = 64 * 1_024;
/** The most bytes that are kept. Beyond it, the newest answers replace the oldest. */
const MAX_KEPT_BYTES = 64 * 1_024 * 1_024;
/** Answers take at most this part of a fund's disk budget. A repeat without its answer asks a node. */
const PART_OF_BUDGET = 1 / 8;
/** Answers that one commit drops. The next commit follows after `NEXT_DROP_MS` while there are more. */
const DROPPED_AT_ONCE = 500;
const NEXT_DROP_MS = 1_000;
/** The least interval between drops. A fund that executes all day is not woken for each answer. */
const DROP_INTERVAL_MS = 3_600_000;

interface Kept {
  readonly execution: SuiExecution | null;
  readonly bytes: number;
}

const NOTHING_KEPT: Kept = { execution: null, bytes: 0 };

/**
 * Keeps the chain's answers to a fund's executions, for their repeats. A node shows a transaction by its digest only
 * after it has indexed the checkpoint. Its answer to a repeat has no balance changes.
 */
export class KeptAnswers {
  readonly #sql: SqlStorage;
  readonly #setDue: SetDue;
  readonly #onRollback: (undo: () => void) => void;
  /** Null until the first count. */
  #keptBytes: number | null = null;

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, setDue: SetDue, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#setDue = setDue;
    this.#onRollback = onRollback;
  }

  /** Returns a kept answer. Null if none is kept, or if its day is over. */
  get(digest: string): SuiExecution | null {
    return this.#read(digest).execution;
  }

  /**
   * Keeps an answer for a day. An answer that is already kept stays, and only its checkpoint is added.
   *
   * @param isFirst true if no answer can be kept yet, so that the store is not read.
   * @param fundBytes the fund's disk budget.
   * @returns the answer as a repeat reads it. The given answer if it cannot be kept.
   */
  keep(
    execution: SuiExecution,
    nowMs: number,
    isFirst = false,
    fundBytes = DEFAULT_FUND_LIMITS.fundBytes,
  ): SuiExecution {
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
    if (this.#counted() > Math.min(MAX_KEPT_BYTES, fundBytes * PART_OF_BUDGET))
      this.#dropOldest(Number.MAX_SAFE_INTEGER);
    // A repeat reads normalized values, so the execution as given is not returned.
    return decodeExecution(encoded) ?? execution;
  }

  /** Drops some answers whose day is over. Sets the time of the next drop. */
  dropOld(nowMs: number): void {
    this.#dropOldest(nowMs);
    const [oldest] = this.#sql
      .exec<{ atMs: number }>("SELECT expires_at_ms AS atMs FROM kept_answer ORDER BY expires_at_ms LIMIT 1")
      .toArray();
    if (oldest === undefined) this.#setDue("answers", "", null);
    else if (oldest.atMs <= nowMs) this.#setDue("answers", "", nowMs + NEXT_DROP_MS);
    else this.#setDue("answers", "", Math.max(oldest.atMs, nowMs + DROP_INTERVAL_MS));
  }

  /** Reads one row. Of a row in an older format, only its size counts. */
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
        `SELECT digest, bytes FROM kept_answer WHERE expires_at_ms <= ?
         ORDER BY expires_at_ms ${limitedTo(DROPPED_AT_ONCE)}`,
        untilMs,
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
