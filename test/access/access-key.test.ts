import { expect, test } from "vitest";
import { MIN_BURST_COMPUTE_UNITS } from "../../shared/access/rate-limit.ts";
import {
  type AccessKeyRecord,
  decideAdmission,
  FULL_BUCKETS,
  newKeyProblem,
  patchKey,
} from "../../shared/access/record.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";

const NOW_MS = 1_800_000_000_000;
const secretHash = new Uint8Array(32).fill(9);
const record: AccessKeyRecord = {
  keyId: "key_00000000000000000001",
  projectId: "prj_00000000000000000001",
  name: "app",
  network: "SUI_TESTNET",
  rights: ["wallet", "gas"],
  fundId: "fund_00000000000000000001",
  limits: { qps: 5, cups: 1000, sessionsPerSecond: 1 },
  policy: defaultKeyPolicy("sui"),
  status: "active",
  createdAtMs: NOW_MS,
  sessionEpoch: 3,
  secretHash,
};
const request = { secretHash, chain: "sui", calls: [["gas"]] } as const;

function decide(given: AccessKeyRecord | null, asked: Parameters<typeof decideAdmission>[2]) {
  return decideAdmission(given, FULL_BUCKETS, asked, NOW_MS).outcome;
}

test("a live key is admitted as what its record says", () => {
  const { keyId, projectId, network, rights, fundId, policy, sessionEpoch } = record;
  const caller = { keyId, projectId, network, rights, fundId, policy, sessionEpoch };
  expect(decide(record, request)).toEqual({ ok: true, value: { caller, calls: [{ ok: true, value: null }] } });
});

test("unknown, wrong and disabled keys get one and the same answer", () => {
  const unknown = decide(null, request);
  expect(unknown).toMatchObject({ ok: false, error: { reason: "bad_key" } });
  expect(decide(record, { ...request, secretHash: new Uint8Array(32) })).toEqual(unknown);
  expect(decide({ ...record, status: "disabled" }, request)).toEqual(unknown);
  expect(decide({ ...record, status: "disabled" }, { ...request, chain: "aptos" })).toEqual(unknown);
});

test("a path of another chain is wrong_network, and counts against the rate all the same", () => {
  const first = decideAdmission(record, FULL_BUCKETS, { ...request, chain: "aptos" }, NOW_MS);
  expect(first.outcome).toMatchObject({ ok: false, error: { reason: "wrong_network" } });
  const next = decideAdmission(record, first.buckets, { ...request, calls: Array(5).fill(["gas"]) }, NOW_MS);
  expect(next.outcome.ok && next.outcome.value.calls.filter((call) => call.ok)).toHaveLength(4);
});

test("rights are judged call by call, and a call without the right takes a token", () => {
  const calls = [["node"], ["gas"], ["gas", "node"], [], ["gas"], ["gas"], ["node"]] as const;
  const outcome = decide(record, { ...request, calls });
  expect(outcome.ok && outcome.value.calls.map((call) => (call.ok ? "admitted" : call.error.reason))).toEqual([
    "missing_right",
    "admitted",
    "missing_right",
    "admitted",
    "admitted",
    "rate_limited",
    "missing_right",
  ]);
});

test("a rate refusal names the limit and a wait", () => {
  const outcome = decide(record, { ...request, calls: Array(6).fill([]) });
  expect(outcome.ok && outcome.value.calls[5]).toMatchObject({
    ok: false,
    error: { reason: "rate_limited", data: { limit: "qps", retryAfterMs: 200 } },
  });
});

test("a key without the gas right has no fund, even if it was made with one", () => {
  const outcome = decide({ ...record, rights: ["wallet"] }, { ...request, calls: [["wallet"]] });
  expect(outcome.ok && outcome.value.caller.fundId).toBe(null);
});

test("gas and a fund of the same project and network need each other", () => {
  const gas = { rights: ["gas"], network: "SUI_TESTNET", fundId: "fund_x" } as const;
  expect(newKeyProblem(gas, "SUI_TESTNET")).toBe(null);
  expect(newKeyProblem({ ...gas, fundId: null }, null)).toMatch("needs a fundId");
  expect(newKeyProblem({ ...gas, rights: ["wallet"] }, "SUI_TESTNET")).toMatch("needs the gas right");
  expect(newKeyProblem(gas, null)).toMatch("no fund");
  expect(newKeyProblem(gas, "SUI_MAINNET")).toMatch("the fund is on SUI_MAINNET, the key on SUI_TESTNET");
  expect(newKeyProblem({ ...gas, rights: ["wallet", "node"], fundId: null }, null)).toBe(null);
});

test("the gas right can be taken and given back, but not given to a key made without a fund", () => {
  const without = patchKey(record, { rights: ["wallet"] });
  expect(without.ok && without.value.fundId).toBe(record.fundId);
  expect(without.ok && patchKey(without.value, { rights: ["gas"] }).ok).toBe(true);
  expect(patchKey({ ...record, fundId: null }, { rights: ["gas"] }).ok).toBe(false);
});

test("a patch of the policy merges into it, and one of anything else leaves it alone", () => {
  const renamed = patchKey(record, { name: "other" });
  expect(renamed.ok && renamed.value).toEqual({ ...record, name: "other" });
  const limited = patchKey(record, { policy: { maxGasBudget: 7n, maxInFlightCount: null } });
  expect(limited.ok && limited.value).toEqual({
    ...record,
    policy: { ...defaultKeyPolicy("sui"), maxGasBudgetAtoms: 7n, maxInFlightCount: null },
  });
});

test("calls that derive a key take tokens of their own bucket: five at once, then one a second", () => {
  const fast = { ...record, limits: { ...record.limits, qps: 100 } };
  const calls = Array<readonly ["wallet"]>(8).fill(["wallet"]);
  const asked = { ...request, calls, derivations: [1, 1, 0, 1, 1, 1, 1, 0] };
  const first = decideAdmission(fast, FULL_BUCKETS, asked, NOW_MS);
  if (!first.outcome.ok) throw new Error("not admitted");
  expect(first.outcome.value.calls.map(({ ok }) => ok)).toEqual([true, true, true, true, true, true, false, true]);
  expect(first.outcome.value.calls[6]).toMatchObject({
    error: { reason: "rate_limited", data: { limit: "derivation", retryAfterMs: 1_000 } },
  });
  const one = { ...request, calls: [["wallet"]], derivations: [1] } as const;
  const tooSoon = decideAdmission(fast, first.buckets, one, NOW_MS + 999).outcome;
  const inTime = decideAdmission(fast, first.buckets, one, NOW_MS + 1_000).outcome;
  expect([tooSoon, inTime].map((outcome) => outcome.ok && outcome.value.calls[0]?.ok)).toEqual([false, true]);
});

test("a call that derives two keys takes two of those tokens, or none", () => {
  const imports = { ...request, calls: [["wallet"], ["wallet"], ["wallet"]], derivations: [2, 2, 2] } as const;
  const decided = decideAdmission(record, FULL_BUCKETS, imports, NOW_MS);
  if (!decided.outcome.ok) throw new Error("not admitted");
  expect(decided.outcome.value.calls.map(({ ok }) => ok)).toEqual([true, true, false]);
  expect(decided.outcome.value.calls[2]).toMatchObject({
    error: { reason: "rate_limited", data: { limit: "derivation", retryAfterMs: 1_000 } },
  });
  const session = { ...request, calls: [["wallet"]], derivations: [1] } as const;
  const after = decideAdmission(record, decided.buckets, session, NOW_MS).outcome;
  expect(after.ok && after.value.calls[0]?.ok).toBe(true);
});

test("a metered call takes compute units and no call, and the dearest passes on a full bucket at any rate", () => {
  const slow = { ...record, limits: { qps: 1, cups: 1, sessionsPerSecond: 1 } };
  const metered = { ...request, computeUnits: MIN_BURST_COMPUTE_UNITS };
  const first = decideAdmission(slow, FULL_BUCKETS, metered, NOW_MS);
  expect(first.outcome).toMatchObject({ ok: true, value: { calls: [{ ok: true }], computeUnitsLeft: 0 } });
  expect(first.buckets.calls).toBe(null);
  const retryAfterMs = 10_000;
  const next = { ...request, computeUnits: 10 };
  expect(decideAdmission(slow, first.buckets, next, NOW_MS).outcome).toMatchObject({
    value: { calls: [{ error: { reason: "rate_limited", data: { limit: "cups", retryAfterMs } } }] },
  });
  const early = decideAdmission(slow, first.buckets, next, NOW_MS + retryAfterMs - 1).outcome;
  const inTime = decideAdmission(slow, first.buckets, next, NOW_MS + retryAfterMs).outcome;
  expect([early, inTime].map((outcome) => outcome.ok && outcome.value.calls[0]?.ok)).toEqual([false, true]);
});

test("a metered call without the right takes compute units all the same", () => {
  const { buckets, outcome } = decideAdmission(
    record,
    FULL_BUCKETS,
    { ...request, calls: [["node"]], computeUnits: 10 },
    NOW_MS,
  );
  expect(outcome).toMatchObject({
    value: { calls: [{ error: { reason: "missing_right" } }], computeUnitsLeft: 4_990 },
  });
  expect(buckets.calls).toBe(null);
});

test("a key opens as many sessions a second as its limit says", () => {
  const fast = { ...record, limits: { qps: 1_000, cups: 1, sessionsPerSecond: 30 } };
  const asked = { ...request, calls: Array(31).fill(["wallet"]), derivations: Array(31).fill(1) };
  const { outcome } = decideAdmission(fast, FULL_BUCKETS, asked, NOW_MS);
  expect(outcome.ok && outcome.value.calls.map(({ ok }) => ok)).toEqual([...Array(30).fill(true), false]);
});

test("callers that are refused together are not told to come back together, nor too soon", () => {
  const asked = { ...request, calls: Array(6).fill(["wallet"]), derivations: Array(6).fill(1) };
  const told = [0, 0.25, 0.5, 0.999].map((random) => {
    const { outcome } = decideAdmission(record, FULL_BUCKETS, { ...asked, calls: asked.calls }, NOW_MS, () => random);
    const last = outcome.ok ? outcome.value.calls[5] : undefined;
    return last?.ok === false ? last.error.data?.retryAfterMs : null;
  });
  expect(new Set(told).size).toBe(4);
  for (const wait of told) expect(wait).toBeGreaterThanOrEqual(200);
});
