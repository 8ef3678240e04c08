import { expect, test } from "vitest";
import { NO_LIMITS } from "../../../../shared/policy/fund-policy-defaults.ts";
import { expectExactBooks, ledgerOf, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import { balanceOnChain, callsOf, gasOnChain, LOOK_UP, STALE } from "../../../support/sui-chain.ts";
import {
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFundWith,
  pass,
  prepare,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  type TestFund,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const LEAKED = "key_00000000000000000001";
const OTHER = "key_00000000000000000002";
const AT_ONCE = 50;

useStoppedClock();

async function sponsorMany(fund: TestFund, count: number, keyId: string) {
  const sponsored: Awaited<ReturnType<typeof sponsor>>[] = [];
  while (sponsored.length < count) {
    const names = Array.from(
      { length: Math.min(AT_ONCE, count - sponsored.length) },
      (_, index) => `${keyId} ${index}`,
    );
    sponsored.push(...(await Promise.all(names.map((name) => sponsor(fund, name, { keyId })))));
  }
  return sponsored;
}

test("a key leaked with 500 live signatures: after its revocation none executes but those that the chain had first", async () => {
  const fund = await newFundWith({ policy: NO_LIMITS }, 20n * SUI_MIST);
  const leaked = await sponsorMany(fund, 500, LEAKED);
  const others = await sponsorMany(fund, 5, OTHER);
  const first = leaked.filter((_, index) => index % 50 === 0);
  for (const sponsored of first) await executeOnChain(sponsored);
  expect(await stub(fund).revoke(LEAKED)).toEqual({ revoked: 490, tooLate: 10, irrevocable: 0, pending: 0 });
  const rest = leaked.filter((sponsored) => !first.includes(sponsored));
  const outcomes = await Promise.all(rest.map(submitAsUser));
  expect(outcomes.filter((outcome) => !STALE.test(outcome))).toEqual([]);
  expect(new Set(await statesOf(fund, rest))).toEqual(new Set(["dead"]));
  for (const sponsored of others) expect(await submitAsUser(sponsored)).toBe("executed");
  await liveFor(fund, 5 * SECOND_MS);
  expect(new Set(await statesOf(fund, [...first, ...others]))).toEqual(new Set(["complete"]));
  await expectExactBooks(fund);
});

test("three hundred abandoned are recycled in two transactions, each cost shared to the MIST", async () => {
  const fund = await newFundWith({ policy: NO_LIMITS }, 10n * SUI_MIST);
  const abandoned = await sponsorMany(fund, 300, LEAKED);
  pass(HOUR_MS);
  await liveFor(fund, MINUTE_MS);
  expect(new Set(await statesOf(fund, abandoned))).toEqual(new Set(["dead"]));
  const recycles = await ownTransactions(fund, "recycle");
  expect(recycles.map(({ bumpedCoins: inputs }) => inputs.length)).toEqual([256, 44]);
  let gasMist = 0n;
  for (const { digest } of recycles) gasMist += (await gasOnChain(digest)) ?? 0n;
  const rows = (await ledgerOf(fund)).filter(({ kind }) => kind === "recycle");
  expect(-rows.reduce((sum, { balanceAtoms: balanceMist }) => sum + balanceMist, 0n)).toBe(gasMist);
  await expectExactBooks(fund);
});

test("prepared and abandoned 1,000 times costs 0 MIST", async () => {
  const fund = await newFundWith({ policy: NO_LIMITS }, 5n * SUI_MIST);
  const before = await balanceOnChain(fund.address);
  const rows = (await ledgerOf(fund)).length;
  for (let round = 0; round < 50; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => prepare(fund, `${round} ${index}`)));
    pass(10 * MINUTE_MS);
    await liveFor(fund, SECOND_MS);
  }
  expect(await balanceOnChain(fund.address)).toEqual(before);
  const since = (await ledgerOf(fund)).slice(rows);
  expect(since).toHaveLength(2_000);
  for (const { balanceAtoms: balanceMist } of since) expect(balanceMist).toBe(0n);
  expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
  await expectExactBooks(fund);
});

test("an hour of its own alarms: abandoned and executed ones end as they should, at a bounded number of calls", async () => {
  const fund = await newFundWith({ policy: NO_LIMITS }, 5n * SUI_MIST);
  const abandoned = await sponsor(fund, "abandoned");
  const executed = await sponsor(fund, "executed");
  const before = await callsOf(LOOK_UP);
  await liveFor(fund, 30 * MINUTE_MS);
  await executeOnChain(executed);
  await liveFor(fund, 32 * MINUTE_MS);
  expect(await statesOf(fund, [abandoned, executed])).toEqual(["dead", "complete"]);
  expect((await callsOf(LOOK_UP)) - before).toBeLessThan(40);
  await expectExactBooks(fund);
});
