import { runInDurableObject } from "cloudflare:test";
import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { afterEach, expect, vi } from "vitest";
import { addEntry } from "../../../../shared/fund/ledger/usage.ts";
import { alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { coinsOf, expectExactBooks, onDisk, ownTransactions } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import {
  answerAs,
  BALANCE,
  callsOf,
  coinsOnChain,
  DRY_RUN,
  give,
  giveParty,
  LIST,
  sendsGasCoin,
} from "../../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  crash,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  platformStub,
  refusalOf,
  SUI_MIST,
  sponsor,
  sponsorInput,
  stateOf,
  stub,
  user,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

/** What a conversion leaves over is not converted by itself. */
const NOT_CONVERTED_BELOW_MIST = 20_000_000n;

useStoppedClock();
afterEach(async () => {
  await answerAs("latest");
  await sendsGasCoin(true);
});

shortTest("guarantee 8: a party-owned coin is never reserved", async () => {
  const fund = await newFund(SUI_MIST);
  const partyIds = await giveParty(fund.address, 5_000_000n, 6_000_000n, SUI_MIST);
  expect(partyIds).toHaveLength(3);
  await stub(fund).refresh();
  const booked = (await coinsOf(fund)).map(({ objectId }) => objectId);
  expect(booked.filter((objectId) => partyIds.includes(objectId))).toEqual([]);
  for (const name of ["first", "second", "third"]) await executeOnChain(await sponsor(fund, name));
});

longTest("a fund finds its deposits at a node that does not know the parts of a balance", async () => {
  await answerAs("1.62");
  const fund = await newFund();
  await stub(fund).refresh();
  await give(fund.address, SUI_MIST);
  await liveFor(fund, MINUTE_MS);
  await executeOnChain(await sponsor(fund, "first"));
  await give(fund.address, 7n);
  await liveFor(fund, MINUTE_MS);
  expect((await coinsOf(fund)).map(({ balanceMist }) => balanceMist)).toContain(7n);
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
});

longTest("a node that does not know the parts of a balance takes nothing out of the books", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  await answerAs("1.62");
  await stub(fund).refresh();
  expect(await onDisk(fund, (store) => store.totals())).toMatchObject({ addressBalanceAtoms: SUI_MIST });
});

shortTest("a party-owned coin ends up as money of a fund that pays with coins", async () => {
  const fund = await newFund(SUI_MIST);
  await giveParty(fund.address, 40_000_000n, 3n * SUI_MIST, 6_000_000n);
  await liveFor(fund, MINUTE_MS);
  expect(await ownTransactions(fund, "take_in")).toMatchObject([{ state: "complete" }]);
  expect((await coinsOnChain(fund.address)).filter(({ isParty }) => isParty)).toEqual([]);
  await expectExactBooks(fund);
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
  await executeOnChain(await sponsor(fund, "first"));
});

longTest("a party-owned coin ends up as money of a fund that pays from its address balance", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  await give(fund.address, SUI_MIST, "address_balance");
  await give(fund.address, 50_000_000n);
  await giveParty(fund.address, 40_000_000n, 3n * SUI_MIST);
  await liveFor(fund, MINUTE_MS);
  expect(await ownTransactions(fund, "take_in")).toMatchObject([{ state: "complete" }]);
  await expectExactBooks(fund);
  expect(await coinsOnChain(fund.address)).toEqual([]);
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
});

longTest("dust that is party-owned stays where it is, and costs no call beyond a scan's", async () => {
  const fund = await newFund(3n * SUI_MIST);
  await giveParty(fund.address, 999_999n, 1n);
  await liveFor(fund, MINUTE_MS);
  const before = [await callsOf(LIST), await callsOf(DRY_RUN)];
  await liveFor(fund, 5 * MINUTE_MS);
  expect([await callsOf(LIST), await callsOf(DRY_RUN)]).toEqual(before);
  await expectExactBooks(fund);
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
});

longTest(
  "party coins that cannot be taken in stop neither refill nor withdrawal, and are tried ever more rarely",
  async () => {
    const fund = await newFund(3n * SUI_MIST);
    await liveFor(fund, MINUTE_MS);
    await giveParty(fund.address, ...Array.from({ length: 8 }, () => 40_000_000n));
    // The chain orders them by another start than the listing says, so that whatever takes them in is refused.
    alterReplies(
      withOurTime,
      alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => {
        for (const { owner } of objects)
          if (owner?.kind === GrpcTypes.Owner_OwnerKind.CONSENSUS_ADDRESS) owner.version = 1n;
      }),
    );
    const before = await callsOf(DRY_RUN);
    await liveFor(fund, HOUR_MS);
    const { length: taken } = await ownTransactions(fund, "take_in");
    expect(taken).toBe(0);
    expect((await callsOf(DRY_RUN)) - before).toBeLessThan(12);
    await executeOnChain(await sponsor(fund, "first"));
    const withdrawn = await stub(fund).withdraw({
      to: user.toSuiAddress(),
      amountAtoms: SUI_MIST,
      from: "available",
      idempotency: { scope: "w", fingerprint: "w" },
    });
    expect(withdrawn).toMatchObject({ value: { state: "complete" } });
    alterReplies(withOurTime);
    await liveFor(fund, 2 * HOUR_MS);
    expect((await coinsOnChain(fund.address)).filter(({ isParty }) => isParty)).toEqual([]);
    await expectExactBooks(fund);
  },
);

longTest(
  "a party coin that an older version has booked and lent is taken out of the books, and what holds it is over",
  async () => {
    const fund = await newFund(50_000_000n, 3n * SUI_MIST);
    await liveFor(fund, MINUTE_MS);
    await giveParty(fund.address, 5_000_000n, 6_000_000n);
    const party = (await coinsOnChain(fund.address)).filter(({ isParty }) => isParty);
    await onDisk(fund, (store) =>
      store.transact(() => {
        for (const { isParty: _, ...coin } of party) {
          store.putCoin({ ...coin, state: "free", heldByDigest: null, maintenance: false });
          addEntry(store, {
            atMs: Date.now(),
            kind: "deposit",
            reference: coin.objectId,
            balanceAtoms: coin.balanceMist,
          });
        }
      }),
    );
    await crash();
    const sponsored = await sponsor(fund, "spoiled", { gasBudgetMist: 4_900_000n });
    const paysWith = bcs.TransactionData.parse(sponsored.txBytes).V1.gasData.payment.map(({ objectId }) => objectId);
    expect(paysWith).toEqual(party.flatMap((coin) => (coin.balanceMist === 5_000_000n ? [coin.objectId] : [])));
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await stateOf(fund, sponsored.digest)).toBe("dead");
    await stub(fund).refresh();
    expect((await coinsOnChain(fund.address)).filter(({ isParty }) => isParty)).toEqual([]);
    await expectExactBooks(fund);
  },
);

longTest.each(["coin", "address_balance"] as const)(
  "a shortage looks for a deposit before it is refused, once for all callers (%s)",
  async (mode) => {
    const fund = await newFundWith({ mode });
    expect(await refusalOf(fund, "before")).toBe("balance_too_low");
    pass(2_000);
    // A coin serves one caller at a time.
    for (let coin = 0; coin < 3; coin++) await give(fund.address, 9_000_000n, mode);
    if (mode === "address_balance") await give(fund.address, SUI_MIST, mode);
    const before = await callsOf(BALANCE);
    const outcomes = await Promise.all(["a", "b", "c"].map((name) => refusalOf(fund, name)));
    expect(outcomes).toEqual([null, null, null]);
    expect((await callsOf(BALANCE)) - before).toBeLessThanOrEqual(2);
  },
);

longTest(
  "a shortage of a fund that pays from its address balance converts coins that were sent, and then pays",
  async () => {
    const fund = await newFundWith({ mode: "address_balance" });
    expect(await refusalOf(fund, "before")).toBe("balance_too_low");
    pass(2_000);
    await give(fund.address, SUI_MIST);
    expect(await refusalOf(fund, "after")).toBe(null);
  },
);

shortTest("an empty fund asks the chain for deposits at most once a second, however often it is called", async () => {
  const fund = await newFund();
  await refusalOf(fund, "first");
  const before = await callsOf(BALANCE);
  for (let call = 0; call < 10; call++) expect(await refusalOf(fund, `again ${call}`)).toBe("balance_too_low");
  expect(await callsOf(BALANCE)).toBe(before);
});

longTest("a deposit is credited, as far as it is certain, while more than 5,000 promises are open", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  await sponsor(fund, "open");
  await runInDurableObject(platformStub(fund), (_, { storage }) => {
    const { sql } = storage;
    const columns = sql
      .exec<{ name: string }>(
        "SELECT name FROM pragma_table_info('sponsorship_row') WHERE name NOT IN ('seq', 'digest', 'due_at_ms')",
      )
      .toArray()
      .map(({ name }) => name)
      .join(", ");
    const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)";
    const row = `SELECT 'x' || i, ?, ${columns} FROM n, sponsorship_row`;
    sql.exec(`${many} INSERT INTO sponsorship_row (digest, due_at_ms, ${columns}) ${row}`, Date.now() + HOUR_MS);
  });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  const { addressBalanceAtoms, inFlightAtoms } = await onDisk(fund, (store) => store.totals());
  expect(inFlightAtoms).toBe(BUDGET_MIST);
  expect(addressBalanceAtoms).toBe(2n * SUI_MIST - BUDGET_MIST);
  await stub(fund).refresh();
  expect((await onDisk(fund, (store) => store.totals())).addressBalanceAtoms).toBe(addressBalanceAtoms);
  await runInDurableObject(platformStub(fund), (_, { storage }) => {
    storage.sql.exec("DELETE FROM sponsorship_row WHERE typeof(digest) = 'text'");
  });
  await stub(fund).refresh();
  await expectExactBooks(fund);
});

longTest("coins are converted also where the chain refuses to send the gas coin itself", async () => {
  await sendsGasCoin(false);
  const fund = await newFundWith({ mode: "address_balance" });
  await give(fund.address, SUI_MIST);
  await stub(fund).refresh();
  await expectExactBooks(fund);
  expect((await onDisk(fund, (store) => store.totals())).addressBalanceAtoms).toBeGreaterThan(990_000_000n);
  await executeOnChain(await sponsor(fund, "first"));
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
  expect(await ownTransactions(fund, "convert")).toMatchObject([{ state: "complete", paysToAddressBalance: false }]);
});

longTest("an address balance becomes a coin also where the chain refuses to send the gas coin itself", async () => {
  await sendsGasCoin(false);
  const fund = await newFund();
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  expect(await ownTransactions(fund, "convert")).toMatchObject([{ state: "complete" }]);
  expect((await stub(fund).view())?.unconverted?.amountAtoms).toBeLessThan(NOT_CONVERTED_BELOW_MIST);
  await executeOnChain(await sponsor(fund, "first"));
});

longTest("a fund whose instance has ended knows why it converts nothing, and does not tell it again", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  const log = vi.spyOn(console, "log");
  alterReplies(
    withOurTime,
    alteration(DRY_RUN, GrpcTypes.SimulateTransactionResponse, ({ transaction }) => {
      const status = transaction?.effects?.status;
      if (status === undefined) return;
      status.success = false;
      status.error = GrpcTypes.ExecutionError.create({ description: "no rule allows it" });
    }),
  );
  const told = () => log.mock.calls.map(String).filter((line) => line.includes("fund.conversion_refused"));
  await give(fund.address, SUI_MIST);
  const sinceMs = Date.now();
  // Three tries in as many instances.
  for (const times of [0, 0, 1]) {
    await stub(fund).refresh();
    expect(told()).toHaveLength(times);
    await crash();
    pass(MINUTE_MS);
  }
  const unconverted = { cause: expect.stringContaining("no rule allows it"), failingSinceMs: sinceMs };
  expect(await stub(fund).view()).toMatchObject({ unconverted });
  pass(2 * HOUR_MS);
  await stub(fund).refresh();
  expect(told()).toHaveLength(1);
  alterReplies(withOurTime);
  await stub(fund).refresh();
  await crash();
  expect(await stub(fund).view()).toMatchObject({ unconverted: { failingSinceMs: null } });
  expect(await onDisk(fund, (store) => store.conversions())).toMatchObject({
    failures: 0,
    cause: null,
    toldCause: null,
  });
});

longTest.each(["address_balance", "coin"] as const)(
  "mode %s: what cannot be converted is not available, and the fund and its refusals say so",
  async (mode) => {
    const fund = mode === "coin" ? await newFund() : await newFundWith({ mode });
    const form = mode === "coin" ? "address_balance" : "coin";
    const log = vi.spyOn(console, "log");
    let cause = "the first rule";
    alterReplies(
      withOurTime,
      alteration(DRY_RUN, GrpcTypes.SimulateTransactionResponse, ({ transaction }) => {
        const status = transaction?.effects?.status;
        if (status === undefined || cause === "") return;
        status.success = false;
        status.error = GrpcTypes.ExecutionError.create({ description: cause });
      }),
    );
    const told = () => log.mock.calls.map(String).filter((line) => line.includes("fund.conversion_refused"));
    await give(fund.address, SUI_MIST, form);
    for (const _ of [1, 2, 3, 4, 5, 6]) await stub(fund).refresh();
    expect(await stub(fund).view()).toMatchObject({
      balanceAtoms: SUI_MIST,
      availableAtoms: 0n,
      unconverted: {
        amountAtoms: SUI_MIST,
        coins: mode === "coin" ? 0 : 1,
        cause: expect.stringContaining("the first rule"),
        failingSinceMs: Date.now(),
      },
    });
    expect(told()).toHaveLength(1);
    cause = "another rule";
    for (const _ of [1, 2, 3]) await stub(fund).refresh();
    expect(told(), "a node may give a new reason each time").toHaveLength(1);
    pass(HOUR_MS);
    await stub(fund).refresh();
    expect(told()).toHaveLength(2);
    if (mode === "address_balance") {
      const refused = await stub(fund).sponsor(await sponsorInput("poor"));
      expect(refused).toMatchObject({
        error: { reason: "balance_too_low", details: expect.stringContaining(`${SUI_MIST} MIST more wait`) },
      });
    }
    cause = "";
    await stub(fund).refresh();
    const left = (await stub(fund).view())?.unconverted;
    expect(left).toMatchObject({
      failingSinceMs: null,
      cause: `less than ${NOT_CONVERTED_BELOW_MIST} MIST is not worth a transaction`,
    });
    expect(left?.amountAtoms).toBeLessThan(NOT_CONVERTED_BELOW_MIST);
    await executeOnChain(await sponsor(fund, "first"));
    log.mockRestore();
  },
);
