import { afterEach, expect, vi } from "vitest";
import { sleep } from "../../shared/timing.ts";
import { DERIVATION_LIMITS } from "../../shared/wallet/derivation.ts";
import { createThrottle } from "../../shared/wallet/throttle.ts";
import { longTest, shortTest } from "../support/rounds.ts";

const WORK_MS = 191;
const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

/** The clock goes on while nothing else runs, as it does for a thread that derives. */
async function work(): Promise<void> {
  vi.setSystemTime(Date.now() + WORK_MS);
}

longTest(
  "beside a project whose 20 keys derive as fast as they can, nobody of another waits longer than 5 s",
  async () => {
    vi.useFakeTimers();
    const throttle = createThrottle(DERIVATION_LIMITS, Date.now);
    const endMs = Date.now() + MINUTE_MS;
    const waits: number[] = [];
    let flooded = 0;
    const flood = async () => {
      while (Date.now() < endMs) {
        if ((await throttle(work, { tenant: "neighbour" })).ok) flooded += 1;
        await sleep(1);
      }
    };
    const user = async () => {
      while (Date.now() < endMs) {
        const begunAtMs = Date.now();
        const derived = await throttle(work, { tenant: "app" });
        waits.push(derived.ok ? Date.now() - begunAtMs : Number.POSITIVE_INFINITY);
        await sleep(500);
      }
    };
    for (let key = 0; key < 20; key += 1) void flood();
    for (let index = 0; index < 3; index += 1) void user();
    while (Date.now() < endMs) await vi.advanceTimersByTimeAsync(10);
    expect(waits.length).toBeGreaterThan(30);
    expect(Math.max(...waits)).toBeLessThan(5_000);
    expect(flooded, "and the neighbour goes on").toBeGreaterThan(30);
  },
);

shortTest("a queue that is full of one project's refuses no other's", async () => {
  vi.useFakeTimers();
  const throttle = createThrottle({ ...DERIVATION_LIMITS, maxWaitMs: MINUTE_MS }, Date.now);
  const ends: string[] = [];
  const enter = (tenant: string) =>
    void throttle(work, { tenant }).then((outcome) =>
      ends.push(outcome.ok ? tenant : `${tenant} ${outcome.error.reason}`),
    );
  for (let call = 0; call < 30; call += 1) enter("neighbour");
  enter("app");
  await vi.advanceTimersByTimeAsync(20_000);
  const refused = DERIVATION_LIMITS.maxConcurrent + DERIVATION_LIMITS.maxQueued;
  expect(ends.filter((end) => end === "neighbour rate_limited")).toHaveLength(30 - refused);
  expect(ends.filter((end) => !end.endsWith("rate_limited")).indexOf("app")).toBeLessThanOrEqual(3);
});

shortTest(
  "a refusal of the queue names it, with a jittered wait, and nobody waits beyond the time of the call",
  async () => {
    vi.useFakeTimers();
    const limits = { ...DERIVATION_LIMITS, maxConcurrent: 1 };
    const throttle = createThrottle(limits, Date.now, () => 0.5);
    void throttle(() => sleep(MINUTE_MS));
    const begunAtMs = Date.now();
    const waiting = throttle(work, { tenant: "app", leftMs: 4_000 }).then((outcome) => ({
      outcome,
      afterMs: Date.now() - begunAtMs,
    }));
    await vi.advanceTimersByTimeAsync(20_000);
    const { outcome, afterMs } = await waiting;
    expect(outcome).toMatchObject({
      error: { reason: "rate_limited", data: { limit: "derivation_queue", retryAfterMs: 4_500 } },
    });
    expect(afterMs).toBeGreaterThanOrEqual(4_000);
    expect(afterMs).toBeLessThan(4_100);
  },
);
