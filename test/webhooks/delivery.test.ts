import { expect, test } from "vitest";
import { type DeliveryResponse, decideDelivery, mayBegin } from "../../shared/webhooks/delivery.ts";

const HOUR_MS = 3_600_000;
const status = (code: number): DeliveryResponse => ({ kind: "status", status: code });

test.each([200, 201, 202, 204, 299])("%i is delivered", (code) => {
  expect(decideDelivery(status(code), 1, 0, 0)).toEqual({ state: "delivered", nextAtMs: null, disables: false });
});

test.each([100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 503])("%i is tried again", (code) => {
  expect(decideDelivery(status(code), 1, 0, 0)).toEqual({ state: "pending", nextAtMs: 5_000, disables: false });
});

test("410 disables, and no answer does not", () => {
  expect(decideDelivery(status(410), 1, 0, 0).disables).toBe(true);
  expect(decideDelivery({ kind: "none", error: "x" }, 1, 0, 0)).toMatchObject({ state: "pending", disables: false });
});

test.each([0, 0.5, 0.999])("attempts end after three days, ever further apart (jitter %f)", (random) => {
  let nowMs = 0;
  let waitedMs = 0;
  for (let attempts = 1; ; attempts++) {
    const { state, nextAtMs } = decideDelivery(status(500), attempts, nowMs, random);
    if (nextAtMs === null) {
      expect({ state, attempts }).toEqual({ state: "failed", attempts: 10 });
      break;
    }
    expect(nextAtMs - nowMs).toBeGreaterThan(waitedMs);
    waitedMs = nextAtMs - nowMs;
    nowMs = nextAtMs;
  }
  expect(nowMs).toBeGreaterThanOrEqual(71 * HOUR_MS);
  expect(nowMs).toBeLessThanOrEqual(80 * HOUR_MS);
});

test("endpoints that fail never take the places of those that answer", () => {
  const failing = { failing: true, open: 0 };
  const stuck = { failing: true, open: 1 };
  const healthy = { failing: false, open: 0 };
  expect(mayBegin(failing, [])).toBe(true);
  expect(mayBegin(stuck, []), "one at a time").toBe(false);
  expect(mayBegin(failing, [stuck])).toBe(true);
  expect(mayBegin(failing, [stuck, stuck]), "two of them at once").toBe(false);
  expect(mayBegin(healthy, [stuck, stuck])).toBe(true);
  expect(mayBegin({ failing: false, open: 3 }, [stuck, stuck])).toBe(true);
  expect(mayBegin({ failing: false, open: 4 }, []), "four of one endpoint").toBe(false);
  expect(mayBegin(healthy, [{ failing: false, open: 4 }, stuck, stuck]), "six in all").toBe(false);
});
