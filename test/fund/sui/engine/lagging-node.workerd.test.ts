import { afterEach, expect } from "vitest";
import { expectExactBooks } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { give, orderLag, STALE } from "../../../support/sui-chain.ts";
import {
  execute,
  executeOnChain,
  newFund,
  newFundOfCoins,
  prepare,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  until,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

/** Longer than a full node takes (0.2 to 1 s), so that every read comes too early. */
const LAG_MS = 1_200;

const keyId = "key_00000000000000000001";

useStoppedClock();
afterEach(() => orderLag(0));

shortTest("one coin pays for execution after execution, though no read shows yet what the last one left", async () => {
  const fund = await newFund(19_000_000n);
  await orderLag(LAG_MS);
  for (let turn = 0; turn < 5; turn++) {
    const executed = await execute(fund, await prepare(fund, `turn ${turn}`));
    expect(executed).toMatchObject({ ok: true, value: { execution: { success: true } } });
  }
  await orderLag(0);
  await expectExactBooks(fund);
});

longTest("a revocation takes back all but what a user has just executed, which no node shows yet", async () => {
  const fund = await newFund(5n * SUI_MIST);
  const leaked = await Promise.all(
    Array.from({ length: 8 }, (_, index) => sponsor(fund, `leaked ${index}`, { keyId })),
  );
  await orderLag(LAG_MS / 2);
  for (const used of leaked.slice(0, 2)) await executeOnChain(used);
  expect(await stub(fund).revoke(keyId)).toEqual({ revoked: 6, tooLate: 2, irrevocable: 0, pending: 0 });
  await orderLag(0);
  for (const unused of leaked.slice(2)) expect(await submitAsUser(unused)).toMatch(STALE);
  await expectExactBooks(fund);
});

longTest("a revocation takes back coins that no node shows yet", async () => {
  const fund = await newFund(5n * SUI_MIST);
  await orderLag(LAG_MS / 2);
  // Each coin comes back at a version that is not shown yet.
  const signed = [];
  for (let turn = 0; turn < 3; turn++) {
    await execute(fund, await prepare(fund, `turn ${turn}`));
    signed.push(await sponsor(fund, `leaked ${turn}`, { keyId }));
  }
  expect(await stub(fund).revoke(keyId)).toEqual({ revoked: 3, tooLate: 0, irrevocable: 0, pending: 0 });
  await orderLag(0);
  for (const unused of signed) expect(await submitAsUser(unused)).toMatch(STALE);
  await expectExactBooks(fund);
});

longTest("a reconciliation right after an execution waits until the node shows it", async () => {
  const fund = await newFundOfCoins(2);
  await orderLag(LAG_MS / 2);
  await execute(fund, await prepare(fund, "just now"));
  expect(await stub(fund).reconcile()).toMatchObject({ ok: true, value: { exact: true, differences: [] } });
});

longTest("a listing that is behind neither revives a coin that was merged, nor takes back a version", async () => {
  const fund = await newFundOfCoins(2);
  await orderLag(LAG_MS);
  const budget = { gasBudgetMist: 15_000_000n };
  expect(await execute(fund, await prepare(fund, "merges", budget))).toMatchObject({ ok: true });
  await stub(fund).refresh();
  await execute(fund, await prepare(fund, "small"));
  await stub(fund).refresh();
  await orderLag(0);
  await stub(fund).refresh();
  await expectExactBooks(fund);
});

shortTest("a deposit is found once the node shows it, and lent at once", async () => {
  const fund = await newFundOfCoins(0);
  await orderLag(LAG_MS / 2);
  await give(fund.address, 9_000_000n);
  await until(async () => {
    await stub(fund).refresh();
    return (await stub(fund).view())?.balanceAtoms === 9_000_000n;
  });
  expect(await execute(fund, await prepare(fund, "paid"))).toMatchObject({ ok: true });
});
