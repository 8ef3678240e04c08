import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FundLease, type LeaseStore } from "../../shared/access/fund-lease.ts";
import { LEASE_MARGIN_MS, LEASE_MS, type Recalled } from "../../shared/access/lease.ts";
import type { Admitted } from "../../shared/access/record.ts";
import type { Outcome } from "../../shared/errors.ts";
import type { NotLeased } from "../../shared/fund/key-leases.ts";
import { epochOf, FUND_ID, KEY_ID, LeasePair, record, request } from "../support/lease-pair.ts";
import { seededRandom } from "../support/random.ts";

let pair: LeasePair;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
  pair = new LeasePair();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a change waits for the end of a lease that cannot be recalled, and no longer", async () => {
  expect(await pair.admits()).toBe(true);
  pair.isReachable = false;
  let isAnswered = false;
  const changed = pair.lease.endForChange(record).then(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
  expect(await pair.admits()).toBe(true);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await pair.admits()).toBe(false);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(LEASE_MARGIN_MS + 1);
  expect(isAnswered).toBe(true);
  await changed;
  // Its fund may have spent all of it.
  expect(pair.lease.bucketFor(record)).toMatchObject({ milliTokens: 0 });
});

test("a new instance of the key recalls what an earlier one has granted", async () => {
  expect(await pair.admits()).toBe(true);
  pair.lease = pair.newLease();
  expect(pair.lease.isOut).toBe(true);
  await pair.lease.endForChange(record);
  expect(pair.lease.isOut).toBe(false);
  pair.isReachable = false;
  expect(await pair.admits()).toBe(false);
});

test("a lease that was under way during a recall does not count", async () => {
  pair.answerDelayMs = 1_000;
  const admitting = pair.admits();
  await vi.advanceTimersByTimeAsync(500);
  expect(pair.lease.isOut).toBe(true);
  await pair.lease.endForChange(record);
  pair.isReachable = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await admitting).toBe(false);
  expect(await pair.admits()).toBe(false);
});

test("a lease ends for a fund whose clock steps back, and after its life from before the request", async () => {
  expect(await pair.admits()).toBe(true);
  pair.isReachable = false;
  pair.fundOffsetMs = -1;
  expect(await pair.admits()).toBe(false);
  pair = new LeasePair();
  pair.answerDelayMs = 1_500;
  const admitting = pair.admits();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(await admitting).toBe(true);
  pair.isReachable = false;
  await vi.advanceTimersByTimeAsync(LEASE_MS - 1_500);
  expect(await pair.admits()).toBe(false);
});

test("a busy key never waits for its renewal, and its bucket goes on", async () => {
  for (let calls = 0; calls < 10; calls++) expect(await pair.admits()).toBe(true);
  expect(await pair.admits()).toBe(false);
  expect(pair.requests).toBe(1);
  for (let waitedMs = 0; waitedMs < 5 * LEASE_MS; waitedMs += 100) {
    await vi.advanceTimersByTimeAsync(100);
    expect(await pair.admits()).toBe(true);
    expect(await pair.admits()).toBe(false);
  }
  expect(pair.requests).toBeGreaterThan(5);
  expect(pair.requests).toBeLessThan(15);
});

test("a fund that loses its memory gets the bucket of the hand-over, and the key the rest of a recall", async () => {
  for (let calls = 0; calls < 4; calls++) expect(await pair.admits()).toBe(true);
  await pair.lease.takeBack(record);
  expect(pair.lease.bucketFor(record)).toMatchObject({ milliTokens: 6_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await pair.admits()).toBe(true);
  pair.leases = pair.newLeases();
  let admitted = 0;
  for (let calls = 0; calls < 20; calls++) if (await pair.admits()) admitted += 1;
  expect(admitted).toBe(10);
});

test("while a fund does not answer, the key admits nothing that the fund may have admitted", async () => {
  expect(await pair.admits()).toBe(true);
  pair.isReachable = false;
  await pair.lease.takeBack(record);
  expect(pair.lease.isOut).toBe(true);
  expect(pair.lease.bucketFor(record)?.milliTokens).toBeLessThanOrEqual(0);
  pair.isReachable = true;
  await vi.advanceTimersByTimeAsync(250);
  expect(pair.lease.isOut).toBe(false);
  expect(pair.lease.bucketFor(record)?.milliTokens).toBeGreaterThan(8_000);
});

test("a flood above the rate reaches the fund for a second, then the key for some; both keep the rate", async () => {
  const { qps } = record.limits;
  const atFundBySecond: number[] = [];
  let admitted = 0;
  let pausedUntilMs = 0;
  const seconds = 12;
  for (let second = 0; second < seconds; second++) {
    const before = pair.fundCalls;
    for (let call = 0; call < 3 * qps; call++) {
      await vi.advanceTimersByTimeAsync(1_000 / (3 * qps));
      const atFund = Date.now() < pausedUntilMs ? { retryAfterMs: pausedUntilMs - Date.now() } : await pair.atFund();
      if ("retryAfterMs" in atFund) pausedUntilMs = Date.now() + atFund.retryAfterMs;
      if (epochOf("retryAfterMs" in atFund ? await pair.atKey() : atFund) !== null) admitted += 1;
    }
    atFundBySecond.push(pair.fundCalls - before);
  }
  expect(atFundBySecond[0]).toBeGreaterThan(qps);
  // The first second begins with a burst, so the flood is known in the second one.
  expect(atFundBySecond.slice(2, 5)).toEqual([0, 0, 0]);
  expect(pair.fundCalls).toBeLessThan(4 * 3 * qps);
  expect(admitted).toBeGreaterThanOrEqual(qps * (seconds - 1));
  expect(admitted).toBeLessThanOrEqual(qps + qps * seconds);
});

test("a key that does not answer is logged once until it answers again", async () => {
  for (const expected of [1, 2]) {
    pair.isReachable = false;
    for (let calls = 0; calls < 5; calls++) {
      expect(await pair.admits()).toBe(false);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(pair.failures).toBe(expected);
    pair.isReachable = true;
    expect(await pair.admits()).toBe(true);
    pair.leases.recall(KEY_ID);
  }
});

test("a clock that was an hour ahead does not keep a fund from leasing", async () => {
  pair.isReachable = false;
  pair.fundAheadMs = 3_600_000;
  expect(await pair.admits()).toBe(false);
  pair.isReachable = true;
  pair.fundAheadMs = 0;
  expect(await pair.admits()).toBe(true);
});

test("calls wait for a silent key for two seconds, and few of them", async () => {
  pair.way = () => ({ thereMs: 3_600_000, backMs: 0, lost: null });
  const outcomes = Array.from({ length: 300 }, () => pair.leases.admit(KEY_ID, FUND_ID, request));
  let ended = 0;
  for (const outcome of outcomes) void outcome.then(() => ended++);
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toBe(300 - 256);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ended).toBe(300);
  expect(await Promise.all(outcomes)).toContainEqual({ retryAfterMs: 1_000 });
  pair.way = () => ({ thereMs: 0, backMs: 0, lost: null });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await pair.admits()).toBe(true);
});

test("a late acknowledgement ends the lease, and a refusal until then names the rest of its life", async () => {
  expect(await pair.admits()).toBe(true);
  pair.way = () => ({ thereMs: 4_000, backMs: 0, lost: null });
  const waiting = pair.atKey();
  await vi.advanceTimersByTimeAsync(2_000);
  const refused = await waiting;
  const [call] = refused.ok ? refused.value.calls : [];
  const retryAfterMs = Number(/"retryAfterMs":(\d+)/.exec(JSON.stringify(call))?.[1]);
  expect(retryAfterMs).toBeGreaterThan(LEASE_MS);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(pair.lease.isOut).toBe(false);
  expect(epochOf(await pair.atKey())).toBe(0);
});

test("a late acknowledgement of an earlier recall does not end a lease that was granted after it", async () => {
  const first = Promise.withResolvers<Recalled>();
  let recalls = 0;
  const silent = new Promise<Recalled>(() => {});
  const store: LeaseStore = { read: () => null, write: () => {}, clear: () => {} };
  const lease = new FundLease(store, {
    nowMs: () => Date.now(),
    newLeaseId: () => `lease ${Math.random()}`,
    recall: () => (recalls++ === 0 ? first.promise : silent),
  });
  const asked = { fundId: FUND_ID, heldLeaseId: null };
  lease.grant(asked, record);
  const changed = lease.endForChange(record);
  await vi.advanceTimersByTimeAsync(LEASE_MS + LEASE_MARGIN_MS + 3_000);
  await changed;
  expect(lease.grant(asked, record)).toMatchObject({ lease: {} });
  first.resolve({ returned: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(lease.isOut).toBe(true);
});

test("after an answered change nothing is admitted by an earlier record, and the rate holds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      vi.setSystemTime(0);
      const random = seededRandom(seed);
      pair = new LeasePair();
      pair.way = () => ({
        thereMs: random() < 0.5 ? 0 : random() * 3_000,
        backMs: random() < 0.5 ? 0 : random() * 3_000,
        lost: random() < 0.1 ? "request" : random() < 0.1 ? "reply" : null,
      });
      const began = Date.now();
      let answered = 0;
      let admitted = 0;
      let evictions = 0;
      let isChanging = false;
      const wrong: number[] = [];
      const count = (outcome: Promise<Outcome<Admitted> | NotLeased>, from: number) =>
        outcome.then(
          (decided) => {
            const epoch = epochOf(decided);
            if (epoch === null) return;
            admitted += 1;
            if (epoch < from) wrong.push(epoch);
          },
          () => {},
        );
      const change = async () => {
        isChanging = true;
        const sessionEpoch = pair.record.sessionEpoch + 1;
        pair.record = { ...pair.record, sessionEpoch };
        for (let changing: FundLease | null = null; changing !== pair.lease; ) {
          changing = pair.lease;
          await changing.endForChange(pair.record);
        }
        answered = sessionEpoch;
        isChanging = false;
      };
      const seconds = 60;
      for (let step = 0; step < seconds * 20; step++) {
        await vi.advanceTimersByTimeAsync(50);
        const draw = random();
        if (draw < 0.003) {
          pair.leases = pair.newLeases();
          evictions += 1;
        } else if (draw < 0.006) {
          pair.lease = pair.newLease();
          evictions += 1;
        } else if (draw < 0.02 && !isChanging) void change();
        else if (draw < 0.03) void count(pair.atKey(), answered);
        else void count(pair.atFund(), answered);
      }
      const spentSeconds = (Date.now() - began) / 1_000 + 5;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(wrong).toEqual([]);
      const { qps } = record.limits;
      expect(admitted).toBeGreaterThan(qps);
      expect(admitted).toBeLessThanOrEqual(qps * (1 + evictions + spentSeconds));
    }),
    { numRuns: 30 },
  );
});
