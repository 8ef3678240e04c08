import { afterEach, describe, expect, test, vi } from "vitest";
import { sleep } from "../../shared/timing.ts";
import { DERIVATION_LIMITS } from "../../shared/wallet/derivation.ts";
import { createThrottle, type ThrottleLimits } from "../../shared/wallet/throttle.ts";
import { endOf } from "../support/custody.ts";

const LIMITS: ThrottleLimits = {
  maxConcurrent: 2,
  restFactor: 0,
  maxQueued: 3,
  maxWaitMs: 60_000,
  leaseMs: 60_000,
  retryAfterMs: 1_000,
};

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Work that counts how much of it runs at the same time. */
function countedWork() {
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(5);
    running -= 1;
  };
  return { work, most: () => most };
}

describe("the throttle", () => {
  test("run as many pieces of work at once as allowed, and all that were let in", async () => {
    const throttle = createThrottle(LIMITS, Date.now);
    const { work, most } = countedWork();
    expect(await Promise.all(Array.from({ length: 5 }, () => endOf(throttle(work))))).toEqual(Array(5).fill("done"));
    expect(most()).toBe(2);
  });

  test("refuse whoever comes when the queue is full, at once, and take others later", async () => {
    const throttle = createThrottle(LIMITS, Date.now);
    const { work, most } = countedWork();
    const ends = await Promise.all(Array.from({ length: 9 }, () => endOf(throttle(work))));
    expect(ends).toEqual([...Array(5).fill("done"), ...Array(4).fill("rate_limited")]);
    expect(await endOf(throttle(work))).toBe("done");
    expect(most()).toBe(2);
  });

  test("are given to nobody who overtakes the queue", async () => {
    const throttle = createThrottle({ ...LIMITS, maxConcurrent: 1 }, Date.now);
    const order: string[] = [];
    const first = throttle(() => sleep(30));
    const waiting = throttle(async () => order.push("waiting"));
    await first;
    const late = throttle(async () => order.push("late"));
    await Promise.all([waiting, late]);
    expect(order).toEqual(["waiting", "late"]);
  });

  test("end when work fails, and pass the failure on", async () => {
    const throttle = createThrottle({ ...LIMITS, maxConcurrent: 1 }, Date.now);
    await expect(throttle(() => Promise.reject(new Error("no memory")))).rejects.toThrow("no memory");
    expect(await endOf(throttle(async () => null))).toBe("done");
  });

  test("come back from work whose request was dropped, to whoever waits for them", async () => {
    let nowMs = 0;
    const throttle = createThrottle({ ...LIMITS, maxConcurrent: 1, maxWaitMs: LIMITS.leaseMs + 1 }, () => nowMs);
    throttle(never);
    let ended = false;
    const waiting = endOf(throttle(async () => null)).finally(() => {
      ended = true;
    });
    nowMs = LIMITS.leaseMs - 1;
    await sleep(60);
    expect(ended).toBe(false);
    nowMs = LIMITS.leaseMs;
    expect(await waiting).toBe("done");
  });

  test("are not waited for longer than allowed, and places in the queue come back too", async () => {
    const throttle = createThrottle({ ...LIMITS, maxConcurrent: 1, maxWaitMs: 40 }, Date.now);
    throttle(never);
    const round = () => Promise.all(Array.from({ length: 3 }, () => endOf(throttle(async () => null))));
    expect(await round()).toEqual(Array(3).fill("rate_limited"));
    expect(await round()).toEqual(Array(3).fill("rate_limited"));
  });
});

describe("derivations that flood a thread", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Milliseconds of a minute in which callers who never rest, so many at once, block the thread. */
  async function blockedMs(callers: number, workMs: number): Promise<{ blockedMs: number; done: number }> {
    vi.useFakeTimers();
    const throttle = createThrottle(DERIVATION_LIMITS, Date.now);
    const endMs = Date.now() + 60_000;
    let done = 0;
    const work = async () => {
      // The clock goes on while nothing else runs.
      vi.setSystemTime(Date.now() + workMs);
      done += 1;
    };
    const caller = async () => {
      while (Date.now() < endMs) {
        await throttle(work);
        await sleep(100);
      }
    };
    for (let index = 0; index < callers; index += 1) void caller();
    while (Date.now() < endMs) await vi.advanceTimersByTimeAsync(10);
    return { blockedMs: done * workMs, done };
  }

  test.each([1, 4, 20])("leave at least two thirds of it to others, with %d callers", async (callers) => {
    for (const workMs of [50, 191, 600]) {
      const { blockedMs: blocked, done } = await blockedMs(callers, workMs);
      expect(blocked / 60_000, `${workMs} ms each`).toBeLessThanOrEqual(0.35);
      expect(done, "and go on all the while").toBeGreaterThan(callers === 1 ? 15 : 25);
    }
  });

  test("do not keep one who comes alone waiting", async () => {
    vi.useFakeTimers();
    const throttle = createThrottle(DERIVATION_LIMITS, Date.now);
    let end: string | null = null;
    void endOf(throttle(() => sleep(200))).then((ended) => {
      end = ended;
    });
    await vi.advanceTimersByTimeAsync(201);
    expect(end).toBe("done");
  });
});
