import * as z from "zod";
import type { Row } from "../../durable/sql.ts";
import { type Page, type PageRequest, pageOf } from "../../paging.ts";
import { utcDay } from "../ledger/usage.ts";
import { MAX_REFUSED_CALLS, type RefusedCall, rowsToDrop } from "./refused-call.ts";

/**
 * Part of version 9 of a fund's storage. The last refused calls, and counters of each day.
 * Only an operator makes keys, so no stranger makes rows of counters. `RefusalTotal` adds up old days.
 */
export const REFUSED_CALLS_MIGRATION_9 = `
  CREATE TABLE refused_call (
    seq INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    request_id TEXT,
    key_id TEXT NOT NULL,
    sender TEXT,
    method TEXT NOT NULL,
    reason TEXT NOT NULL,
    rule TEXT,
    asked TEXT NOT NULL
  ) STRICT;
  CREATE INDEX refused_call_by_key ON refused_call (key_id, seq);
  CREATE TABLE refusal_count (
    day INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    rule TEXT NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (day, key_id, reason, rule)
  ) STRICT, WITHOUT ROWID;
`;

/** Selects refused calls. An absent field allows every value. */
export interface RefusalFilter {
  /** The first time that counts. */
  readonly fromMs?: number;
  /** The first time after the span. */
  readonly toMs?: number;
  readonly keyId?: string;
  readonly sender?: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly requestId?: string;
  readonly digest?: string;
}

/** A request for a page of refused calls. */
export interface RefusalQuery extends RefusalFilter, PageRequest {}

/** A request for a page of counters. The days are those since 1970, UTC. */
export interface RefusalCountQuery extends PageRequest {
  readonly fromDay: number;
  readonly toDay: number;
  readonly keyId?: string;
  readonly reason?: string;
}

/** The refused calls of a key on a day, for one reason and rule. */
export interface RefusalCount {
  readonly day: number;
  /** Empty on an old day, whose keys and rules are added up, and for a call of an earlier build. */
  readonly keyId: string;
  readonly reason: string;
  /** Null if the reason has no rule. */
  readonly rule: string | null;
  readonly calls: number;
}

const askedSchema = z.object({
  scope: z.enum(["fund", "key"]).nullable(),
  targets: z.array(z.string()),
  gasBudget: z.string().nullable(),
  digest: z.string().nullable(),
  details: z.string(),
});

type CallRow = Row<{
  seq: number;
  at_ms: number;
  request_id: string | null;
  key_id: string;
  sender: string | null;
  method: string;
  reason: string;
  rule: string | null;
  asked: string;
}>;

type CountRow = Row<{ day: number; key_id: string; reason: string; rule: string; calls: number }>;

const CONDITIONS = {
  fromMs: "at_ms >= ?",
  toMs: "at_ms < ?",
  keyId: "key_id = ?",
  sender: "sender = ?",
  reason: "reason = ?",
  rule: "rule = ?",
  requestId: "request_id = ?",
  digest: "json_extract(asked, '$.digest') = ?",
} as const satisfies Record<keyof RefusalFilter, string>;
const FIELDS = ["fromMs", "toMs", "keyId", "sender", "reason", "rule", "requestId", "digest"] as const;

/** The tables of refused calls. Call each method inside a commit of the fund. */
export class SqliteRefusedCalls {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds rows, and drops the oldest of the keys with the most. */
  add(calls: readonly RefusedCall[]): void {
    for (const call of calls) {
      const { scope, targets, gasBudgetAtoms, digest, details } = call;
      this.#sql.exec(
        `INSERT INTO refused_call (at_ms, request_id, key_id, sender, method, reason, rule, asked)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        call.atMs,
        call.requestId,
        call.keyId,
        call.sender,
        call.method,
        call.reason,
        call.rule,
        JSON.stringify({ scope, targets, gasBudget: gasBudgetAtoms?.toString() ?? null, digest, details }),
      );
    }
    const kept = this.#sql
      .exec<{ key_id: string; calls: number }>("SELECT key_id, COUNT(*) AS calls FROM refused_call GROUP BY key_id")
      .toArray();
    const counts = new Map(kept.map((row) => [row.key_id, row.calls]));
    for (const [keyId, count] of rowsToDrop(counts, MAX_REFUSED_CALLS))
      this.#sql.exec(
        "DELETE FROM refused_call WHERE seq IN (SELECT seq FROM refused_call WHERE key_id = ? ORDER BY seq LIMIT ?)",
        keyId,
        count,
      );
  }

  /** Adds to the counters. */
  count({ day, keyId, reason, rule, calls }: RefusalCount): void {
    this.#sql.exec(
      `INSERT INTO refusal_count (day, key_id, reason, rule, calls) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (day, key_id, reason, rule) DO UPDATE SET calls = calls + excluded.calls`,
      day,
      keyId,
      reason,
      rule ?? "",
      calls,
    );
  }

  /** Lists refused calls, newest first. */
  list({ limit, cursor, ...filter }: RefusalQuery): Page<RefusedCall> {
    const named = FIELDS.filter((field) => filter[field] !== undefined);
    const where = ["seq < ?", ...named.map((field) => CONDITIONS[field])].join(" AND ");
    const rows = this.#sql
      .exec<CallRow>(
        `SELECT * FROM refused_call WHERE ${where} ORDER BY seq DESC LIMIT ?`,
        cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor),
        ...named.map((field) => filter[field]),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, callOf);
  }

  /** Lists counters, the newest day first. */
  counts({ limit, cursor, fromDay, toDay, keyId, reason }: RefusalCountQuery): Page<RefusalCount> {
    const skipped = cursor === null ? 0 : Number(cursor);
    const rows = this.#sql
      .exec<CountRow>(
        `SELECT * FROM refusal_count WHERE day BETWEEN ? AND ? AND (?3 IS NULL OR key_id = ?3)
           AND (?4 IS NULL OR reason = ?4)
         ORDER BY day DESC, key_id, reason, rule LIMIT ?5 OFFSET ?6`,
        fromDay,
        toDay,
        keyId ?? null,
        reason ?? null,
        limit + 1,
        skipped,
      )
      .toArray();
    const items = rows.slice(0, limit).map(({ key_id: key, rule, ...row }) => ({
      ...row,
      keyId: key,
      rule: rule === "" ? null : rule,
    }));
    return { items, nextCursor: rows.length > limit ? String(skipped + limit) : null };
  }
}

function callOf(row: CallRow): RefusedCall {
  const { gasBudget, ...asked } = askedSchema.parse(JSON.parse(row.asked));
  return {
    atMs: row.at_ms,
    requestId: row.request_id,
    keyId: row.key_id,
    sender: row.sender,
    method: row.method,
    reason: row.reason,
    rule: row.rule,
    ...asked,
    gasBudgetAtoms: gasBudget === null ? null : BigInt(gasBudget),
  };
}

/** Returns the counter of one refused call. */
export function countOf({ atMs, keyId, reason, rule }: RefusedCall): RefusalCount {
  return { day: utcDay(atMs), keyId, reason, rule, calls: 1 };
}
