import { expect, test } from "vitest";
import { CHAIN_BEGINS, chainBeginning, GENESIS_HASH, rowHash } from "../../shared/audit/chain.ts";
import { type ListedAuditRow, verifyAudit } from "../../shared/audit/verify.ts";

const AT_MS = Date.UTC(2026, 0, 1);

function listed(seq: number, previousHash: string | null, change: Partial<ListedAuditRow> = {}): ListedAuditRow {
  return {
    seq,
    at: new Date(AT_MS + seq).toISOString(),
    action: "fund.update",
    target: "fund_00000000000000000001",
    detail: { paused: seq % 2 === 0, policy: { maxGasBudget: null } },
    actor: "ann",
    actorTokenId: "adm_00000000000000000001",
    ip: "192.0.2.1",
    userAgent: "curl/8.0",
    previousHash,
    ...change,
  };
}

function hashed({ at, detail, ...row }: ListedAuditRow) {
  return { ...row, atMs: Date.parse(at), detailJson: JSON.stringify(detail) };
}

function hashOf(row: ListedAuditRow): string {
  return rowHash(hashed(row));
}

/** A log of this many rows. @param unchained the number of rows from before the chain. */
function logOf(count: number, unchained = 0, change: Partial<ListedAuditRow> = {}): readonly ListedAuditRow[] {
  const rows: ListedAuditRow[] = [];
  for (let seq = 1; seq <= count; seq++) {
    if (seq <= unchained) rows.push(listed(seq, null, change));
    else if (seq === unchained + 1 && unchained > 0)
      rows.push(listed(seq, GENESIS_HASH, { action: CHAIN_BEGINS, detail: chainBeginning(rows.map(hashed)) }));
    else {
      const before = rows.at(-1);
      rows.push(listed(seq, before === undefined ? GENESIS_HASH : hashOf(before), change));
    }
  }
  return rows;
}

function headOf(rows: readonly ListedAuditRow[]) {
  const last = rows.at(-1);
  if (last === undefined) throw new Error("an empty log has no head");
  return { seq: last.seq, hash: hashOf(last) };
}

test("the hash of a row is the SHA-256 of the JSON text that the page gives", () => {
  expect(
    rowHash({
      seq: 1,
      atMs: 1_767_225_600_000,
      action: "project.create",
      target: "prj_00000000000000000001",
      detailJson: '{"name":"x"}',
      actor: "ADMIN_TOKEN",
      actorTokenId: null,
      ip: null,
      userAgent: "curl/8.0",
      previousHash: GENESIS_HASH,
    }),
  ).toBe("fe11330108e9c2a1b4b700053773fe78a893e9f83af6e6552e7bf378cbc38352");
});

test.each([0, 3])("a whole log verifies in any order, with every head of its past: %i rows before the chain", (old) => {
  const log = logOf(9, old);
  for (const rows of [log, log.toReversed()])
    expect(verifyAudit(rows, null)).toEqual({
      ok: true,
      value: { head: headOf(log), chained: 9 - old, unchained: old, isWhole: true },
    });
  for (let seq = old + 1; seq <= 9; seq++)
    expect(verifyAudit(log, headOf(log.slice(0, seq))), `the head at ${seq}`).toMatchObject({ ok: true });
  expect(verifyAudit([], null)).toMatchObject({ ok: true, value: { head: null, chained: 0 } });
});

test("any other value of any field of any row is a fault", () => {
  const log = logOf(5);
  const kept = headOf(log);
  const changes: readonly Partial<ListedAuditRow>[] = [
    { at: new Date(AT_MS + 100).toISOString() },
    { action: "fund.withdraw" },
    { target: "fund_00000000000000000002" },
    { detail: { paused: true, policy: { maxGasBudget: "1" } } },
    { detail: null },
    { actor: "bob" },
    { actor: null },
    { actorTokenId: null },
    { ip: "192.0.2.2" },
    { ip: null },
    { userAgent: "" },
    { userAgent: null },
    { previousHash: "1".repeat(64) },
    { previousHash: null },
    { seq: 77 },
  ];
  for (const change of changes)
    for (const at of log.keys()) {
      const changed = log.map((row, index) => (index === at ? { ...row, ...change } : row));
      expect(verifyAudit(changed, kept).ok, `${JSON.stringify(change)} at ${at}`).toBe(false);
    }
});

test("a value that moves from one field to the next is a fault", () => {
  const log = logOf(2, 0, { ip: "a", userAgent: "b" });
  const moved = log.map((row, index) => (index === 0 ? { ...row, ip: "", userAgent: "ab" } : row));
  expect(verifyAudit(moved, null).ok).toBe(false);
});

test("a removed, inserted, doubled or reordered row is a fault", () => {
  const log = logOf(6);
  const kept = headOf(log);
  for (const at of log.keys()) {
    expect(verifyAudit(log.toSpliced(at, 1), kept).ok && at > 0, `without ${at}`).toBe(false);
    const one = log[at];
    if (one === undefined) continue;
    expect(verifyAudit(log.toSpliced(at, 0, one), kept).ok, `${at} twice`).toBe(false);
    expect(verifyAudit(log.toSpliced(at, 0, { ...one, seq: one.seq + 0.5 }), kept).ok, `after ${at}`).toBe(false);
  }
  const [first, second, ...rest] = log;
  if (first === undefined || second === undefined) throw new Error("the log is too short");
  expect(verifyAudit([{ ...first, seq: 2 }, { ...second, seq: 1 }, ...rest], kept).ok).toBe(false);
});

test("a log that was cut off, or made anew, contradicts the head that was kept", () => {
  const log = logOf(6);
  const kept = headOf(log);
  expect(verifyAudit(log.slice(0, 5), kept)).toMatchObject({ ok: false, error: { seq: null } });
  const anew = logOf(8, 0, { actor: "nobody" });
  expect(verifyAudit(anew, null), "it follows its own hashes").toMatchObject({ ok: true });
  expect(verifyAudit(anew, kept)).toMatchObject({ ok: false, error: { seq: 6 } });
  expect(verifyAudit([], kept)).toMatchObject({ ok: false });
});

test("a part of a log verifies, and says that it is none from the beginning", () => {
  const log = logOf(6);
  expect(verifyAudit(log.slice(2, 5), null)).toMatchObject({ ok: true, value: { chained: 3, isWhole: false } });
  expect(verifyAudit(log.slice(2), headOf(log.slice(0, 2)))).toMatchObject({ ok: false, error: { seq: null } });
});

test("rows before the chain can neither be added to a chain nor lose their last one", () => {
  const old = logOf(6, 3);
  expect(verifyAudit(old.toSpliced(2, 1), null)).toMatchObject({ ok: false, error: { seq: 4 } });
  expect(verifyAudit([listed(0, null), ...logOf(4)], null)).toMatchObject({ ok: false, error: { seq: 1 } });
  const late = [...old, listed(7, null)];
  expect(verifyAudit(late, null)).toMatchObject({ ok: false, error: { seq: 7 } });
});

test("the beginning of a chain proves the rows before it", () => {
  const old = logOf(6, 3);
  const kept = headOf(old);
  expect(verifyAudit(old, kept)).toMatchObject({ ok: true, value: { unchained: 3, isWhole: true } });
  const changes: readonly Partial<ListedAuditRow>[] = [{ action: "fund.withdraw" }, { detail: null }, { actor: "bob" }];
  for (const change of changes)
    for (const at of [0, 1, 2]) {
      const changed = old.map((row, index) => (index === at ? { ...row, ...change } : row));
      expect(verifyAudit(changed, kept), `${JSON.stringify(change)} at ${at}`).toMatchObject({
        ok: false,
        error: { seq: 4, fault: "a row from before the chain was changed" },
      });
    }
  for (const at of [1, 2])
    expect(verifyAudit(old.toSpliced(at, 1), kept), `without ${at}`).toMatchObject({ ok: false, error: { seq: 4 } });
});

test("without the first of the rows from before the chain, a log is none from the beginning", () => {
  const old = logOf(6, 3);
  for (const missing of [1, 2, 3])
    expect(verifyAudit(old.slice(missing), headOf(old)), `without ${missing}`).toMatchObject({
      ok: true,
      value: { unchained: 3 - missing, isWhole: false },
    });
});

test("a beginning of a chain that says nothing about the rows before it is a fault", () => {
  const [one] = logOf(1, 1);
  if (one === undefined) throw new Error("the log is too short");
  for (const detail of [null, {}, { lastSeqBefore: 1 }, { lastSeqBefore: "1", hashBefore: "" }])
    expect(
      verifyAudit([one, listed(2, GENESIS_HASH, { action: CHAIN_BEGINS, detail })], null),
      JSON.stringify(detail),
    ).toMatchObject({ ok: false, error: { seq: 2 } });
});
