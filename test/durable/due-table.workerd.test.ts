import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type DueColumn, dueColumnMigration, moveDue } from "../../shared/durable/due-columns.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "../../shared/durable/due-table.ts";

const COLUMN: DueColumn = {
  kind: "look",
  table: "looked",
  id: "id",
  pack: (reference) => new TextEncoder().encode(reference),
  unpack: (stored) => (typeof stored === "string" ? stored : new TextDecoder().decode(stored)),
};
const LONGEST_MS = 1_000;
const FAR_MS = Date.UTC(2200, 0, 1);
/** Those that have a row with a column, and others. */
const WITH_ROW = ["a", "b", "c"] as const;
const REFERENCES = [...WITH_ROW, "x", "y"] as const;

let objects = 0;

/** Runs in an object with an empty table of due rows and rows with times of their own. */
function withDue<T>(use: (due: DueTable, storage: DurableObjectStorage, armed: () => number | null) => T): Promise<T> {
  objects += 1;
  return runInDurableObject(env.FUND_ARCHIVE.getByName(`due ${objects}`), (_, { storage }) => {
    const { sql } = storage;
    sql.exec(`${DUE_TABLE_MIGRATION} CREATE TABLE looked (id ANY PRIMARY KEY) STRICT; ${dueColumnMigration(COLUMN)}`);
    for (const id of WITH_ROW) sql.exec("INSERT INTO looked (id) VALUES (?)", COLUMN.pack(id));
    let armedAtMs: number | null = null;
    const arm = (atMs: number) => {
      armedAtMs = atMs;
      return FAR_MS;
    };
    const due = new DueTable(storage, arm, { look: LONGEST_MS, send: LONGEST_MS }, [COLUMN]);
    return use(due, storage, () => armedAtMs);
  });
}

const atMs = fc.integer({ min: 1, max: 5_000 });
const place = fc.record({ kind: fc.constantFrom("look", "send"), reference: fc.constantFrom(...REFERENCES) });
const step = fc.oneof(
  fc.record({
    call: fc.constant("set" as const),
    place,
    atMs,
    when: fc.constantFrom("then" as const, "by_then" as const),
  }),
  fc.record({ call: fc.constant("clear" as const), place }),
  fc.record({ call: fc.constant("postpone" as const), kind: fc.constantFrom("look", "send"), atMs }),
);

test("a time in a column is due, moved and dropped as one in a row of its own, and the alarm is at the earliest", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await withDue((due, _, armed) => {
        const model = new Map<string, number>();
        for (const each of steps) {
          if (each.call === "postpone") {
            due.postpone(each.kind, each.atMs, each.atMs + LONGEST_MS);
            for (const [name, dueMs] of model)
              if (name.startsWith(each.kind) && dueMs <= each.atMs) model.set(name, each.atMs + LONGEST_MS);
            continue;
          }
          const { kind, reference } = each.place;
          const name = `${kind} ${reference}`;
          if (each.call === "clear") {
            due.set(kind, reference, null);
            model.delete(name);
          } else {
            due.set(kind, reference, each.atMs, each.when);
            model.set(name, each.when === "then" ? each.atMs : Math.min(each.atMs, model.get(name) ?? each.atMs));
          }
          expect(due.dueAt(kind, reference)).toBe(model.get(name) ?? null);
        }
        for (const kind of ["look", "send"]) {
          const expected = [...model].filter(([name, dueMs]) => name.startsWith(kind) && dueMs <= 2_500);
          const listed = due.listDue(kind, 2_500, 100);
          expect(new Map(listed.map(({ reference, atMs }) => [`${kind} ${reference}`, atMs]))).toEqual(
            new Map(expected),
          );
          expect(listed.map(({ atMs }) => atMs)).toEqual(expected.map(([, dueMs]) => dueMs).sort((a, b) => a - b));
          expect(due.listDue(kind, 2_500, 1)).toEqual(listed.slice(0, 1));
        }
        const earliestMs = Math.min(...model.values());
        expect(due.lateMs(10_000)).toBe(model.size === 0 ? 0 : 10_000 - earliestMs);
        due.rearm();
        if (model.size > 0) expect(armed()).toBe(earliestMs);
      });
    }),
    { numRuns: 60 },
  );
});

test("times that a clock ahead has set in a column are pulled back, too", async () => {
  await withDue((due, _, armed) => {
    due.rearmIfOverdue(9_000);
    due.set("look", "a", 9_500);
    due.set("look", "x", 9_600);
    due.rearmIfOverdue(1_000);
    expect([due.dueAt("look", "a"), due.dueAt("look", "x")]).toEqual([1_000, 1_000]);
    expect(armed()).toBe(1_000);
  });
});

test("a row that comes into its table takes its time along, and is due once", async () => {
  await withDue((due, { sql }) => {
    due.set("look", "x", 700);
    moveDue(sql, COLUMN, "x");
    expect(due.dueAt("look", "x"), "it stays while there is no row").toBe(700);
    sql.exec("INSERT INTO looked (id) VALUES (?)", COLUMN.pack("x"));
    moveDue(sql, COLUMN, "x");
    moveDue(sql, COLUMN, "a");
    expect(due.listDue("look", 1_000, 10)).toEqual([{ kind: "look", reference: "x", atMs: 700 }]);
    due.set("look", "x", null);
    expect(due.listDue("look", 1_000, 10)).toEqual([]);
    expect(due.dueAt("look", "a")).toBeNull();
  });
});

test("a reference that nothing is left to do for is dropped, wherever its times are", async () => {
  await withDue((due, { sql }) => {
    due.set("look", "a", 700);
    sql.exec("INSERT INTO due (kind, reference, at_ms) VALUES ('look', 'a', 600)");
    due.drop("look", "a");
    due.drop("look", "x");
    expect(due.listDue("look", 1_000, 10)).toEqual([]);
  });
});

test("no call reads the rows that are not due", async () => {
  await withDue((due, { sql }) => {
    sql.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO looked (id, due_at_ms) SELECT 'ended ' || i, iif(i % 3 = 0, 1000000 + i, NULL) FROM n`);
    let rowsRead = 0;
    const exec = sql.exec.bind(sql);
    const counted = new Proxy(sql, {
      get:
        () =>
        (query: string, ...bindings: unknown[]) => {
          const cursor = exec(query, ...bindings);
          const rows = cursor.toArray();
          rowsRead += cursor.rowsRead;
          return { toArray: () => rows, one: () => rows[0], rowsWritten: cursor.rowsWritten };
        },
    });
    const storage = new Proxy({} as DurableObjectStorage, {
      get: (_, name) => (name === "sql" ? counted : async () => {}),
    });
    const watched = new DueTable(storage, () => FAR_MS, { look: LONGEST_MS }, [COLUMN]);
    due.set("look", "a", 500);
    watched.set("look", "b", 600);
    watched.set("look", "b", 300, "by_then");
    watched.listDue("look", 1_000, 100);
    watched.dueAt("look", "a");
    watched.postpone("look", 1_000, 1_100);
    watched.rearm();
    watched.lateMs(2_000);
    watched.rearmIfOverdue(2_000_000);
    expect(rowsRead).toBeLessThan(40);
  });
});
