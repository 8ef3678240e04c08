import { describe, expect, test } from "vitest";
import { unlessAborted } from "../shared/timing.ts";

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
