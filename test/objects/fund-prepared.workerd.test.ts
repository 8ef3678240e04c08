import { describe, expect, test } from "vitest";
import { START_LIMIT_MS } from "../../shared/http/overload.ts";
import { SUBMIT, submitToChain } from "./chain-support.ts";
import { expectExactBooks, ledgerOf, statesOf } from "./fund-books.ts";
import {
  BUDGET_MIST,
  crash,
  crashDuring,
  execute,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  pass,
  prepare,
  SECOND_MS,
  sponsorInput,
  stub,
  user,
  useStoppedClock,
} from "./fund-support.ts";

useStoppedClock();

describe("a prepared sponsorship", () => {
  test("does not execute by the user's signature alone", async () => {
    const fund = await newFundOfCoins(3);
    const { txBytes } = await prepare(fund, "prepared");
    const { signature } = await user.signTransaction(txBytes);
    expect(await submitToChain(txBytes, [signature])).toMatch(/signature/i);
    expect(await submitToChain(txBytes, [signature, signature])).toMatch(/signature/i);
    await expectExactBooks(fund);
  });

  test("that is abandoned, with a crash in between, is freed by the alarm at no cost", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "abandoned");
    const { balanceAtoms } = (await stub(fund).view()) ?? {};
    await crash();
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: BUDGET_MIST });
    pass(10 * MINUTE_MS - SECOND_MS);
    await liveFor(fund, 0);
    expect(await statesOf(fund, [prepared])).toEqual(["prepared"]);
    await liveFor(fund, SECOND_MS);
    expect(await statesOf(fund, [prepared])).toEqual(["dead"]);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms, inFlightAtoms: 0n });
    expect((await ledgerOf(fund)).filter(({ reference }) => reference === prepared.digest)).toMatchObject([
      { kind: "reserve", balanceAtoms: 0n },
      { kind: "release", balanceAtoms: 0n },
    ]);
    await expectExactBooks(fund);
  });

  test("is neither made nor executed for a call that reached the fund too late", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "in time", { arrivedAtMs: Date.now() - START_LIMIT_MS });
    const before = await stub(fund).view();
    const arrivedAtMs = Date.now() - START_LIMIT_MS - 1;
    const late = { refusal: { reason: "overloaded", data: { retryAfterMs: expect.any(Number) } } };
    expect(await stub(fund).sponsor(await sponsorInput("late", { arrivedAtMs }))).toMatchObject(late);
    expect(await stub(fund).prepare(await sponsorInput("late", { arrivedAtMs }))).toMatchObject(late);
    expect(await execute(fund, prepared, { arrivedAtMs })).toMatchObject(late);
    expect(await stub(fund).view()).toEqual(before);
    expect(await statesOf(fund, [prepared])).toEqual(["prepared"]);
    await expectExactBooks(fund);
  });

  test("cannot be executed once its ten minutes are over", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "late");
    pass(10 * MINUTE_MS);
    expect(await execute(fund, prepared)).toMatchObject({ refusal: { reason: "sponsorship_expired" } });
    await expectExactBooks(fund);
  });

  test("asked for again after it was freed is the same transaction, and executes once", async () => {
    const fund = await newFundOfCoins(3);
    const first = await prepare(fund, "the same");
    pass(10 * MINUTE_MS);
    await liveFor(fund, SECOND_MS);
    const second = await prepare(fund, "the same");
    expect(second.txBytes).toEqual(first.txBytes);
    expect(await execute(fund, first)).toMatchObject({ value: { execution: { success: true } } });
    expect(await execute(fund, second)).toMatchObject({ value: { execution: { success: true } } });
    await expectExactBooks(fund);
  });
});

describe("killed once it was approved", () => {
  test("before the submit: an alarm finds nothing, and after its time the coin is taken back", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "approved");
    await crashDuring(() => execute(fund, prepared), "before", SUBMIT);
    expect(await statesOf(fund, [prepared])).toEqual(["signed"]);
    pass(HOUR_MS);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [prepared])).toEqual(["dead"]);
    expect(await execute(fund, prepared)).toMatchObject({ refusal: { reason: "sponsorship_expired" } });
    await expectExactBooks(fund);
  });

  test("after the submit: an alarm books it", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "approved");
    await crashDuring(() => execute(fund, prepared), "after", SUBMIT);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await statesOf(fund, [prepared])).toEqual(["complete"]);
    await expectExactBooks(fund);
  });
});

test("a simulation that is asked for tells who gains and loses, to a repeat as to the first call, and is not told else", async () => {
  const fund = await newFundOfCoins(3);
  const claim = { scope: `${KEY_ID}/prepare/once`, fingerprint: "one" };
  for (const call of ["first", "repeat"]) {
    const input = await sponsorInput("told", { simulate: true, idempotency: claim });
    const prepared = await stub(fund).prepare(input);
    if (!prepared.ok) throw new Error(JSON.stringify(prepared.refusal));
    const { gasUsed, balanceChanges } = prepared.value.simulation ?? {};
    expect(gasUsed?.computationCostMist, call).toBeGreaterThan(0n);
    const payer = balanceChanges?.filter(({ amount }) => amount < 0n) ?? [];
    expect(payer, "the fund pays for gas").toHaveLength(1);
  }
  const silent = await stub(fund).prepare(await sponsorInput("other"));
  expect(silent).toMatchObject({ ok: true, value: { simulation: null } });
});
