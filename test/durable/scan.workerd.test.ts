import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ColumnSpan,
  DISORDER_MS,
  type NumberedTable,
  type Scanned,
  type ScanStart,
  scan,
} from "../../shared/durable/scan.ts";

interface Listed {
  readonly [column: string]: number;
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: number;
}

const TABLE: NumberedTable = { name: "listed", number: "seq" };
const OF_KIND_1 = [{ sql: "kind = ?", bindings: [1] }];
const HOUR_MS = 3_600_000;

/** Counts the rows that SQLite reads. */
class CountingSql {
  rowsRead = 0;
  readonly sql: SqlStorage;

  constructor(sql: SqlStorage) {
    const exec = (query: string, ...bindings: unknown[]) => {
      const cursor = sql.exec(query, ...bindings);
      const rows = cursor.toArray();
      this.rowsRead += cursor.rowsRead;
      return { toArray: () => rows };
    };
    this.sql = new Proxy(sql, { get: (target, name) => (name === "exec" ? exec : Reflect.get(target, name)) });
  }
}

let objects = 0;

/** Runs in an object with an empty table. */
function withTable<T>(use: (sql: SqlStorage) => T): Promise<T> {
  objects += 1;
  return runInDurableObject(env.FUND_ARCHIVE.getByName(`scan ${objects}`), (_, { storage: { sql } }) => {
    sql.exec("CREATE TABLE listed (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, kind INTEGER NOT NULL) STRICT");
    return use(sql);
  });
}

function fill(sql: SqlStorage, rows: readonly Listed[]): void {
  sql.exec("DELETE FROM listed");
  sql.exec(
    "INSERT INTO listed SELECT value ->> 'seq', value ->> 'at_ms', value ->> 'kind' FROM json_each(?)",
    JSON.stringify(rows),
  );
}

/** Reads page after page. */
function all(sql: SqlStorage, span: ColumnSpan | null, { order, limit, examine }: Omit<ScanStart, "beyond">) {
  const found: Listed[] = [];
  const first = order === "highest first" ? Number.MAX_SAFE_INTEGER : 0;
  for (let beyond: number | null = first; beyond !== null; ) {
    const page: Scanned<Listed> = scan<Listed>(sql, "*", TABLE, OF_KIND_1, span, { order, beyond, limit, examine });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    found.push(...page.rows);
    beyond = page.reached;
  }
  return found;
}

/** Rows with gaps between their numbers, whose times run up to a day against their order. */
const rowsArbitrary = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 40 }), hours: fc.integer({ min: 0, max: 23 }), kind: fc.nat(1) }), {
    maxLength: 60,
  })
  .map((steps) => {
    let seq = 0;
    return steps.map(({ gap, hours, kind }, index): Listed => {
      seq += gap;
      return { seq, at_ms: (index * 5 + hours) * HOUR_MS, kind };
    });
  });

test("pages of a scan hold each row that fits once, in order, however few rows one page examines", () =>
  withTable((sql) =>
    fc.assert(
      fc.property(
        rowsArbitrary,
        fc.constantFrom("highest first" as const, "lowest first" as const),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.integer({ min: 0, max: 300 })),
        fc.option(fc.integer({ min: 0, max: 300 })),
        (rows, order, limit, examine, from, to) => {
          fill(sql, rows);
          const fromMs = from === null ? null : from * HOUR_MS;
          const toMs = to === null ? null : to * HOUR_MS;
          const isIn = ({ at_ms }: Listed) => (fromMs === null || at_ms >= fromMs) && (toMs === null || at_ms < toMs);
          const fitting = rows.filter((row) => row.kind === 1 && isIn(row));
          const expected = order === "highest first" ? fitting.toReversed() : fitting;
          expect(all(sql, { fromMs, toMs, column: "at_ms" }, { order, limit, examine })).toEqual(expected);
        },
      ),
    ),
  ));

test("a scan that finds nothing reads a bounded number of rows, and a span of time skips all others", () =>
  withTable((sql) => {
    const rows = Array.from({ length: 30_000 }, (_, index) => ({ seq: index + 1, at_ms: index * HOUR_MS, kind: 0 }));
    fill(sql, rows);
    const counting = new CountingSql(sql);
    const start = { order: "highest first", beyond: Number.MAX_SAFE_INTEGER, limit: 20, examine: 1_000 } as const;
    const page = scan<Listed>(counting.sql, "*", TABLE, OF_KIND_1, null, start);
    expect(page).toEqual({ rows: [], reached: 29_001 });
    expect(counting.rowsRead).toBeLessThanOrEqual(2 * 1_000 + 2);

    const day = { fromMs: 500 * DISORDER_MS, toMs: 501 * DISORDER_MS, column: "at_ms" };
    counting.rowsRead = 0;
    expect(scan<Listed>(counting.sql, "*", TABLE, OF_KIND_1, day, start)).toEqual({ rows: [], reached: null });
    const threeDays = 3 * 24;
    expect(counting.rowsRead).toBeLessThanOrEqual(2 * threeDays + 60);
  }));
