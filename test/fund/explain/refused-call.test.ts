import { describe, expect, test } from "vitest";
import { type AskedCall, refusedCall, rowsToDrop } from "../../../shared/fund/explain/refused-call.ts";

const ASKED: AskedCall = {
  requestId: "request",
  keyId: "key_00000000000000000001",
  sender: "0x1",
  method: "sponsor",
  targets: [],
  gasBudgetAtoms: null,
  digest: null,
};

describe("a key's flood of refusals leaves the rows of the others", () => {
  test("the key with the most rows gives all of the excess", () => {
    const counts = new Map([
      ["flood", 1_500],
      ["quiet", 10],
      ["other", 20],
    ]);
    expect(rowsToDrop(counts, 1_000)).toEqual(new Map([["flood", 530]]));
  });

  test("one key alone may have all rows", () => {
    expect(rowsToDrop(new Map([["only", 1_000]]), 1_000)).toEqual(new Map());
    expect(rowsToDrop(new Map([["only", 1_001]]), 1_000)).toEqual(new Map([["only", 1]]));
  });

  test.each([
    [[600, 700, 5], 1_000],
    [[500, 500, 500], 1_000],
    [[1, 1, 1, 1], 2],
    [[3, 2, 1], 0],
    [[1_001, 1_000, 999, 7], 1_000],
  ])("so many stay as may, of %j, and none of a smaller key goes", (counts, most) => {
    const before = new Map(counts.map((count, index) => [String(index), count]));
    const dropped = rowsToDrop(before, most);
    const left = [...before].map(([keyId, count]) => count - (dropped.get(keyId) ?? 0));
    expect(left.reduce((sum, count) => sum + count, 0)).toBe(most);
    const tallest = Math.max(...left);
    for (const [keyId, count] of before) if (count < tallest) expect(dropped.has(keyId)).toBe(false);
  });
});

test("whatever a caller or a node wrote, a kept refusal has bounded texts", () => {
  const long = "x".repeat(100_000);
  const kept = refusedCall(
    { ...ASKED, requestId: long, sender: long, targets: Array.from({ length: 500 }, () => long), digest: long },
    { reason: "dry_run_failed", details: long, data: { rule: long, node: { text: long } } },
    0,
  );
  expect(JSON.stringify(kept).length).toBeLessThan(3_000);
  expect(kept.targets).toHaveLength(8);
});

test("the rule, the limit and the digest come from the data of the refusal", () => {
  const refusal = { details: "no", data: { rule: "maxGasBudget" }, scope: "key" } as const;
  expect(refusedCall(ASKED, { reason: "policy_refused", ...refusal }, 5)).toMatchObject({
    atMs: 5,
    rule: "maxGasBudget",
    scope: "key",
  });
  expect(refusedCall(ASKED, { reason: "rate_limited", details: "", data: { limit: "qps" } }, 0).rule).toBe("qps");
  expect(refusedCall(ASKED, { reason: "outcome_unknown", details: "", data: { hash: "0x2" } }, 0).digest).toBe("0x2");
});

test("an abort in a dry run is told with its place, its code and its constant, before the node's own text", () => {
  const abort = {
    package: "0x2",
    module: "coin",
    function: "split",
    abortCode: "2",
    command: 0,
    constant: "ENotEnough",
  };
  const told = (data: object) =>
    refusedCall(ASKED, { reason: "dry_run_failed", details: "MoveAbort(…, 2)", data: { ...data } }, 0);
  expect(told({ abort }).details).toBe("it aborted in 0x2::coin::split with code 2 (ENotEnough): MoveAbort(…, 2)");
  const { constant: _, ...nameless } = { ...abort, function: null };
  expect(told({ abort: nameless }).details).toBe("it aborted in 0x2::coin with code 2: MoveAbort(…, 2)");
  expect(told({ abort: null }).details).toBe("MoveAbort(…, 2)");
});
