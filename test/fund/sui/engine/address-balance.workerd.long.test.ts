import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect, test } from "vitest";
import { alteration, alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import {
  coinsOf,
  expectExactBooks,
  ledgerOf,
  ownTransactions,
  sponsorshipOf,
  statesOf,
} from "../../../support/fund-books.ts";
import {
  admittedCount,
  BALANCE,
  balanceOnChain,
  clearFaults,
  EPOCH,
  gasOnChain,
  give,
  holdConsensus,
  LOOK_UP,
  nextEpoch,
  nodeDown,
} from "../../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  bindings,
  crash,
  execute,
  executeOnChain,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFundWith,
  pass,
  prepare,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  settings,
  sponsor,
  sponsorInput,
  stub,
  submitAsUser,
  type TestFund,
  until,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const RESERVE_MIST = 10_000_000n;
/** Less than this in the form that does not pay stays there. */
const CONVERT_FROM_MIST = 20_000_000n;

useStoppedClock();

async function newFund(addressBalanceMist: bigint, ...coinsMist: readonly bigint[]): Promise<TestFund> {
  const fund = await newFundWith({ mode: "address_balance" });
  if (addressBalanceMist > 0n) await give(fund.address, addressBalanceMist, "address_balance");
  for (const amountMist of coinsMist) await give(fund.address, amountMist);
  await stub(fund).refresh();
  return fund;
}

function withEpochsOf(durationMs: bigint) {
  return alteration(EPOCH, GrpcTypes.GetEpochResponse, ({ epoch }) => {
    if (epoch?.systemState?.parameters) epoch.systemState.parameters.epochDurationMs = durationMs;
  });
}

describe("sponsoring from the address balance", () => {
  test("needs no coin: signed at once, or prepared and executed, and charged to the balance to the MIST", async () => {
    const fund = await newFund(SUI_MIST);
    const signed = await sponsor(fund, "signed");
    const prepared = await prepare(fund, "prepared");
    for (const { txBytes } of [signed, prepared])
      expect(bcs.TransactionData.parse(txBytes).V1.gasData).toMatchObject({ payment: [], owner: fund.address });
    await executeOnChain(signed);
    expect(await execute(fund, prepared)).toMatchObject({ ok: true, value: { execution: { success: true } } });
    await liveFor(fund, 5 * SECOND_MS);
    expect(await statesOf(fund, [signed, prepared])).toEqual(["complete", "complete"]);
    const gasMist = ((await gasOnChain(signed.digest)) ?? 0n) + ((await gasOnChain(prepared.digest)) ?? 0n);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST - gasMist, inFlightAtoms: 0n });
    expect(await coinsOf(fund)).toEqual([]);
    await expectExactBooks(fund);
  });

  test("is bounded by what is promised already, without a coin to run out of", async () => {
    const fund = await newFund(RESERVE_MIST + 3n * BUDGET_MIST);
    for (const name of ["a", "b", "c"]) await sponsor(fund, name);
    expect(await refusalOf(fund, "d")).toBe("balance_too_low");
    expect(await stub(fund).view()).toMatchObject({ availableAtoms: 0n, maintenanceReserveAtoms: RESERVE_MIST });
  });

  test("two equal requests are two transactions, also after a restart", async () => {
    const fund = await newFund(SUI_MIST);
    const digests = [await sponsor(fund, "equal"), await sponsor(fund, "equal")].map(({ digest }) => digest);
    await crash();
    digests.push((await sponsor(fund, "equal")).digest, (await prepare(fund, "equal")).digest);
    await crash();
    digests.push((await sponsor(fund, "equal")).digest);
    expect(new Set(digests).size).toBe(5);
  });

  test("what was prepared and abandoned is freed after ten minutes at no cost", async () => {
    const fund = await newFund(SUI_MIST);
    await prepare(fund, "abandoned");
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: BUDGET_MIST });
    pass(10 * MINUTE_MS);
    await liveFor(fund, SECOND_MS);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST, inFlightAtoms: 0n });
    await expectExactBooks(fund);
  });
});

describe("what was signed and abandoned", () => {
  test("is withheld until its last epoch is over and a later look-up found nothing", async () => {
    const fund = await newFund(SUI_MIST);
    const abandoned = await sponsor(fund, "abandoned");
    pass(HOUR_MS);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [abandoned])).toEqual(["expired"]);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: BUDGET_MIST });
    expect(await stub(fund).revoke(KEY_ID), "nothing can take it back").toEqual({
      revoked: 0,
      tooLate: 0,
      irrevocable: 1,
      pending: 0,
    });
    pass(5 * MINUTE_MS);
    await liveFor(fund, SECOND_MS);
    expect(await statesOf(fund, [abandoned])).toEqual(["expired"]);

    await nextEpoch();
    pass(5 * MINUTE_MS);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [abandoned])).toEqual(["dead"]);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST, inFlightAtoms: 0n });
    expect(await submitAsUser(abandoned)).toMatch(/expired/i);
    await expectExactBooks(fund);
  });

  test("is complete where a user executes it after its hour, and is found", async () => {
    const fund = await newFund(SUI_MIST);
    const late = await sponsor(fund, "late");
    pass(HOUR_MS);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [late])).toEqual(["expired"]);
    expect(await submitAsUser(late)).toBe("executed");
    await nextEpoch();
    pass(5 * MINUTE_MS);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [late])).toEqual(["complete"]);
    await expectExactBooks(fund);
  });

  test("reaches into the next epoch where this one ends within the hour, and no further", async () => {
    const fund = await newFund(SUI_MIST);
    const window = async (name: string) => {
      const { expiration } = bcs.TransactionData.parse((await sponsor(fund, name)).txBytes).V1;
      const { minEpoch, maxEpoch } = expiration.ValidDuring ?? {};
      return Number(maxEpoch) - Number(minEpoch);
    };
    expect(await window("in the middle of an epoch")).toBe(0);
    pass(22 * HOUR_MS + 30 * MINUTE_MS);
    expect(await window("in the last hour of an epoch")).toBe(1);
  });
});

test("funds that are short at the execution fail it at no cost, and it is booked as complete", async () => {
  const fund = await newFund(RESERVE_MIST);
  alterReplies(
    withOurTime,
    alteration(BALANCE, GrpcTypes.GetBalanceResponse, ({ balance }) => {
      if (balance?.balance === undefined || balance.addressBalance === undefined) return;
      balance.balance += SUI_MIST;
      balance.addressBalance += SUI_MIST;
    }),
  );
  await stub(fund).refresh();
  const gasBudgetMist = RESERVE_MIST - 1_000_000n;
  const sponsored = [
    await sponsor(fund, "either of both", { gasBudgetMist }),
    await sponsor(fund, "the other", { gasBudgetMist }),
  ];
  alterReplies(withOurTime);
  await holdConsensus(true);
  const submitted = Promise.all(sponsored.map(submitAsUser));
  await until(async () => (await admittedCount()) === 2);
  await holdConsensus(false);
  expect(await submitted).toEqual(["executed", "executed"]);
  await liveFor(fund, 30 * SECOND_MS);
  expect(await statesOf(fund, sponsored)).toEqual(["complete", "complete"]);
  const charges = await Promise.all(sponsored.map((row) => sponsorshipOf(fund, row)));
  expect(charges.filter(({ chargedAtoms: chargedMist }) => chargedMist === 0n)).toHaveLength(1);
  // What the node has invented is taken for what another one does not show yet, until it must have: two scans tell, both
  // later by five minutes than the first that misses it. An idle fund scans more and more rarely.
  await liveFor(fund, 15 * MINUTE_MS);
  await expectExactBooks(fund);
});

describe("revoked", () => {
  test("what is signed is reported as irrevocable and still executes, what is prepared is freed", async () => {
    const fund = await newFund(SUI_MIST);
    const signed = [await sponsor(fund, "a"), await sponsor(fund, "b")];
    await prepare(fund, "c");
    expect(await stub(fund).revoke(KEY_ID)).toEqual({ revoked: 1, tooLate: 0, irrevocable: 2, pending: 0 });
    for (const sponsored of signed) expect(await submitAsUser(sponsored)).toBe("executed");
    await liveFor(fund, 5 * SECOND_MS);
    expect(await statesOf(fund, signed)).toEqual(["complete", "complete"]);
    await expectExactBooks(fund);
  });
});

describe("where an epoch is shorter than an hour", () => {
  test("such a fund is refused at its creation", async () => {
    alterReplies(withEpochsOf(BigInt(HOUR_MS) - 1n));
    const id = "fund_000000000000000000aa";
    const create = () => bindings.FUND.getByName(id).create({ ...settings(id), mode: "address_balance" });
    expect(await create()).toMatchObject({ error: { reason: "unsupported_network" } });
    expect(await bindings.FUND.getByName(id).view()).toBe(null);
    await nodeDown();
    expect(await create()).toMatchObject({ error: { reason: "node_unavailable" } });
    await clearFaults();
    alterReplies(withEpochsOf(BigInt(HOUR_MS)));
    expect(await create()).toMatchObject({ ok: true });
  });

  test("one that exists pauses, and sponsors again when the operator says so and the epochs are long again", async () => {
    const fund = await newFund(SUI_MIST);
    alterReplies(withEpochsOf(60_000n));
    pass(6 * MINUTE_MS);
    expect(await refusalOf(fund, "one reply")).toBe("node_unavailable");
    expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
    pass(3_000);
    expect(await refusalOf(fund, "short epochs")).toBe("fund_paused");
    expect(await stub(fund).view()).toMatchObject({ pausedCause: "epoch_shorter_than_an_hour" });
    alterReplies(withOurTime);
    await stub(fund).update({ paused: false });
    expect(await refusalOf(fund, "long epochs")).toBe(null);
  });
});

describe("deposits", () => {
  test("of both kinds are counted, and coins are converted into the balance that pays", async () => {
    const fund = await newFund(SUI_MIST, 2n * SUI_MIST, 3n * SUI_MIST);
    const [convert] = await ownTransactions(fund, "convert");
    expect(convert).toMatchObject({ state: "complete", paysToAddressBalance: true });
    const gasMist = (await gasOnChain(convert?.digest ?? "")) ?? 0n;
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 6n * SUI_MIST - gasMist });
    expect(await coinsOf(fund)).toEqual([]);
    const deposited = (await ledgerOf(fund)).filter(({ kind }) => kind === "deposit");
    expect(deposited.map(({ balanceAtoms: balanceMist }) => balanceMist).sort()).toEqual([
      SUI_MIST,
      2n * SUI_MIST,
      3n * SUI_MIST,
    ]);
    await expectExactBooks(fund);
  });

  test("are found by the alarm alone, each once", async () => {
    const fund = await newFund(0n);
    await give(fund.address, SUI_MIST, "address_balance");
    await liveFor(fund, 15 * SECOND_MS);
    await give(fund.address, SUI_MIST);
    await give(fund.address, 5n, "address_balance");
    await liveFor(fund, 15 * SECOND_MS);
    await expectExactBooks(fund);
    await liveFor(fund, MINUTE_MS);
    expect((await ledgerOf(fund)).filter(({ kind }) => kind === "deposit")).toHaveLength(3);
    await expectExactBooks(fund);
  });

  test("that fall between executions nobody has booked yet are booked as what they are", async () => {
    const fund = await newFund(SUI_MIST);
    const executed = await Promise.all(Array.from({ length: 12 }, (_, index) => sponsor(fund, `executed ${index}`)));
    for (const [index, sponsored] of executed.entries()) {
      await executeOnChain(sponsored);
      if (index % 4 === 0) await give(fund.address, 1_000_000n, "address_balance");
    }
    await stub(fund).refresh();
    await liveFor(fund, 20 * SECOND_MS);
    const ledger = await ledgerOf(fund);
    const deposits = ledger
      .filter(({ kind }) => kind === "deposit")
      .map(({ balanceAtoms: balanceMist }) => balanceMist);
    expect(deposits.reduce((sum, amountMist) => sum + amountMist, 0n)).toBe(SUI_MIST + 3_000_000n);
    expect(ledger.filter(({ kind }) => kind === "adjustment")).toEqual([]);
    await expectExactBooks(fund);
  });

  test.each([
    ["before the balance is read", BALANCE, "before"],
    ["after the balance is read", BALANCE, "after"],
    ["before the digests are looked up", LOOK_UP, "before"],
    ["after the digests are looked up", LOOK_UP, "after"],
  ] as const)("a deposit beside an execution %s is booked once, and never mistaken for it", async (_, method, when) => {
    const fund = await newFund(SUI_MIST);
    const sponsored = await sponsor(fund, "executed in between");
    const inBetween = async () => {
      await executeOnChain(sponsored);
      await give(fund.address, 1_234_567n, "address_balance");
    };
    await give(fund.address, 1n, "address_balance");
    alterReplies(withOurTime, once(method, { [when]: inBetween }));
    await stub(fund).refresh();
    await liveFor(fund, 30 * SECOND_MS);
    const ledger = await ledgerOf(fund);
    expect(ledger.filter(({ kind }) => kind === "adjustment")).toEqual([]);
    const deposited = ledger.filter(({ kind }) => kind === "deposit").slice(1);
    expect(deposited.reduce((sum, { balanceAtoms: balanceMist }) => sum + balanceMist, 0n)).toBe(1_234_568n);
    await expectExactBooks(fund);
  });
});

test("a withdrawal is paid from the balance, with what live sponsorships may cost and the reserve left in it", async () => {
  const fund = await newFund(SUI_MIST);
  const sponsored = await sponsor(fund, "live");
  const { availableAtoms: availableMist = 0n } = (await stub(fund).view()) ?? {};
  expect(availableMist).toBe(SUI_MIST - BUDGET_MIST - RESERVE_MIST);
  const to = `0x${"8".repeat(64)}`;
  const idempotency = { scope: "operator withdraw", fingerprint: "all" };
  const all = { to, from: "available", idempotency } as const;
  expect(await stub(fund).withdraw({ ...all, amountAtoms: availableMist + 1n })).toMatchObject({
    error: { reason: "balance_too_low" },
  });
  const paid = await stub(fund).withdraw({ ...all, amountAtoms: availableMist });
  expect(paid).toMatchObject({ value: { state: "complete" } });
  expect(await stub(fund).withdraw({ ...all, amountAtoms: availableMist })).toEqual(paid);
  expect(await balanceOnChain(to)).toMatchObject({ totalMist: availableMist });
  await executeOnChain(sponsored);
  await liveFor(fund, 5 * SECOND_MS);
  expect(await statesOf(fund, [sponsored])).toEqual(["complete"]);
  await expectExactBooks(fund);
});

test("in coin mode a deposit into the address balance is counted, and becomes a coin", async () => {
  const fund = await newFundWith({}, SUI_MIST);
  await give(fund.address, SUI_MIST, "address_balance");
  await liveFor(fund, 15 * SECOND_MS);
  const [convert] = await ownTransactions(fund, "convert");
  expect(convert).toMatchObject({ state: "complete", gasObjectId: null });
  expect((await balanceOnChain(fund.address)).addressBalanceMist).toBeLessThan(CONVERT_FROM_MIST);
  await expectExactBooks(fund);
  await liveFor(fund, MINUTE_MS);
  expect((await ledgerOf(fund)).filter(({ kind }) => kind === "deposit")).toHaveLength(2);
  await expectExactBooks(fund);
  const input = await sponsorInput("from the new coin", { gasBudgetMist: 400_000_000n });
  expect(await stub(fund).sponsor(input)).toMatchObject({ ok: true });
});
