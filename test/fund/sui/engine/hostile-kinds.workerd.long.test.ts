import { expect, test } from "vitest";
import { newRecipient } from "../../../support/aptos-withdrawals.ts";
import { FOREIGN } from "../../../support/foreign-objects.ts";
import { expectExactBooks, ledgerOf, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import {
  balanceOnChain,
  coinsOnChain,
  foreignOnChain,
  give,
  giveDust,
  giveForeign,
  nextEpoch,
} from "../../../support/sui-chain.ts";
import {
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFundWith,
  pass,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const ROUNDS = 4;
const DUST_COINS = 500;
const SPONSORSHIPS = 4;
const FIRST_MIST = 20n * SUI_MIST;
const PAID_IN_MIST = 300_000_000n;
const PAID_OUT_MIST = 200_000_000n;

useStoppedClock();

async function serve(fund: TestFund, round: number) {
  const served = [];
  for (let index = 0; index < SPONSORSHIPS; index++) {
    const sponsored = await sponsor(fund, `served ${round} ${index}`);
    await executeOnChain(sponsored);
    served.push(sponsored);
  }
  return served;
}

async function withdraw(fund: TestFund, to: string, round: number): Promise<void> {
  const idempotency = { scope: `operator withdraw ${round}`, fingerprint: "same" };
  const paid = await stub(fund).withdraw({ to, amountAtoms: PAID_OUT_MIST, from: "available", idempotency });
  expect(paid).toMatchObject({ value: { state: "complete" } });
}

/** Deposits in both forms, one of which does not pay as it is: the fund converts, splits, takes in and recycles. */
async function payIn(fund: TestFund): Promise<void> {
  await give(fund.address, PAID_IN_MIST);
  await liveFor(fund, 15 * SECOND_MS);
  await give(fund.address, PAID_IN_MIST, "address_balance");
  await liveFor(fund, 15 * SECOND_MS);
}

async function attack(fund: TestFund): Promise<void> {
  await giveForeign(fund.address);
  await giveDust(fund.address, DUST_COINS);
}

test.each(["coin", "address_balance"] as const)(
  "whatever strangers send while a fund sponsors, refills, recycles and withdraws, nothing fails by it (%s)",
  async (mode) => {
    const fund = await newFundWith({ mode });
    await give(fund.address, FIRST_MIST, mode);
    await stub(fund).refresh();
    const abandoned = await Promise.all([1, 2, 3, 4].map((index) => sponsor(fund, `abandoned ${index}`)));
    pass(HOUR_MS);
    const to = newRecipient();
    const served = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [some] = await Promise.all([serve(fund, round), attack(fund), withdraw(fund, to, round), payIn(fund)]);
      served.push(...some);
    }
    if (mode === "address_balance") await nextEpoch();
    await liveFor(fund, 10 * MINUTE_MS);

    expect(new Set(await statesOf(fund, served))).toEqual(new Set(["complete"]));
    expect(new Set(await statesOf(fund, abandoned))).toEqual(new Set(["dead"]));
    expect(await balanceOnChain(to)).toMatchObject({ totalMist: BigInt(ROUNDS) * PAID_OUT_MIST });
    await expectExactBooks(fund);
    expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true, differences: [] } });

    const { partyMist, ...others } = FOREIGN;
    const party = (await coinsOnChain(fund.address)).filter(({ isParty }) => isParty);
    expect(
      party.map(({ balanceMist }) => balanceMist),
      "only dust is left to consensus",
    ).toEqual(Array.from({ length: ROUNDS }, () => 1n));
    const times = BigInt(ROUNDS);
    const deposited = (await ledgerOf(fund)).filter(({ kind }) => kind === "deposit" || kind === "adjustment");
    expect(deposited.reduce((sum, { balanceAtoms }) => sum + balanceAtoms, 0n)).toBe(
      FIRST_MIST + times * (2n * PAID_IN_MIST + BigInt(DUST_COINS) + partyMist - 1n),
    );
    expect(deposited.filter(({ kind }) => kind === "adjustment")).toEqual([]);
    expect(await foreignOnChain(fund.address), "the rest lies where it was sent").toEqual({
      parcels: ROUNDS * others.parcels,
      demoInCoins: times * others.demoInCoins,
      demoInFunds: times * others.demoInFunds,
    });
    expect(new Set((await ownTransactions(fund, "take_in")).map(({ state }) => state))).toEqual(new Set(["complete"]));
    expect((await ownTransactions(fund, "recycle")).length > 0).toBe(mode === "coin");
  },
);
