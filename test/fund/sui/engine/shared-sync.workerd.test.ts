import { runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import type { Fund } from "../../../../shared/fund/object.ts";
import { alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { SUBMIT } from "../../../support/sui-chain.ts";
import {
  newFundOfCoins,
  platformStub,
  prepare,
  sponsorInput,
  user,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

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

test("calls of one commit share one reading of the disk, and the next commit reads it again", async () => {
  const fund = await newFundOfCoins(5);
  const inputs = await Promise.all(["a", "b", "c", "d"].map((name) => sponsorInput(name)));
  await runInDurableObject(platformStub(fund), async (instance: Fund, { storage }) => {
    const [last, ...together] = inputs;
    if (last === undefined) throw new Error("no input");
    const readings = vi.spyOn(Object.getPrototypeOf(storage.sql), "databaseSize", "get");
    await Promise.all(together.map((input) => instance.sponsor(input)));
    const before = readings.mock.calls.length;
    expect(before).toBe(1);
    expect(await instance.sponsor(last)).toMatchObject({ ok: true });
    expect(readings.mock.calls.length).toBe(before + 1);
  });
});

/** Holds signature checks until so many wait, so that their calls go on in one turn. */
function verifyTogether(count: number): void {
  const verify = crypto.subtle.verify.bind(crypto.subtle);
  const waiting: (() => void)[] = [];
  vi.spyOn(crypto.subtle, "verify").mockImplementation(async (...args) => {
    const isValid = await verify(...args);
    const turn = Promise.withResolvers<void>();
    if (waiting.push(turn.resolve) === count) for (const resume of waiting.splice(0)) resume();
    await turn.promise;
    return isValid;
  });
}

/** Returns a step that ends once so many callers wait in it. */
function together(count: number): () => Promise<void> {
  let waiting = 0;
  const all = Promise.withResolvers<void>();
  return () => {
    waiting += 1;
    if (waiting === count) all.resolve();
    return all.promise;
  };
}

test("executions of about the same time share the commits of their approvals and bookings, and one wait for the disk", async () => {
  const fund = await newFundOfCoins(4);
  const prepared = [await prepare(fund, "a"), await prepare(fund, "b"), await prepare(fund, "c")];
  const calls = await Promise.all(
    prepared.map(async ({ digest, txBytes }) => {
      const { signature } = await user.signTransaction(txBytes);
      return { digest, senderSignature: signature, waitForLocalExecution: false, idempotency: null };
    }),
  );
  await runInDurableObject(platformStub(fund), async (instance: Fund, { storage }) => {
    const waits = vi.spyOn(Object.getPrototypeOf(storage), "sync");
    const commits = vi.spyOn(Object.getPrototypeOf(storage), "transactionSync");
    const beforeSubmit: number[] = [];
    const count = async () => void beforeSubmit.push(commits.mock.calls.length);
    alterReplies(withOurTime, { method: SUBMIT, before: count, after: together(calls.length) });
    verifyTogether(calls.length);
    const outcomes = await Promise.all(calls.map((call) => instance.execute(call)));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(beforeSubmit[0], "the commits before the first submission").toBe(1);
    // A slow machine may read one answer after the commit of the others.
    expect(commits.mock.calls.length, "the commits with those of the bookings").toBeLessThan(1 + calls.length);
    expect(waits).toHaveBeenCalledTimes(1);
  });
});
