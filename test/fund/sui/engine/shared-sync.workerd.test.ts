import { runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import type { Fund } from "../../../../shared/fund/object.ts";
import { newFundOfCoins, platformStub, sponsorInput, useStoppedClock } from "../../../support/sui-fund.ts";

useStoppedClock();

test("calls of one commit share one wait for the disk, and a later commit waits for its own", async () => {
  const fund = await newFundOfCoins(5);
  const inputs = await Promise.all(["a", "b", "c", "d"].map((name) => sponsorInput(name)));
  await runInDurableObject(platformStub(fund), async (instance: Fund, { storage }) => {
    const [last, ...together] = inputs;
    if (last === undefined) throw new Error("no input");
    const waits = vi.spyOn(Object.getPrototypeOf(storage), "sync");
    const outcomes = await Promise.all(together.map((input) => instance.sponsor(input)));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true]);
    const before = waits.mock.calls.length;
    expect(before).toBe(1);
    expect(await instance.sponsor(last)).toMatchObject({ ok: true });
    expect(waits.mock.calls.length).toBe(before + 1);
  });
});
