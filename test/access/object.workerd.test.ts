import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { NewAccessKey } from "../../shared/bindings/access-key.ts";
import type { Env } from "../../shared/bindings/env.ts";
import type { FundPolicy } from "../../shared/policy/fund-policy.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { MINUTE_MS, pass, stopClock } from "../support/sui-fund.ts";

const bindings: Env = env;
const secretHash = new Uint8Array(32).fill(1);
const request = { secretHash, chain: "sui", calls: [["gas"]] } as const;
const policy: FundPolicy = {
  moveTargets: { allow: [`0x${"ab".repeat(32)}::game::*`], deny: [] },
  senders: { allow: null, deny: [`0x${"5".repeat(64)}`] },
  orderless: true,
  maxGasBudgetAtoms: 2n ** 64n - 1n,
  maxStorageCostAtoms: 0n,
  maxInFlightCount: 3,
  maxInFlightAmountAtoms: null,
  maxSpendPerDayAtoms: 9_007_199_254_740_993n,
  maxSpendPerSenderPerDayAtoms: 1n,
  maxAbandonCostPerDayAtoms: null,
};
const newKey: NewAccessKey = {
  keyId: "key_000000000000000000b1",
  projectId: "prj_000000000000000000b1",
  name: "app",
  network: "SUI_TESTNET",
  rights: ["wallet", "gas"],
  fundId: "fund_000000000000000000b1",
  limits: { qps: 5, cups: 1000, sessionsPerSecond: 1 },
  policy,
  secretHash,
};

function stub() {
  return bindings.ACCESS_KEY.getByName(newKey.keyId);
}

/** The same object, as the test tools want it. */
function platformStub() {
  return env.ACCESS_KEY.getByName(newKey.keyId);
}

async function reasons(calls = 1): Promise<readonly string[]> {
  const outcome = await stub().admit({ ...request, calls: Array(calls).fill(["gas"]) });
  if (!outcome.ok) return [outcome.error.reason];
  return outcome.value.calls.map((call) => (call.ok ? "admitted" : call.error.reason));
}

afterEach(() => void vi.useRealTimers());

test("an alarm that the platform has lost is armed again by the next admission, once it is overdue", async () => {
  stopClock();
  await stub().create(newKey);
  await stub().update({ status: "disabled" });
  const alarmAtMs = () => runInDurableObject(platformStub(), (_, { storage }) => storage.getAlarm());
  const armedAtMs = await alarmAtMs();
  await runInDurableObject(platformStub(), (_, { storage }) => storage.deleteAlarm());
  await reasons();
  expect([armedAtMs === null, await alarmAtMs()]).toEqual([false, null]);
  pass(MINUTE_MS);
  await reasons();
  expect(await alarmAtMs()).toBe(armedAtMs);
});

test("a key that was never created is unknown and has no view", async () => {
  expect(await reasons()).toEqual(["bad_key"]);
  expect(await stub().view()).toBe(null);
  expect(await stub().update({ name: "x" })).toBe(null);
});

test("the record survives eviction whole, and no view shows the secret's hash", async () => {
  const { view: created } = await stub().create(newKey);
  const { secretHash: _, ...visible } = newKey;
  expect(created).toMatchObject({ ...visible, status: "active" });
  expect(created).not.toHaveProperty("secretHash");
  await stub().update({ rights: ["gas"], limits: { qps: 7, cups: 9, sessionsPerSecond: 1 }, name: "renamed" });
  await evictDurableObject(platformStub());
  expect(await stub().view()).toEqual({
    ...created,
    rights: ["gas"],
    limits: { qps: 7, cups: 9, sessionsPerSecond: 1 },
    name: "renamed",
  });
  expect(await reasons()).toEqual(["admitted"]);
});

test("creating the same key again changes nothing; another one under its id is a fault", async () => {
  await stub().create(newKey);
  await stub().update({ status: "disabled", name: "renamed" });
  const changed = { status: "disabled", name: "renamed" };
  expect(await stub().create(newKey)).toMatchObject({ view: changed, secretIsRecorded: true });
  await runInDurableObject(platformStub(), async (object) => {
    await expect(object.create({ ...newKey, fundId: null })).rejects.toThrow("other content");
  });
});

test("creating the same key again with another secret says that this one opens nothing, and it does not", async () => {
  await stub().create(newKey);
  const otherHash = new Uint8Array(32).fill(2);
  const repeated = await stub().create({ ...newKey, secretHash: otherHash });
  expect(repeated).toMatchObject({ view: { name: "app" }, secretIsRecorded: false });
  expect(await stub().admit({ ...request, secretHash: otherHash })).toMatchObject({ error: { reason: "bad_key" } });
  expect(await reasons()).toEqual(["admitted"]);
});

test("disabling and enabling hold from the next call, also after eviction", async () => {
  await stub().create(newKey);
  expect(await reasons()).toEqual(["admitted"]);
  await stub().update({ status: "disabled" });
  expect(await reasons()).toEqual(["bad_key"]);
  await evictDurableObject(platformStub());
  expect(await reasons()).toEqual(["bad_key"]);
  await stub().update({ status: "active" });
  expect(await reasons()).toEqual(["admitted"]);
});

test("changed rights and limits hold from the next call", async () => {
  await stub().create({ ...newKey, limits: { qps: 1000, cups: 1, sessionsPerSecond: 1 } });
  expect(await reasons()).toEqual(["admitted"]);
  await stub().update({ limits: { qps: 1, cups: 1, sessionsPerSecond: 1 } });
  expect((await reasons(20)).filter((reason) => reason === "admitted")).toHaveLength(5);
  await stub().update({ rights: ["wallet"] });
  expect(await reasons()).toEqual(["missing_right"]);
});

test("a refused update changes nothing", async () => {
  await stub().create({ ...newKey, rights: ["wallet"], fundId: null });
  expect(await stub().update({ rights: ["gas"], name: "x" })).toMatchObject({ error: { reason: "bad_params" } });
  expect(await stub().view()).toMatchObject({ rights: ["wallet"], name: "app" });
});

test("a wait that a rate refusal names really holds", async () => {
  await stub().create({ ...newKey, limits: { qps: 20, cups: 1, sessionsPerSecond: 1 } });
  const outcome = await stub().admit({ ...request, calls: Array(21).fill(["gas"]) });
  const last = outcome.ok ? outcome.value.calls[20] : undefined;
  if (last === undefined || last.ok) throw new Error("the last call was admitted");
  const wait = Number(last.error.data?.retryAfterMs);
  expect(wait).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, wait + 1));
  expect(await reasons()).toEqual(["admitted"]);
});

test("admission reads no storage", async () => {
  await stub().create(newKey);
  await runInDurableObject(platformStub(), async (object, state) => {
    state.storage.sql.exec("DELETE FROM access_key");
    expect(await object.admit(request)).toMatchObject({ ok: true });
  });
});

async function callersPolicy(): Promise<FundPolicy | null> {
  const outcome = await stub().admit(request);
  return outcome.ok ? outcome.value.caller.policy : null;
}

test("the caller carries the key's whole policy; a patch merges into it and holds from the next call, also after eviction", async () => {
  await stub().create(newKey);
  expect(await callersPolicy()).toEqual(policy);
  const patch = { maxSpendPerDay: null, maxInFlightCount: 4, moveTargets: { deny: [`0x${"ab".repeat(32)}::game::*`] } };
  await stub().update({ policy: patch });
  const patched = {
    ...policy,
    maxSpendPerDayAtoms: null,
    maxInFlightCount: 4,
    moveTargets: { ...policy.moveTargets, deny: patch.moveTargets.deny },
  };
  expect(await callersPolicy()).toEqual(patched);
  await evictDurableObject(platformStub());
  expect(await callersPolicy()).toEqual(patched);
  expect(await stub().view()).toMatchObject({ policy: patched });
});

test("two patches of a policy at once both hold", async () => {
  await stub().create({ ...newKey, policy: defaultKeyPolicy("sui") });
  await Promise.all([
    stub().update({ policy: { maxGasBudget: 1n } }),
    stub().update({ policy: { maxStorageCost: 2n } }),
    stub().update({ policy: { senders: { allow: ["0x5"] } } }),
    stub().update({ policy: { senders: { deny: ["0x6"] } } }),
  ]);
  expect(await callersPolicy()).toEqual({
    ...defaultKeyPolicy("sui"),
    maxGasBudgetAtoms: 1n,
    maxStorageCostAtoms: 2n,
    senders: { allow: ["0x5"], deny: ["0x6"] },
  });
});
