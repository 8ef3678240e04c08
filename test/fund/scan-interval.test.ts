import { expect, test } from "vitest";
import { scanIntervalMs } from "../../shared/fund/scan-interval.ts";

test.each([
  [0, 15_000],
  [60_000, 15_000],
  [61_001, 15_250],
  [600_000, 150_000],
  [1_200_000, 300_000],
  [Number.POSITIVE_INFINITY, 300_000],
  // By a clock that has gone back.
  [-3_600_000, 15_000],
])("%d ms after the last demand, deposits are looked for every %d ms", (sinceDemandMs, intervalMs) => {
  expect(scanIntervalMs(sinceDemandMs)).toBe(intervalMs);
});
