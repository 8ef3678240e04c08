import fc from "fast-check";
import { expect, test } from "vitest";
import { nextLookUpAtMs, onGridMs } from "../../shared/fund/look-up-schedule.ts";
import { LONGEST_INTERVALS } from "../../shared/fund/upkeep.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const CREATED_AT_MS = 1_000_000;

/** When a digest is asked for that never shows, in seconds after its signature, each time on time. */
function scheduleOf(ttlMs: number, times: number, createdAtMs = CREATED_AT_MS): readonly number[] {
  const seconds: number[] = [];
  for (let nowMs = createdAtMs; seconds.length < times; ) {
    nowMs = nextLookUpAtMs(createdAtMs, createdAtMs + ttlMs, nowMs);
    seconds.push((nowMs - createdAtMs) / SECOND_MS);
  }
  return seconds;
}

test("2, 5, 15, 60 and 300 seconds after the signature, then every five minutes", () => {
  expect(scheduleOf(HOUR_MS, 7)).toEqual([2, 5, 15, 60, 300, 600, 900]);
});

test("each of these times at the next whole second, so that one alarm serves a second's rows", () => {
  const [late, early] = [1, 999].map((ms) => scheduleOf(HOUR_MS, 7, CREATED_AT_MS + ms));
  expect(late).toEqual([2.999, 5.999, 15.999, 60.999, 300.999, 600.999, 900.999]);
  expect(early).toEqual([2.001, 5.001, 15.001, 60.001, 300.001, 600.001, 900.001]);
});

test("a moment after the expiry, when an endpoint can have seen it pass, and often while it lags", () => {
  const schedule = scheduleOf(HOUR_MS, 20);
  const [first = 0, second = 0] = schedule.filter((seconds) => seconds > HOUR_MS / SECOND_MS);
  expect(first - HOUR_MS / SECOND_MS).toBeLessThanOrEqual(5);
  expect(second - first).toBeLessThanOrEqual(15);
});

test("always later than now, and on the grid at five minutes from now or the moment after the expiry at the latest", () => {
  fc.assert(
    fc.property(fc.nat(3 * HOUR_MS), fc.nat(2 * HOUR_MS), (age, ttl) => {
      const nowMs = CREATED_AT_MS + age;
      const expiresAtMs = CREATED_AT_MS + ttl;
      const at = nextLookUpAtMs(CREATED_AT_MS, expiresAtMs, nowMs);
      expect(at).toBeGreaterThan(nowMs);
      expect(at % SECOND_MS).toBe(0);
      expect(at).toBeLessThanOrEqual(onGridMs(nowMs + 300 * SECOND_MS));
      if (nowMs < expiresAtMs) expect(at).toBeLessThanOrEqual(onGridMs(expiresAtMs + 2 * SECOND_MS));
    }),
  );
});

test("no look-up is due later than its kind ever is, so no clock pulls one back that is right", () => {
  const farthestMs = Math.max(
    ...Array.from({ length: SECOND_MS }, (_, ms) => {
      const nowMs = CREATED_AT_MS + HOUR_MS + ms;
      return nextLookUpAtMs(CREATED_AT_MS, CREATED_AT_MS + 2 * HOUR_MS, nowMs) - nowMs;
    }),
  );
  expect(farthestMs).toBeGreaterThan(300 * SECOND_MS);
  expect(LONGEST_INTERVALS.own).toBeGreaterThanOrEqual(farthestMs);
  expect(LONGEST_INTERVALS.settle).toBeGreaterThanOrEqual(farthestMs);
});

test("the grid puts a time off by less than a second, and never moves one forward", () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER - SECOND_MS), (atMs) => {
      expect(onGridMs(atMs) - atMs).toBeGreaterThanOrEqual(0);
      expect(onGridMs(atMs) - atMs).toBeLessThan(SECOND_MS);
    }),
  );
});
