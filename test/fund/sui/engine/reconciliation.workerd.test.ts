import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { addEntry } from "../../../../shared/fund/ledger/usage.ts";
import type { Reconciliation } from "../../../../shared/fund/views.ts";
import { coinsOf, expectExactBooks, ledgerOf, onDisk, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { balanceOnChain, coinsOnChain, give, nodeDown, orderFault, SUBMIT } from "../../../support/sui-chain.ts";
import {
  bindings,
  crash,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  platformStub,
  SUI_MIST,
  settings,
  sponsor,
  stub,
  submitAsUser,
  type TestFund,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

useStoppedClock();

async function reconcile(fund: TestFund): Promise<Reconciliation> {
  const outcome = await stub(fund).reconcile();
  if (outcome === null || !outcome.ok) throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

shortTest("guarantee 3: is exact when nothing is open: every coin, version and MIST", async () => {
  const fund = await newFund(5n * SUI_MIST);
  await executeOnChain(await sponsor(fund, "executed"));
  await sponsor(fund, "in flight");
  await liveFor(fund, MINUTE_MS);
  const chain = await balanceOnChain(fund.address);
  const coins = await coinsOnChain(fund.address);
  expect(await reconcile(fund)).toEqual({
    coins: coins.length,
    bookedCoinsAtoms: chain.coinMist,
    coinsOnChainAtoms: chain.coinMist,
    bookedAddressBalanceAtoms: 0n,
    addressBalanceOnChainAtoms: 0n,
    differences: [],
    exact: true,
  });
});

longTest("settles what has executed, in time or after its hour, and finds deposits", async () => {
  const fund = await newFund(5n * SUI_MIST);
  const late = await sponsor(fund, "late");
  pass(HOUR_MS);
  await stub(fund).status(late.digest);
  const executed = await sponsor(fund, "in time");
  await executeOnChain(executed);
  expect(await submitAsUser(late)).toBe("executed");
  await give(fund.address, SUI_MIST);
  await give(fund.address, 5n, "address_balance");
  expect(await reconcile(fund)).toMatchObject({ exact: true, differences: [], bookedAddressBalanceAtoms: 5n });
  expect(await statesOf(fund, [executed, late])).toEqual(["complete", "complete"]);
  await expectExactBooks(fund);
});

shortTest("names the open transaction that explains a difference, until an alarm has settled it", async () => {
  const fund = await newFund();
  await orderFault(SUBMIT, "drop_after_commit", 1);
  await give(fund.address, SUI_MIST);
  await stub(fund).refresh();
  const [split] = await ownTransactions(fund, "split");
  expect(split).toMatchObject({ state: "pending" });
  const { exact, differences } = await reconcile(fund);
  expect(exact).toBe(false);
  const source = differences.find(({ objectId }) => objectId === split?.gasObjectId);
  expect(source).toMatchObject({ bookedAtoms: SUI_MIST, cause: split?.digest });
  for (const { cause } of differences) expect(cause, "every difference has its cause").toBe(split?.digest);
  await liveFor(fund, MINUTE_MS);
  expect(await reconcile(fund)).toMatchObject({ exact: true });
  await expectExactBooks(fund);
});

longTest("shows a coin of the books that the chain does not have, and does not paint over it", async () => {
  const fund = await newFund(SUI_MIST);
  const objectId = `0x${"0".repeat(64)}`;
  await onDisk(fund, (store) => {
    const lost = {
      version: 1n,
      digest: "lost",
      balanceMist: 7n,
      state: "free",
      heldByDigest: null,
      maintenance: false,
    } as const;
    store.transact(() => store.putCoin({ objectId, ...lost }));
  });
  const difference = { objectId, bookedAtoms: 7n, onChainAtoms: null, cause: null };
  for (let round = 0; round < 2; round++)
    expect(await reconcile(fund)).toMatchObject({ exact: false, differences: [difference] });
});

shortTest(
  "takes a free coin's balance from the chain where the books have it wrong, with a ledger row of the difference",
  async () => {
    const fund = await newFund(SUI_MIST);
    const [coin] = await coinsOf(fund);
    if (coin === undefined) throw new Error("the fund has no coin");
    // As effects that were believed and are wrong leave it: the coin and its ledger agree, and the chain does not.
    const wrong = { atMs: 0, kind: "adjustment", reference: "wrong", balanceAtoms: 1n } as const;
    await onDisk(fund, (store) =>
      store.transact(() => {
        store.putCoin({ ...coin, balanceMist: coin.balanceMist + 1n });
        addEntry(store, wrong);
      }),
    );
    // An instance reads this once, and then holds it in memory.
    await crash();
    expect(await reconcile(fund)).toMatchObject({ exact: true });
    expect((await ledgerOf(fund)).at(-1)).toMatchObject({
      kind: "adjustment",
      reference: coin.objectId,
      balanceAtoms: -1n,
    });
  },
);

longTest("of a fund that pays from its address balance is exact too", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  const sponsored = await sponsor(fund, "executed");
  await executeOnChain(sponsored);
  await give(fund.address, 7n, "address_balance");
  const { addressBalanceMist } = await balanceOnChain(fund.address);
  expect(await reconcile(fund)).toMatchObject({
    exact: true,
    coins: 0,
    bookedAddressBalanceAtoms: addressBalanceMist,
    addressBalanceOnChainAtoms: addressBalanceMist,
  });
  expect(await statesOf(fund, [sponsored])).toEqual(["complete"]);
});

longTest(
  "is not exact where the ledger adds up to something else than the coins, although these are the chain's",
  async () => {
    const fund = await newFund(5n * SUI_MIST);
    await runInDurableObject(platformStub(fund), (_, { storage }) => {
      storage.sql.exec("UPDATE totals SET balance_atoms = CAST(CAST(balance_atoms AS INTEGER) + 1 AS TEXT)");
    });
    // An instance reads this once, and then holds it in memory.
    await crash();
    expect(await reconcile(fund)).toMatchObject({ exact: false, differences: [] });
  },
);

shortTest("is refused where no node answers, and trivial for a fund without an address", async () => {
  const fund = await newFund(SUI_MIST);
  await nodeDown();
  expect(await stub(fund).reconcile()).toMatchObject({ error: { reason: "node_unavailable" } });
  const id = "fund_000000000000000000ab";
  await bindings.FUND.getByName(id).create(settings(id));
  expect(await bindings.FUND.getByName(id).reconcile()).toMatchObject({ value: { coins: 0, exact: true } });
});
