import type { Row } from "../durable/sql.ts";
import type { Outcome, Refusal } from "../errors.ts";
import { utcDay } from "../fund/ledger/usage.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { Admitted } from "./record.ts";

/** Part of version 8 of an access key's storage. Counters of refused calls, by UTC day. They stay for ever. */
export const REFUSAL_COUNT_MIGRATION_8 = `
  CREATE TABLE refusal_count (
    day INTEGER NOT NULL,
    reason TEXT NOT NULL,
    rule TEXT NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (day, reason, rule)
  ) STRICT, WITHOUT ROWID
`;

/** The time for which refused calls are counted in memory. A flood of them then costs one commit. */
const GATHER_MS = 2_000;
/** The days of `RefusalSummary`, today included. */
const RECENT_DAYS = 30;

/** The calls that a key's object has refused on a day, for one reason and rule. Days since 1970, UTC. */
export interface KeyRefusalCount {
  readonly day: number;
  readonly reason: string;
  /** The limit of a rate, or `disabled`. Null if the reason has none. */
  readonly rule: string | null;
  readonly calls: number;
}

/** A request for a page of counters. */
export interface KeyRefusalQuery extends PageRequest {
  readonly fromDay: number;
  readonly toDay: number;
  readonly reason?: string;
}

/** The calls that a key's object has refused lately. */
export interface RefusalSummary {
  readonly today: number;
  readonly last30Days: number;
}

type CountRow = Row<{ day: number; reason: string; rule: string; calls: number }>;

/** The outside of the counters. */
export interface RefusalCountPorts {
  readonly nowMs: () => number;
  /** Runs a function in one commit of the key. It does not run if the key has moved. */
  readonly commit: (transition: () => void) => void;
  readonly logFailure: (error: unknown) => void;
}

function ruleOf({ reason, data }: Refusal): string {
  // The object sees a genuine key only, so this reason means that it is disabled.
  if (reason === "bad_key") return "disabled";
  return typeof data?.limit === "string" ? data.limit : "";
}

/**
 * Counts the calls that a key's object refuses to admit. Memory gathers them, so that a refusal waits for nothing and a
 * flood costs no disk. An eviction or a crash loses the counts of some seconds.
 */
export class RefusalCounts {
  readonly #sql: SqlStorage;
  readonly #ports: RefusalCountPorts;
  #waiting = new Map<string, KeyRefusalCount>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The calls of each reason on all days, as stored. Null until they are read. */
  #totals: Map<string, number> | null = null;

  constructor(sql: SqlStorage, ports: RefusalCountPorts) {
    this.#sql = sql;
    this.#ports = ports;
  }

  /** Counts what an admission refuses. Only the caller knows that the request proves the key. */
  note(outcome: Outcome<Admitted>, calls: number): void {
    if (!outcome.ok) this.#add(outcome.error, Math.max(calls, 1));
    else for (const verdict of outcome.value.calls) if (!verdict.ok) this.#add(verdict.error, 1);
  }

  #add(refusal: Refusal, calls: number): void {
    const { reason } = refusal;
    const [day, rule] = [utcDay(this.#ports.nowMs()), ruleOf(refusal)];
    const name = `${day} ${reason} ${rule}`;
    const before = this.#waiting.get(name)?.calls ?? 0;
    this.#waiting.set(name, { day, reason, rule, calls: before + calls });
    this.#timer ??= setTimeout(() => this.write(), GATHER_MS);
  }

  /** Writes the counts. If that fails, they are lost. */
  write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const counts = [...this.#waiting.values()];
    if (counts.length === 0) return;
    this.#waiting = new Map();
    try {
      this.#ports.commit(() => {
        for (const { day, reason, rule, calls } of counts)
          this.#sql.exec(
            `INSERT INTO refusal_count (day, reason, rule, calls) VALUES (?, ?, ?, ?)
             ON CONFLICT (day, reason, rule) DO UPDATE SET calls = calls + excluded.calls`,
            day,
            reason,
            rule ?? "",
            calls,
          );
      });
    } catch (error) {
      this.#ports.logFailure(error);
    }
    this.#totals = null;
  }

  /** Lists counters, the newest day first. */
  list({ limit, cursor, fromDay, toDay, reason }: KeyRefusalQuery): Page<KeyRefusalCount> {
    this.write();
    const skipped = cursor === null ? 0 : Number(cursor);
    const rows = this.#sql
      .exec<CountRow>(
        `SELECT * FROM refusal_count WHERE day BETWEEN ? AND ? AND (?3 IS NULL OR reason = ?3)
         ORDER BY day DESC, reason, rule LIMIT ?4 OFFSET ?5`,
        fromDay,
        toDay,
        reason ?? null,
        limit + 1,
        skipped,
      )
      .toArray();
    const items = rows.slice(0, limit).map((row) => ({ ...row, rule: row.rule === "" ? null : row.rule }));
    return { items, nextCursor: rows.length > limit ? String(skipped + limit) : null };
  }

  /** Adds up the counters of today, and of the last thirty days. */
  summary(): RefusalSummary {
    this.write();
    const today = utcDay(this.#ports.nowMs());
    const since = (day: number) =>
      this.#sql
        .exec<{ calls: number | null }>("SELECT SUM(calls) AS calls FROM refusal_count WHERE day >= ?", day)
        .one().calls ?? 0;
    return { today: since(today), last30Days: since(today - RECENT_DAYS + 1) };
  }

  /** Returns the calls of each reason on all days. */
  totals(): Readonly<Record<string, number>> {
    this.write();
    this.#totals ??= new Map(
      this.#sql
        .exec<{ reason: string; calls: number }>(
          "SELECT reason, SUM(calls) AS calls FROM refusal_count GROUP BY reason",
        )
        .toArray()
        .map(({ reason, calls }) => [reason, calls]),
    );
    return Object.fromEntries(this.#totals);
  }
}
