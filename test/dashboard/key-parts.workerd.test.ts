import { describe, expect, test } from "vitest";
import type { Fund, Key } from "../../functions/dashboard/answers.ts";
import { questionOf } from "../../functions/dashboard/explain/question.ts";
import { limitUses, percentOf } from "../../functions/dashboard/keys/limits.tsx";
import { spentMost } from "../../functions/dashboard/keys/list-page.tsx";
import { revocationCost } from "../../functions/dashboard/keys/open.ts";
import { StopPage } from "../../functions/dashboard/keys/stop-page.tsx";
import { bySpent, doubtOf, type KeyUse, type ListedKey, NO_USE, useByKey } from "../../functions/dashboard/keys/use.ts";
import { changedFields } from "../../functions/dashboard/parts/originals.tsx";
import { policyOfForm } from "../../functions/dashboard/parts/policy-form.tsx";
import { sumsOf } from "../../functions/dashboard/rows/refusals-page.tsx";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { policyPatchSchema, showPolicy } from "../../shared/policy/policy-schema.ts";

const NOW_MS = Date.parse("2026-11-23T12:00:00Z");
const DAY_MS = 86_400_000;
const HASH = `0x${"ab".repeat(32)}`;

function keyOf(change: Partial<Key> = {}): Key {
  return {
    id: `key_${"a".repeat(20)}`,
    projectId: `prj_${"a".repeat(20)}`,
    name: "app",
    network: "SUI_MAINNET",
    rights: ["gas"],
    fundId: `fund_${"a".repeat(20)}`,
    limits: { qps: 1, cups: 1, sessionsPerSecond: 1 },
    policy: showPolicy(defaultKeyPolicy("sui")),
    status: "active",
    refusals: null,
    createdAt: new Date(NOW_MS - 90 * DAY_MS).toISOString(),
    ...change,
  };
}

function listed(week: Partial<KeyUse> | null, change: Partial<Key> = {}, month = week): ListedKey {
  const use = (part: Partial<KeyUse> | null) => (part === null ? null : { ...NO_USE, ...part });
  return { key: keyOf(change), projectName: "project", fund: null, week: use(week), month: use(month) };
}

describe("the search box takes", () => {
  test.each([
    ["", { kind: "empty" }],
    ["   ", { kind: "empty" }],
    [` key_${"a".repeat(20)}\n`, { kind: "page", part: "keys", id: `key_${"a".repeat(20)}` }],
    [`fund_${"a".repeat(20)}`, { kind: "page", part: "funds", id: `fund_${"a".repeat(20)}` }],
    [HASH.toUpperCase().replace("0X", "0x"), { kind: "hash", hash: HASH }],
    [
      "9xKpV1d2QmZr7tYw3nB5cH8fJ4kL6pSa1eGdRuTx2vWm",
      { kind: "digest", digest: "9xKpV1d2QmZr7tYw3nB5cH8fJ4kL6pSa1eGdRuTx2vWm" },
    ],
    ["5f0e8e0a-4d3d-4a4e-9a59-6c6a1a2b3c4d", { kind: "request", requestId: "5f0e8e0a-4d3d-4a4e-9a59-6c6a1a2b3c4d" }],
    ["user-42", { kind: "wallet", walletId: "user-42" }],
    ["0x12", { kind: "wallet", walletId: "0x12" }],
  ])("%j", (text, question) => {
    expect(questionOf(text)).toEqual(question);
  });
});

describe("a key to look at is one", () => {
  test.each([
    ["whose sponsorships nobody executes", { sponsored: 20, abandoned: 11 }, "Never executed"],
    ["that is refused more than it sponsors", { sponsored: 3, refused: 12 }, "Refused"],
    ["whose transactions abort", { sponsored: 20, failed: 11 }, "Aborts"],
    ["that has done nothing in thirty days", {}, "Unused"],
  ])("%s", (_, week, tag) => {
    expect(doubtOf(listed(week), NOW_MS)?.tag).toBe(tag);
  });

  test.each([
    ["does its work", listed({ sponsored: 20, abandoned: 2, failed: 2, refused: 3 })],
    ["has done too little to tell", listed({ sponsored: 4, abandoned: 4 })],
    ["is new", listed({}, { createdAt: new Date(NOW_MS - DAY_MS).toISOString() })],
    ["pays for nothing, because it has no such right", listed({}, { rights: ["node"] })],
    ["is disabled", listed({}, { status: "disabled" })],
    ["was used three weeks ago", listed({}, {}, { sponsored: 1 })],
    ["has a fund that does not answer", listed(null)],
  ])("and none that %s", (_, key) => {
    expect(doubtOf(key, NOW_MS)).toBeNull();
  });
});

test("keys are ordered by what they spent, and the largest is named for each chain", () => {
  const keys = [
    listed({ spentAtoms: 10n }, { name: "small" }),
    listed({ spentAtoms: 500_000_000n }, { name: "apt", network: "APTOS_MAINNET" }),
    listed({ spentAtoms: 9_000_000_000n }, { name: "large" }),
    listed({ spentAtoms: 1_000_000_000n }, { name: "middle" }),
    listed(null, { name: "silent" }),
  ];
  expect(keys.toSorted(bySpent).map(({ key }) => key.name)).toEqual(["large", "middle", "small", "silent", "apt"]);
  expect(spentMost(keys)).toEqual([
    "large spent the most in the last 7 days: 9 SUI, 90 % of all on Sui.",
    "apt spent the most in the last 7 days: 5 APT, 100 % of all on Aptos.",
  ]);
  expect(spentMost([listed({})])).toEqual([]);
});

test("the use of a key is the sum of its rows and of its refusals", () => {
  const row = {
    name: "key_1",
    sponsored: 3,
    executed: 2,
    failed: 1,
    abandoned: 1,
    unresolvable: 0,
    charged: "-5",
    fees: "20",
    rebate: "0",
    maintenance: "7",
    spent: "22",
  };
  const refusal = { day: "2026-11-23", keyId: "key_1", reason: "policy_refused", rule: "senders", calls: 4 };
  const uses = useByKey([row], [refusal, { ...refusal, rule: null, calls: 1 }, { ...refusal, keyId: "key_2" }]);
  expect(uses.get("key_1")).toEqual({
    spentAtoms: 22n,
    sponsored: 3,
    failed: 1,
    abandoned: 1,
    refused: 5,
    maintenanceAtoms: 7n,
  });
  expect(uses.get("key_2")).toEqual({ ...NO_USE, refused: 4 });
});

describe("limits against use", () => {
  const open = { signed: 2, prepared: 1, withheldAtoms: 30n, signedAtoms: 20n, isWhole: true };

  test("count what is open with what was spent today, as the policy does", () => {
    const policy = { ...showPolicy(defaultKeyPolicy("sui")), maxInFlightCount: 6, maxSpendPerDay: "100" };
    const today = { ...NO_USE, spentAtoms: 15n, maintenanceAtoms: 5n };
    expect(limitUses(policy, today, open).map(({ label, used, limit }) => [label, used, limit])).toEqual([
      ["Open sponsorships", 3n, 6n],
      ["Kept for open sponsorships", 30n, 50_000_000_000n],
      ["Counted for today's limit", 40n, 100n],
      ["Cost of unused sponsorships, today", 5n, 500_000_000n],
    ]);
  });

  test.each([
    [0n, 10n, 0],
    [5n, 10n, 50],
    [20n, 10n, 100],
    [0n, 0n, 100],
    [5n, null, 0],
    [-5n, 10n, 0],
  ])("%s of %s is %s percent", (used, limit, percent) => {
    expect(percentOf({ used, limit })).toBe(percent);
  });

  test("a revocation costs what taking one back has cost, and is impossible without coins", () => {
    const month = { ...NO_USE, abandoned: 4, maintenanceAtoms: 400n };
    const cost = (mode: Fund["mode"], known: KeyUse | null) => revocationCost({ mode }, open, known);
    expect(cost("coin", month)).toEqual({ isPossible: true, gasAtoms: 200n });
    expect(cost("coin", NO_USE)).toEqual({ isPossible: true, gasAtoms: null });
    expect(cost("address_balance", month)).toEqual({ isPossible: false, gasAtoms: null });
    expect(cost("fungible_store", null)).toEqual({ isPossible: false, gasAtoms: null });
  });
});

describe("the page that stops a key says of its open signatures", () => {
  const text = (signed: number, isWhole: boolean) => {
    const open = { signed, prepared: 0, withheldAtoms: 0n, signedAtoms: 0n, isWhole };
    const fund = { mode: "coin" } as Fund;
    const cost = { isPossible: true, gasAtoms: null };
    const props = { visit: { csrf: "c" }, accessKey: keyOf(), fund, open, cost, problem: null };
    return String(StopPage(props))
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s+/g, " ");
  };

  test("that none is open, if all were read", () => {
    expect(text(0, true)).toMatch(/nothing is open now.*No signature of this key is open/);
  });

  test("that their number is unknown, if not all were read and none was found", () => {
    expect(text(0, false)).toMatch(/It is unknown how much is open.*could not all be counted/);
    expect(text(0, false)).not.toMatch(/nothing is open|No signature/);
  });

  test("how many there are at least, if not all were read", () => {
    expect(text(2, false)).toMatch(/at least 2 signatures can still be executed.*There are more/);
  });
});

test("a form changes the fields that a person has changed, and no field that somebody else has changed", () => {
  const present = { name: "a", list: "1\n2" };
  const form = (fields: Record<string, string>) => changedFields(new URLSearchParams(fields), present);
  const originals = { "was.name": "a", "was.list": "1\r\n2" };
  expect(form({ ...originals, name: "a", list: "1\r\n2\r\n3" })).toEqual(new Set(["list"]));
  expect(form({ ...originals, "was.name": "older", name: "older", list: "1" })).toBeNull();
  expect(form({ name: "b", list: "1" })).toBeNull();
  expect(form({ "was.name": "b", "was.list": "", name: "a", list: "1\n2" })).toEqual(new Set());
});

test("a policy's form sends only the fields that it is asked for", () => {
  const form = new URLSearchParams({ "senders.deny": "0x1", maxGasBudget: "1" });
  expect(policyOfForm(form, "sui", new Set(["senders.deny"]))).toEqual({ senders: { deny: ["0x1"] } });
});

test("refusals are summed by reason and rule, the most frequent first", () => {
  const count = { day: "2026-11-23", keyId: "key_1", reason: "policy_refused", rule: "senders", calls: 4 };
  expect(
    sumsOf([count, { ...count, reason: "balance_too_low", rule: null, calls: 5 }, { ...count, keyId: "key_2" }]),
  ).toEqual([
    { reason: "policy_refused", rule: "senders", calls: 8 },
    { reason: "balance_too_low", rule: null, calls: 5 },
  ]);
});

test("the form of a policy has a field for every rule, and an empty field is no limit", () => {
  expect(policyOfForm(new URLSearchParams(), "sui")).not.toHaveProperty("orderless");
  const sent = policyOfForm(new URLSearchParams(), "aptos");
  expect(sent).toMatchObject({ orderless: false });
  expect(Object.keys(sent).toSorted()).toEqual(Object.keys(policyPatchSchema.shape).toSorted());
  const parsed = policyPatchSchema.parse(sent);
  const lists = { allow: null, deny: null };
  expect(parsed).toMatchObject({ moveTargets: lists, senders: lists, maxGasBudget: null, maxInFlightCount: null });
});

test("a text that is no amount is left to the service to refuse", () => {
  for (const text of ["much", "-1", "1e9", "0.1234567891", "1,5", "0,05"]) {
    const sent = policyOfForm(new URLSearchParams({ maxGasBudget: text }), "sui");
    expect(policyPatchSchema.safeParse(sent).success, text).toBe(false);
  }
});
