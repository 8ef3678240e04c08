import { expect, test } from "vitest";
import { type AccessKeyRecord, decideAdmission, newKeyProblem, patchKey } from "../../shared/access/access-key.ts";

const NOW_MS = 1_800_000_000_000;
const secretHash = new Uint8Array(32).fill(9);
const record: AccessKeyRecord = {
  keyId: "key_00000000000000000001",
  projectId: "prj_00000000000000000001",
  name: "app",
  network: "SUI_TESTNET",
  rights: ["wallet", "gas"],
  fundId: "fund_00000000000000000001",
  limits: { qps: 5, cups: 1000 },
  status: "active",
  createdAtMs: NOW_MS,
  secretHash,
};
const request = { secretHash, chain: "sui", calls: [["gas"]] } as const;

function decide(given: AccessKeyRecord | null, asked: Parameters<typeof decideAdmission>[2]) {
  return decideAdmission(given, null, asked, NOW_MS).outcome;
}

test("a live key is admitted as what its record says", () => {
  const { keyId, projectId, network, rights, fundId } = record;
  const caller = { keyId, projectId, network, rights, fundId };
  expect(decide(record, request)).toEqual({ ok: true, value: { caller, calls: [{ ok: true, value: null }] } });
});

test("unknown, wrong and disabled keys get one and the same answer", () => {
  const unknown = decide(null, request);
  expect(unknown).toMatchObject({ ok: false, refusal: { reason: "bad_key" } });
  expect(decide(record, { ...request, secretHash: new Uint8Array(32) })).toEqual(unknown);
  expect(decide({ ...record, status: "disabled" }, request)).toEqual(unknown);
  expect(decide({ ...record, status: "disabled" }, { ...request, chain: "aptos" })).toEqual(unknown);
});

test("a path of another chain is wrong_network, and counts against the rate all the same", () => {
  const first = decideAdmission(record, null, { ...request, chain: "aptos" }, NOW_MS);
  expect(first.outcome).toMatchObject({ ok: false, refusal: { reason: "wrong_network" } });
  const next = decideAdmission(record, first.bucket, { ...request, calls: Array(5).fill(["gas"]) }, NOW_MS);
  expect(next.outcome.ok && next.outcome.value.calls.filter((call) => call.ok)).toHaveLength(4);
});

test("rights are judged call by call, and a call without the right takes a token", () => {
  const calls = [["node"], ["gas"], ["gas", "node"], [], ["gas"], ["gas"], ["node"]] as const;
  const outcome = decide(record, { ...request, calls });
  expect(outcome.ok && outcome.value.calls.map((call) => (call.ok ? "admitted" : call.refusal.reason))).toEqual([
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
    refusal: { reason: "rate_limited", data: { limit: "qps", retryAfterMs: 200 } },
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
