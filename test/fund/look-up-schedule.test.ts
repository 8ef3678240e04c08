import fc from "fast-check";
import { expect, test } from "vitest";
import { nextLookUpAtMs } from "../../shared/fund/look-up-schedule.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const CREATED_AT_MS = 1_000_000;

/** When a digest is asked for that never shows, in seconds after its signature, each time on time. */
function scheduleOf(ttlMs: number, times: number): readonly number[] {
  const seconds: number[] = [];
  for (let nowMs = CREATED_AT_MS; seconds.length < times; ) {
    nowMs = nextLookUpAtMs(CREATED_AT_MS, CREATED_AT_MS + ttlMs, nowMs);
    seconds.push((nowMs - CREATED_AT_MS) / SECOND_MS);
  }
  return seconds;
}

test("2, 5, 15, 60 and 300 seconds after the signature, then every five minutes", () => {
  expect(scheduleOf(HOUR_MS, 7)).toEqual([2, 5, 15, 60, 300, 600, 900]);
});

test("a moment after the expiry, when an endpoint can have seen it pass, and often while it lags", () => {
  const schedule = scheduleOf(HOUR_MS, 20);
  const [first = 0, second = 0] = schedule.filter((seconds) => seconds > HOUR_MS / SECOND_MS);
  expect(first - HOUR_MS / SECOND_MS).toBeLessThanOrEqual(5);
  expect(second - first).toBeLessThanOrEqual(15);
});

test("always later than now, never later than five minutes from now, and never past the moment after the expiry", () => {
  fc.assert(
    fc.property(fc.nat(3 * HOUR_MS), fc.nat(2 * HOUR_MS), (age, ttl) => {
      const nowMs = CREATED_AT_MS + age;
      const expiresAtMs = CREATED_AT_MS + ttl;
      const at = nextLookUpAtMs(CREATED_AT_MS, expiresAtMs, nowMs);
      expect(at).toBeGreaterThan(nowMs);
      expect(at).toBeLessThanOrEqual(nowMs + 300 * SECOND_MS);
      if (nowMs < expiresAtMs) expect(at).toBeLessThanOrEqual(expiresAtMs + 2 * SECOND_MS);
    }),
  );
});
