import fc from "fast-check";
import { expect, test } from "vitest";
import { fullBucket, MIN_BURST_CALLS, takeCalls } from "../../shared/access/rate-limit.ts";

const START_MS = 1_800_000_000_000;
const qps = fc.integer({ min: 1, max: 10_000 });
const batches = fc.array(fc.record({ afterMs: fc.nat({ max: 3_000 }), calls: fc.integer({ min: 1, max: 20 }) }), {
  minLength: 1,
  maxLength: 40,
});

test("no span of time admits more than its share and one burst", () => {
  fc.assert(
    fc.property(qps, batches, (rate, plan) => {
      let bucket = fullBucket(rate, START_MS);
      let nowMs = START_MS;
      const admitted: { atMs: number; calls: number }[] = [];
      for (const { afterMs, calls } of plan) {
        nowMs += afterMs;
        const taken = takeCalls(bucket, rate, calls, nowMs);
        bucket = taken.bucket;
        admitted.push({ atMs: nowMs, calls: taken.waitsMs.filter((wait) => wait === 0).length });
      }
      const burst = Math.max(rate, MIN_BURST_CALLS);
      for (const [from, { atMs }] of admitted.entries()) {
        let sum = 0;
        for (const later of admitted.slice(from)) {
          sum += later.calls;
          expect(sum).toBeLessThanOrEqual(burst + ((later.atMs - atMs) * rate) / 1000);
        }
      }
    }),
  );
});

test("each refused call that comes back after its own wait is admitted, and a millisecond earlier it is not", () => {
  fc.assert(
    fc.property(qps, fc.integer({ min: 1, max: 20 }), fc.nat({ max: 20 }), (rate, calls, afterMs) => {
      const emptied = takeCalls(fullBucket(rate, START_MS), rate, Math.max(rate, MIN_BURST_CALLS), START_MS).bucket;
      const atMs = START_MS + afterMs;
      const { bucket, waitsMs } = takeCalls(emptied, rate, calls, atMs);
      let current = bucket;
      for (const wait of waitsMs.filter((ms) => ms > 0)) {
        if (current.atMs < atMs + wait)
          expect(takeCalls(current, rate, 1, atMs + wait - 1).waitsMs[0]).toBeGreaterThan(0);
        const retried = takeCalls(current, rate, 1, atMs + wait);
        expect(retried.waitsMs).toEqual([0]);
        current = retried.bucket;
      }
    }),
  );
});

test("a refused call takes nothing", () => {
  const rate = 10;
  let bucket = takeCalls(fullBucket(rate, START_MS), rate, 10, START_MS).bucket;
  for (let hammer = 0; hammer < 1_000; hammer++) bucket = takeCalls(bucket, rate, 20, START_MS).bucket;
  expect(takeCalls(bucket, rate, 1, START_MS + 100).waitsMs).toEqual([0]);
});

test("a changed rate holds from the next call", () => {
  const full = fullBucket(1_000, START_MS);
  const lowered = takeCalls(full, 6, 20, START_MS);
  expect(lowered.waitsMs.filter((wait) => wait === 0)).toHaveLength(6);
  const raised = takeCalls(lowered.bucket, 1_000, 20, START_MS + 20);
  expect(raised.waitsMs.filter((wait) => wait === 0)).toHaveLength(20);
});

test("a clock that steps back neither fills the bucket nor stops it from filling", () => {
  const rate = 10;
  const { bucket } = takeCalls(fullBucket(rate, START_MS), rate, 10, START_MS);
  const back = takeCalls(bucket, rate, 1, START_MS - 3_600_000);
  expect(back.waitsMs).toEqual([100]);
  expect(takeCalls(back.bucket, rate, 1, START_MS - 3_600_000 + 100).waitsMs).toEqual([0]);
});

test("a key of one call a second may still make a small burst", () => {
  expect(takeCalls(fullBucket(1, START_MS), 1, 7, START_MS).waitsMs).toEqual([0, 0, 0, 0, 0, 1_000, 2_000]);
});
