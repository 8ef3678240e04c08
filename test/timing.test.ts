import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readFirst } from "../shared/chain/failover.ts";
import { Deadline } from "../shared/deadline.ts";
import { done } from "../shared/errors.ts";
import { inTime, unlessAborted, withTimeLimit } from "../shared/timing.ts";

const never = () => new Promise<never>(() => {});

describe("work that does not heed its signal", () => {
  test("ends with the signal, and with one that is over before it begins", async () => {
    await expect(unlessAborted(AbortSignal.timeout(1), never())).rejects.toThrow("timeout");
    await expect(unlessAborted(AbortSignal.abort(new Error("too late")), never())).rejects.toThrow("too late");
  }, 2_000);

  test("that is done in time is not disturbed", async () => {
    expect(await unlessAborted(AbortSignal.timeout(60_000), Promise.resolve("done"))).toBe("done");
  });
});

describe("no timer outlives what it limits: an object may have 10,000 at a time", () => {
  const ENDPOINTS = { network: "SUI_LOCALNET", urls: ["a", "b"] } as const;
  const failing = () => Promise.reject(new Error("broken"));

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test.each([
    ["a wait that ends in time", () => inTime(1_000, Promise.resolve())],
    ["work that ends in time", () => withTimeLimit(1_000, async () => "done")],
    ["work that fails", () => withTimeLimit(1_000, failing).catch(() => {})],
    ["a call that is answered", () => new Deadline().within(Promise.resolve(done("answer")))],
    ["a question that is answered", () => readFirst(ENDPOINTS, async () => "answer", new Deadline())],
    ["a question that no endpoint answers", () => readFirst(ENDPOINTS, failing, new Deadline())],
  ])("%s", async (_what, run) => {
    const endless = vi.spyOn(AbortSignal, "timeout");
    await run();
    expect(vi.getTimerCount()).toBe(0);
    expect(endless).not.toHaveBeenCalled();
  });

  test("and what is left under way is given up with the work, also where it fails", async () => {
    const left: AbortSignal[] = [];
    const leave = (signal: AbortSignal) => void left.push(signal);
    await withTimeLimit(1_000, async (abort) => leave(abort));
    await withTimeLimit(1_000, (abort) => Promise.all([leave(abort), failing()])).catch(() => {});
    await readFirst({ ...ENDPOINTS, urls: ["a"] }, (_url, abort) => Promise.all([leave(abort), failing()]));
    expect(left.map(({ aborted, reason }) => aborted && reason.name)).toEqual(Array(3).fill("AbortError"));
  });

  test("and what takes longer is cut off, and told from what fails", async () => {
    const late = inTime(1_000, never());
    const aborted = withTimeLimit(1_000, (abort) => unlessAborted(abort, never()));
    const refused = expect(aborted).rejects.toMatchObject({ name: "TimeoutError" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toBe(null);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });
});
