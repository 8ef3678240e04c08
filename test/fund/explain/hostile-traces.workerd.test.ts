import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readAbort as readAptosAbort } from "../../../shared/chain/aptos/vm-status.ts";
import { readAbort as readSuiAbort } from "../../../shared/chain/sui/execution-failure.ts";
import { endingNames, endings } from "../../../shared/fund/endings.ts";
import { SqliteTraces, TRACE_COLUMNS, type TraceRow } from "../../../shared/fund/explain/sqlite-traces.ts";
import {
  archivedTrace,
  NO_TRACE,
  type Trace,
  type TracedExecution,
  tracedExecution,
  traceOfArchived,
} from "../../../shared/fund/explain/trace.ts";

const CREATED_AT_MS = 1_760_000_000_000;
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const absent = (value: fc.Arbitrary<string>) => fc.option(value, { nil: undefined });

/** Any number, whole or not, also NaN, infinities and those beyond 2^53. */
const number = fc.oneof(
  fc.double(),
  u64.map(Number),
  fc.constantFrom(2 ** 53, -(2 ** 53), 8.64e15, 8.64e15 + 2, -1, 2 ** 50, 2 ** 51),
);
const text = fc.oneof(fc.string({ unit: "binary", maxLength: 500 }), fc.constant("x".repeat(20_000)));

/** An abort on Sui, as a node's reply is read. */
const suiAbort = fc
  .record({ command: u64, abortCode: u64, module: text, functionName: absent(text), constantName: absent(text) })
  .map(({ command, abortCode, module, functionName, constantName }) => {
    const location = { package: "0x2", module, ...(functionName !== undefined && { functionName }) };
    const named = { ...(constantName !== undefined && { constantName }) };
    const abort = { abortCode, location, cleverError: { ...named, value: { oneofKind: undefined } } };
    const read = readSuiAbort({ kind: 13, command, errorDetails: { oneofKind: "abort", abort } });
    if (read === null) throw new Error("the abort is not read");
    return { ...read, code: String(read.abortCode), constant: read.constant ?? null };
  });

const aptosStatus = fc.oneof(
  text,
  u64.map((code) => `Move abort in 0x1::coin: EX(0x${code.toString(16)}): Not enough`),
);

const anyAbort = fc.record({
  package: text,
  module: text,
  function: fc.option(text),
  code: text,
  constant: fc.option(text),
  command: fc.option(number),
});

const execution: fc.Arbitrary<TracedExecution> = fc
  .record({
    endpoint: fc.option(fc.domain()),
    failure: fc.option(text),
    checkpoint: fc.option(u64),
    executedAtMs: fc.option(number),
  })
  .chain((shown) =>
    fc.oneof(
      fc.option(fc.oneof(suiAbort, anyAbort)).map((abort) => ({ ...shown, abort })),
      aptosStatus.map((failure) => ({ ...shown, checkpoint: null, failure, abort: readAptosAbort(failure) })),
    ),
  );

const known = { reserveEntry: 7, endEntry: 9, requestId: "0199c2f0-1234-7abc-8def-0123456789ab" };

/** Writes the columns of a trace as a row has them, and reads the row. */
function stored(sql: SqlStorage, values: readonly unknown[]): TraceRow {
  sql.exec("CREATE TABLE IF NOT EXISTS kept (request_id ANY, ending INTEGER, targets ANY, trace BLOB)");
  sql.exec("DELETE FROM kept");
  sql.exec(`INSERT INTO kept (${TRACE_COLUMNS.join(", ")}) VALUES (?, ?, ?, ?)`, ...values);
  return sql.exec<TraceRow>("SELECT * FROM kept").one();
}

/** Runs over the storage of a real fund. */
async function withTraces(run: (sql: SqlStorage, traces: SqliteTraces) => void): Promise<void> {
  await runInDurableObject(env.FUND.getByName("fund_traces"), (_, { storage }) =>
    run(storage.sql, new SqliteTraces(storage.sql, () => {})),
  );
}

function isShowable({ executedAtMs, checkpoint, abort }: Trace): boolean {
  if (executedAtMs !== null) new Date(executedAtMs).toISOString();
  return [executedAtMs, checkpoint, abort?.command ?? null].every(
    (each) => each === null || Number.isSafeInteger(each),
  );
}

test("every execution that a node can show is stored, archived and read back", async () => {
  await withTraces((sql, traces) =>
    fc.assert(
      fc.property(execution, fc.option(u64), (shown, sinceCheckpoint) => {
        const trace: Trace = { ...NO_TRACE, ...known, ...tracedExecution(shown) };
        const from = { createdAtMs: CREATED_AT_MS, sinceCheckpoint };
        expect(isShowable(trace)).toBe(true);
        expect(traces.read(stored(sql, traces.values(trace, from)), from)).toEqual(trace);
        expect(traceOfArchived(JSON.parse(JSON.stringify(archivedTrace(trace))))).toEqual(trace);
      }),
      { numRuns: 300 },
    ),
  );
});

const bytes = fc.uint8Array({ maxLength: 400 });
const scalar = fc.oneof(fc.integer(), text, fc.constant(null));

test("columns of a trace that are corrupt make no row unreadable", async () => {
  const from = { createdAtMs: CREATED_AT_MS, sinceCheckpoint: 5n };
  await withTraces((sql, traces) =>
    fc.assert(
      fc.property(
        fc.oneof(bytes, text),
        fc.option(fc.integer()),
        scalar,
        bytes,
        (requestId, ending, targets, trace) => {
          const read = traces.read(stored(sql, [requestId, ending, targets, trace]), from);
          expect(read === undefined || isShowable(read)).toBe(true);
          const alone = traces.read(stored(sql, [null, null, null, trace]), from);
          expect(alone === undefined || isShowable(alone)).toBe(true);
        },
      ),
      { numRuns: 300 },
    ),
  );
});

test("a dead row keeps few characters of a stranger's targets, and all that a paid row has named", async () => {
  const usual = Array.from({ length: 4 }, (_, index) => `0x${"a".repeat(64)}::shop::buy_${index}`);
  const strange = Array.from({ length: 4 }, (_, index) => `0x${"b".repeat(64)}::${"m".repeat(60)}::f${index}`);
  await withTraces((sql, traces) => {
    const targetsOf = (ending: Trace["ending"], targets: readonly string[]) => {
      const row = stored(sql, traces.values({ ...NO_TRACE, ending, targets }, { createdAtMs: 0 }));
      return traces.read(row, { createdAtMs: 0 })?.targets ?? [];
    };
    for (const ending of endingNames.filter((name) => endings[name] === "dead")) {
      const kept = targetsOf(ending, strange);
      expect(kept[0], ending).toBe(strange[0]);
      expect(kept.join(""), ending).toHaveLength(200);
    }
    expect(targetsOf("succeeded", usual)).toEqual(usual);
    expect(targetsOf("expired_unsigned", usual)).toEqual(usual);
    expect(targetsOf("unresolvable", strange)).toEqual(strange);
    expect(targetsOf(null, strange)).toEqual(strange);
  });
});

test("an archived trace that is corrupt makes no record unreadable", () => {
  const whole = archivedTrace({ ...NO_TRACE, ...known, ending: "aborted", executedAtMs: CREATED_AT_MS });
  fc.assert(
    fc.property(fc.nat({ max: 3 }), fc.jsonValue(), (at, value) => {
      const read = traceOfArchived(whole.with(at, value));
      expect(read === undefined || isShowable(read)).toBe(true);
    }),
  );
  fc.assert(fc.property(fc.array(fc.jsonValue()), (fields) => void traceOfArchived(fields)));
});

test("a row of a build that stored an absurd index of a command keeps the rest of its abort", () => {
  const abort = ["0x2", "m", "f", "7", null, 2 ** 60];
  const fields = [null, "aborted", null, [1, 2, 1, "node.example", 5, 2 ** 53 - 1, abort]];
  expect(traceOfArchived(fields)).toMatchObject({
    checkpoint: 5,
    executedAtMs: null,
    abort: { module: "m", function: "f", code: "7", command: null },
  });
});
