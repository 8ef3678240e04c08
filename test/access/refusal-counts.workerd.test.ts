import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { AdmissionRequest } from "../../shared/access/record.ts";
import { RefusalCounts } from "../../shared/access/refusal-counts.ts";
import type { NewAccessKey } from "../../shared/bindings/access-key.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { done, refuse } from "../../shared/errors.ts";
import { utcDay } from "../../shared/fund/ledger/usage.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { pass, stopClock } from "../support/sui-fund.ts";

const bindings: Env = env;
const DAY_MS = 86_400_000;
const GATHER_MS = 2_000;
const secretHash = new Uint8Array(32).fill(1);
const newKey: NewAccessKey = {
  keyId: "key_000000000000000000c1",
  projectId: "prj_000000000000000000c1",
  name: "app",
  network: "SUI_TESTNET",
  rights: ["wallet"],
  fundId: null,
  limits: { qps: 5, cups: 1000, sessionsPerSecond: 1 },
  policy: defaultKeyPolicy("sui"),
  secretHash,
};

function stub() {
  return bindings.ACCESS_KEY.getByName(newKey.keyId);
}

function platformStub() {
  return env.ACCESS_KEY.getByName(newKey.keyId);
}

/** Sends one request with so many calls. */
async function admit(calls: number, changes: Partial<AdmissionRequest> = {}): Promise<void> {
  await stub().admit({ secretHash, chain: "sui", calls: Array(calls).fill(["wallet"]), ...changes });
}

async function counts(limit = 100, cursor: string | null = null) {
  const today = utcDay(Date.now());
  return stub().refusalCounts({ fromDay: today - 60, toDay: today, limit, cursor });
}

function storedRows(): Promise<number> {
  return runInDurableObject(
    platformStub(),
    (_, { storage }) => storage.sql.exec<{ rows: number }>("SELECT COUNT(*) AS rows FROM refusal_count").one().rows,
  );
}

afterEach(() => void vi.useRealTimers());

test("calls that a key does not admit are counted by day, reason and rule, also after an eviction", async () => {
  stopClock();
  await stub().create(newKey);
  await admit(8);
  await admit(1, { calls: [["gas"]] });
  await admit(2, { chain: "aptos" });
  await stub().update({ status: "disabled" });
  await admit(3);
  const firstDay = utcDay(Date.now());
  pass(DAY_MS);
  await admit(1);
  await stub().view();
  await evictDurableObject(platformStub());
  expect((await counts())?.items).toEqual([
    { day: firstDay + 1, reason: "bad_key", rule: "disabled", calls: 1 },
    { day: firstDay, reason: "bad_key", rule: "disabled", calls: 3 },
    { day: firstDay, reason: "missing_right", rule: null, calls: 1 },
    { day: firstDay, reason: "rate_limited", rule: "qps", calls: 3 },
    { day: firstDay, reason: "wrong_network", rule: null, calls: 2 },
  ]);
  expect(await stub().view()).toMatchObject({ refusals: { today: 1, last30Days: 10 } });
  expect(await stub().metrics()).toEqual({
    refusals: { bad_key: 4, missing_right: 1, rate_limited: 3, wrong_network: 2 },
  });
  pass(30 * DAY_MS);
  expect(await stub().view()).toMatchObject({ refusals: { today: 0, last30Days: 0 } });
});

test("counters are listed a page at a time, and each is on one page", async () => {
  stopClock();
  await stub().create(newKey);
  await admit(1, { calls: [["gas"]] });
  await admit(1, { chain: "aptos" });
  const first = await counts(1);
  const second = await counts(1, first?.nextCursor ?? null);
  expect([...(first?.items ?? []), ...(second?.items ?? [])].map(({ reason }) => reason)).toEqual([
    "missing_right",
    "wrong_network",
  ]);
  expect(second?.nextCursor).toBeNull();
});

test("a stranger without the secret writes nothing, and a key that was never made has no counters", async () => {
  stopClock();
  await stub().create(newKey);
  await stub().update({ status: "disabled" });
  await admit(50, { secretHash: new Uint8Array(32).fill(2) });
  expect((await counts())?.items).toEqual([]);
  expect(await storedRows()).toBe(0);
  const unknown = bindings.ACCESS_KEY.getByName("key_00000000000000000000");
  await unknown.admit({ secretHash, chain: "sui", calls: [["wallet"]] });
  expect(await unknown.refusalCounts({ fromDay: 0, toDay: 1, limit: 1, cursor: null })).toBeNull();
  expect(await unknown.metrics()).toBeNull();
});

test("a flood of refusals is one commit, some seconds later", async () => {
  await runInDurableObject(platformStub(), (_, { storage }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let commits = 0;
    const refusals = new RefusalCounts(storage.sql, {
      nowMs: () => Date.now(),
      commit: (transition) => {
        commits += 1;
        storage.transactionSync(transition);
      },
      logFailure: (error) => {
        throw error;
      },
    });
    for (let call = 0; call < 1_000; call += 1) refusals.note(refuse("bad_key", "disabled"), 1);
    vi.advanceTimersByTime(GATHER_MS - 1);
    expect(commits).toBe(0);
    vi.advanceTimersByTime(1);
    expect(commits).toBe(1);
    vi.advanceTimersByTime(10 * GATHER_MS);
    expect(commits).toBe(1);
    expect(refusals.totals()).toEqual({ bad_key: 1_000 });
  });
});

test("a disk that takes no write loses counters, and changes no answer", async () => {
  await runInDurableObject(platformStub(), (_, { storage }) => {
    const failures: unknown[] = [];
    const refusals = new RefusalCounts(storage.sql, {
      nowMs: () => Date.now(),
      commit: () => {
        throw new Error("the disk is full");
      },
      logFailure: (error) => failures.push(error),
    });
    const verdict = refuse("rate_limited", "too many", { limit: "qps" });
    refusals.note(done({ caller: { ...callerFields }, calls: [verdict] }), 1);
    expect(refusals.totals()).toEqual({});
    expect(failures).toHaveLength(1);
  });
});

const { keyId, projectId, network, rights, fundId, policy } = newKey;
const callerFields = { keyId, projectId, network, rights, fundId, policy, sessionEpoch: 0 };
