import { expect, test, vi } from "vitest";
import { give } from "../support/sui-chain.ts";
import { BUDGET_MIST, crash, newFundWith, sponsor, stub, type TestFund, useStoppedClock } from "../support/sui-fund.ts";

const LOW_MIST = 100_000_000n;
/** Stays in the address balance, and is not available. */
const RESERVE_MIST = 10_000_000n;

useStoppedClock();

/** A fund that pays from its address balance: a deposit changes what is available by exactly its amount. */
async function newFund(availableMist: bigint, lowBalanceAtoms: bigint | null = LOW_MIST): Promise<TestFund> {
  const fund = await newFundWith({ mode: "address_balance", lowBalanceAtoms: lowBalanceAtoms });
  await deposit(fund, RESERVE_MIST + availableMist);
  expect(await stub(fund).view()).toMatchObject({ availableAtoms: availableMist });
  return fund;
}

async function deposit(fund: TestFund, amountMist: bigint): Promise<void> {
  await give(fund.address, amountMist, "address_balance");
  await stub(fund).refresh();
}

/** What a check says, and what it raises. */
async function check(
  fund: TestFund,
): Promise<{ readonly low: boolean | undefined; readonly events: readonly string[] }> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const view = await stub(fund).check();
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  const events = lines.flatMap((line) => /"event":"(fund\.(?:low_balance|balance_recovered))"/.exec(line)?.[1] ?? []);
  return { low: view?.low, events };
}

test("crossing the threshold is raised once, and so is the recovery, at 110 percent of it", async () => {
  const fund = await newFund(LOW_MIST);
  expect(await check(fund), "at the threshold").toEqual({ low: false, events: [] });
  await sponsor(fund, "in flight");
  expect(await check(fund)).toEqual({ low: true, events: ["fund.low_balance"] });
  expect(await check(fund)).toEqual({ low: true, events: [] });
  await deposit(fund, BUDGET_MIST + LOW_MIST / 10n - 1n);
  expect(await check(fund), "a MIST below 110 percent").toEqual({ low: true, events: [] });
  await deposit(fund, 1n);
  expect(await check(fund)).toEqual({ low: false, events: ["fund.balance_recovered"] });
  expect(await check(fund)).toEqual({ low: false, events: [] });
});

test("a balance between the two marks does not flap", async () => {
  const fund = await newFund(LOW_MIST + 1n);
  const events: string[] = [];
  for (let round = 0; round < 3; round++) {
    await sponsor(fund, `in flight ${round}`);
    events.push(...(await check(fund)).events);
    await deposit(fund, BUDGET_MIST);
    events.push(...(await check(fund)).events);
  }
  expect(events).toEqual(["fund.low_balance"]);
});

test("what was raised is remembered across a restart", async () => {
  const fund = await newFund(LOW_MIST - 1n);
  expect(await check(fund)).toEqual({ low: true, events: ["fund.low_balance"] });
  await crash();
  expect(await check(fund)).toEqual({ low: true, events: [] });
});

test("a fund without a threshold is never low, and one whose threshold is taken away recovers", async () => {
  const fund = await newFund(0n, null);
  expect(await check(fund)).toEqual({ low: false, events: [] });
  await stub(fund).update({ lowBalanceAtoms: LOW_MIST });
  expect(await check(fund)).toEqual({ low: true, events: ["fund.low_balance"] });
  await stub(fund).update({ lowBalanceAtoms: null });
  expect(await check(fund)).toMatchObject({ low: false });
});
