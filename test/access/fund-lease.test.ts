import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LEASE_MARGIN_MS, LEASE_MS } from "../../shared/access/lease.ts";
import { epochOf, FUND_ID, KEY_ID, LeasePair, record, request } from "../support/lease-pair.ts";

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
  expect(pair.lease.bucket).toMatchObject({ milliTokens: 0 });
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
  expect(pair.lease.bucket).toMatchObject({ milliTokens: 6_000 });
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
  expect(pair.lease.bucket).toMatchObject({ milliTokens: 0 });
  pair.isReachable = true;
  await vi.advanceTimersByTimeAsync(250);
  expect(pair.lease.isOut).toBe(false);
  expect(pair.lease.bucket?.milliTokens).toBeGreaterThan(8_000);
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
