import { describe, expect, test } from "vitest";
import { APT_OCTAS, giveOctas } from "../../../support/aptos-chain.ts";
import { newAptosFund, useStoppedAptosClock } from "../../../support/aptos-fund.ts";
import { longTest, shortTest, variants } from "../../../support/rounds.ts";
import { allCalls, give } from "../../../support/sui-chain.ts";
import {
  alarm,
  alarmInMs,
  crash,
  dueInMs,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  sponsorInput,
  stub,
  type TestFund,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const LONGEST_SCAN_MS = 5 * MINUTE_MS;
const HOURS_OF_A_DAY = 24;

async function callsADay(fund: TestFund): Promise<number> {
  await liveFor(fund, HOUR_MS);
  const before = await allCalls();
  await liveFor(fund, HOUR_MS);
  return ((await allCalls()) - before) * HOURS_OF_A_DAY;
}

/** An hour in which nobody calls passes at once: one alarm fires where `liveFor` fires those of the whole hour. */
async function leaveForAnHour(fund: TestFund): Promise<void> {
  pass(HOUR_MS);
  await alarm(fund);
}

describe("on Sui", () => {
  useStoppedClock();

  test.each(variants(["coin", "address_balance"] as const, 2))("mode %s: an idle fund asks little", async (mode) => {
    const fund = await newFundWith({ mode }, SUI_MIST);
    const calls = await callsADay(fund);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(1_000);
  });

  longTest("an idle fund that starts anew for each of its alarms asks little, too", async () => {
    const fund = await newFund(SUI_MIST);
    await liveFor(fund, HOUR_MS);
    const before = await allCalls();
    for (let alarms = 0; alarms < 6; alarms++) {
      await crash();
      await liveFor(fund, LONGEST_SCAN_MS);
    }
    expect(((await allCalls()) - before) * 2 * HOURS_OF_A_DAY).toBeLessThanOrEqual(1_000);
  });

  shortTest("a deposit to an idle fund is found within five minutes, though nobody asks", async () => {
    const fund = await newFund();
    await leaveForAnHour(fund);
    await give(fund.address, SUI_MIST);
    await liveFor(fund, LONGEST_SCAN_MS + SECOND_MS);
    const { balanceAtoms } = (await stub(fund).view()) ?? {};
    expect(balanceAtoms).toBeGreaterThan(0n);
  });

  longTest.each<[string, (fund: TestFund) => Promise<unknown>]>([
    ["the fund is looked at", (fund) => stub(fund).view()],
    ["a status is asked", (fund) => stub(fund).status("D8qixP5YcNzCuLMYJkigup65M6RMNiXy6nrz7T677eVC")],
    ["a sponsorship is asked", async (fund) => stub(fund).sponsor(await sponsorInput("early"))],
    ["its sponsorships are listed", (fund) => stub(fund).sponsorships({ limit: 1, cursor: null })],
    ["it is refreshed", (fund) => stub(fund).refresh()],
  ])("an idle fund looks for deposits at once and every 15 s again when %s", async (_, ask) => {
    const fund = await newFund(SUI_MIST);
    await leaveForAnHour(fund);
    await give(fund.address, 7n * SUI_MIST);
    await liveFor(fund, SECOND_MS);
    await ask(fund);
    expect(await alarmInMs(fund)).toBeLessThanOrEqual(0);
    await alarm(fund);
    expect(await dueInMs(fund, "scan")).toEqual([15 * SECOND_MS]);
    expect((await stub(fund).view())?.balanceAtoms).toBeGreaterThan(7n * SUI_MIST);
    await sponsor(fund, "first");
  });

  longTest(
    "the check of the balance, which a cron asks for, is no demand, and is made every five minutes",
    async () => {
      const fund = await newFund(SUI_MIST);
      await leaveForAnHour(fund);
      pass((await alarmInMs(fund)) ?? 0);
      await alarm(fund);
      expect(await dueInMs(fund, "scan")).toEqual([LONGEST_SCAN_MS]);
      await stub(fund).check();
      expect(await dueInMs(fund, "scan")).toEqual([LONGEST_SCAN_MS]);
      await stub(fund).update({ lowBalanceAtoms: 100n * SUI_MIST });
      await liveFor(fund, LONGEST_SCAN_MS + 15 * SECOND_MS);
      expect(await stub(fund).view()).toMatchObject({ low: true });
    },
  );
});

describe("on Aptos", () => {
  useStoppedAptosClock();

  shortTest(
    "an idle fund asks little, finds a deposit within five minutes, and at once when it is looked at",
    async () => {
      const fund = await newAptosFund();
      expect(await callsADay(fund)).toBeLessThanOrEqual(1_000);
      await giveOctas(fund.address, APT_OCTAS);
      await liveFor(fund, LONGEST_SCAN_MS + SECOND_MS);
      expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 2n * APT_OCTAS });
      await leaveForAnHour(fund);
      await giveOctas(fund.address, APT_OCTAS);
      await stub(fund).view();
      await alarm(fund);
      expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 3n * APT_OCTAS });
      expect(await dueInMs(fund, "scan")).toEqual([15 * SECOND_MS]);
    },
  );
});
