import { expect, test } from "vitest";
import { NO_LIMITS } from "../../../../shared/policy/fund-policy-defaults.ts";
import { coinsOf, expectExactBooks, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import { give, nextEpoch } from "../../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const MAINTENANCE_MIST = 50_000_000n;

useStoppedClock();

async function maintenanceCoins(fund: TestFund) {
  return (await coinsOf(fund)).filter(({ maintenance }) => maintenance);
}

function sum(coins: readonly { readonly balanceMist: bigint }[]): bigint {
  return coins.reduce((total, { balanceMist }) => total + balanceMist, 0n);
}

/** Sponsorships until no coin of the pool is free. */
async function lendEverything(fund: TestFund): Promise<readonly { readonly digest: string }[]> {
  const lent: { readonly digest: string }[] = [];
  for (;;) {
    const free = (await coinsOf(fund)).filter(({ state, maintenance }) => state === "free" && !maintenance);
    if (free.length === 0) return lent;
    lent.push(await sponsor(fund, `lent ${lent.length}`, { gasBudgetMist: sum(free.slice(0, 256)) }));
  }
}

test("three coins are set aside once the fund owns 2 SUI, and not before", async () => {
  const fund = await newFund((19n * SUI_MIST) / 10n);
  expect(await maintenanceCoins(fund)).toEqual([]);
  expect(await stub(fund).view()).toMatchObject({ maintenanceReserveAtoms: 0n });
  await give(fund.address, (3n * SUI_MIST) / 10n);
  await stub(fund).refresh();
  expect((await maintenanceCoins(fund)).map(({ balanceMist }) => balanceMist)).toEqual(Array(3).fill(MAINTENANCE_MIST));
  const view = await stub(fund).view();
  expect(view).toMatchObject({ maintenanceReserveAtoms: 3n * MAINTENANCE_MIST });
  expect(view?.availableAtoms).toBe((view?.balanceAtoms ?? 0n) - 3n * MAINTENANCE_MIST);
  await expectExactBooks(fund);
});

test("they are never lent, and pay for recycling while every other coin is held", async () => {
  const fund = await newFundWith({ policy: NO_LIMITS }, 3n * SUI_MIST);
  const aside = await maintenanceCoins(fund);
  expect(aside).toHaveLength(3);
  const abandoned = await lendEverything(fund);
  expect(await maintenanceCoins(fund)).toEqual(aside);
  pass(HOUR_MS);
  await liveFor(fund, MINUTE_MS);
  expect(new Set(await statesOf(fund, abandoned))).toEqual(new Set(["dead"]));
  const [recycle] = await ownTransactions(fund, "recycle");
  expect(aside.map(({ objectId }) => objectId)).toContain(recycle?.gasObjectId);
  await expectExactBooks(fund);
});

test("one that is used up is replaced, and merged into the coin that the new one comes from", async () => {
  const fund = await newFund(3n * SUI_MIST);
  const [first] = await maintenanceCoins(fund);
  await nextEpoch(8_000n);
  pass(10 * MINUTE_MS);
  for (let round = 0; round < 5; round++) {
    const keyId = `key_${round.toString().padStart(20, "0")}`;
    await sponsor(fund, "to be revoked", { gasBudgetMist: 40_000_000n, keyId });
    expect(await stub(fund).revoke(keyId)).toMatchObject({ revoked: 1 });
  }
  const usedUp = (await maintenanceCoins(fund)).find(({ objectId }) => objectId === first?.objectId);
  expect(usedUp?.balanceMist).toBeLessThan(SUI_MIST / 100n);
  await liveFor(fund, MINUTE_MS);
  const coins = await maintenanceCoins(fund);
  expect(coins).toHaveLength(3);
  expect(coins.map(({ objectId }) => objectId)).not.toContain(first?.objectId);
  for (const { balanceMist } of coins) expect(balanceMist).toBe(MAINTENANCE_MIST);
  await expectExactBooks(fund);
});

test("coins that cover nothing, sent by anybody, are merged away by one that covers the gas", async () => {
  const fund = await newFund(SUI_MIST);
  const { length: before } = await coinsOf(fund);
  for (let coin = 0; coin < 32; coin++) await give(fund.address, 1n);
  await stub(fund).refresh();
  expect(await coinsOf(fund)).toHaveLength(before);
  await expectExactBooks(fund);
});

test("dust is merged into a coin that can be lent", async () => {
  const fund = await newFund();
  for (let coin = 0; coin < 32; coin++) await give(fund.address, 1_000_000n);
  await stub(fund).refresh();
  for (const { balanceMist } of await coinsOf(fund)) expect(balanceMist).toBeGreaterThan(BUDGET_MIST);
  expect(await ownTransactions(fund, "split")).toMatchObject([{ state: "complete", createdMist: [] }, {}]);
  await sponsor(fund, "from dust");
  await expectExactBooks(fund);
});
