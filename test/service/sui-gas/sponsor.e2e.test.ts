import { Transaction, TransactionDataBuilder } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { expect } from "vitest";
import * as z from "zod";
import { sui } from "../../harness/harness.ts";
import { longTest, shortCases, shortTest } from "../../support/rounds.ts";
import {
  BUDGET,
  BUDGET_MIST,
  chainNowMs,
  fundWithKey,
  gasPayment,
  getFund,
  netMist,
  newUser,
  post,
  sponsor,
  sponsorshipRows,
  status,
  submitSponsored,
} from "../../support/sui-gas.ts";
import { incrementKind, mintKind } from "../../support/sui-transactions.ts";

const REFERENCE_GAS_PRICE = 1_000n;
const HOUR_SECONDS = 3_600;

shortCases.each([
  ["with a budget", BUDGET],
  ["without a budget", undefined],
])(
  "sponsored %s: the stock SDK reads, verifies and executes it, and the fund pays what the chain charged",
  async (_, gasBudget) => {
    const fund = await fundWithKey(2);
    const user = newUser();
    const sender = user.toSuiAddress();
    const kind = await mintKind();
    const before = await getFund(fund.key);

    const sponsored = await sponsor(fund.key, kind, sender, gasBudget);
    const bytes = fromBase64(sponsored.txBytes);
    const decoded = Transaction.from(bytes);
    expect(await decoded.build({ onlyTransactionKind: true })).toEqual(kind);
    const { sender: decodedSender, gasData, expiration } = decoded.getData();
    expect(decodedSender).toBe(sender);
    expect(gasData.owner).toBe(fund.depositAddress);
    expect(gasData.price).toBe(REFERENCE_GAS_PRICE.toString());
    if (gasBudget !== undefined) expect(gasData.budget).toBe(gasBudget);

    const [coin, ...others] = gasPayment(sponsored.txBytes);
    if (coin === undefined) throw new Error("no gas payment");
    expect(others).toEqual([]);
    const { object } = await sui.getObject({ objectId: coin.objectId });
    expect(object).toMatchObject({
      version: coin.version,
      digest: coin.digest,
      owner: { $kind: "AddressOwner", AddressOwner: fund.depositAddress },
    });

    const { epoch } = (await sui.ledgerService.getEpoch({ readMask: { paths: ["epoch"] } })).response.epoch ?? {};
    // Covers the hour from any moment of the current epoch on, and ends.
    expect(expiration).toMatchObject({ Epoch: Number(epoch) + 1 });

    expect(sponsored.txDigest).toBe(TransactionDataBuilder.getDigestFromBytes(bytes));
    const signer = await verifyTransactionSignature(bytes, sponsored.signature);
    expect(signer.toSuiAddress()).toBe(fund.depositAddress);

    expect(await status(fund.key, sponsored.txDigest)).toBe("IN_FLIGHT");
    expect(await getFund(fund.key)).toMatchObject({ balance: before.balance, inFlight: BigInt(gasData.budget ?? 0) });
    const executed = await submitSponsored(user, sponsored);
    expect(executed.status.success).toBe(true);
    expect(executed.digest).toBe(sponsored.txDigest);
    expect(await status(fund.key, sponsored.txDigest)).toBe("COMPLETE");
    expect(await getFund(fund.key)).toEqual({
      ...before,
      balance: before.balance - netMist(executed.effects.gasUsed),
      inFlight: 0n,
    });
    expect((await sui.getBalance({ owner: fund.depositAddress })).balance.balance).toBe(
      (await getFund(fund.key)).balance.toString(),
    );
  },
);

longTest("a sponsorship expires one hour after its creation, to the second", async () => {
  const fund = await fundWithKey();
  const beforeMs = await chainNowMs();
  const { expireAtTime } = await sponsor(fund.key, await mintKind(), newUser().toSuiAddress(), BUDGET);
  const afterMs = await chainNowMs();
  const [row] = await sponsorshipRows(fund.fundId);
  if (row === undefined) throw new Error("no row");
  // Whole seconds, rounded down: nobody may believe in a gas object for longer than it is assigned.
  expect(row.expiresAt.getTime()).toBe(expireAtTime * 1_000);
  const lastsMs = row.expiresAt.getTime() - row.createdAt.getTime();
  expect(lastsMs).toBeLessThanOrEqual(HOUR_SECONDS * 1_000);
  expect(lastsMs).toBeGreaterThan(HOUR_SECONDS * 1_000 - 1_000);
  expect(expireAtTime - HOUR_SECONDS).toBeGreaterThanOrEqual(Math.floor(beforeMs / 1_000));
  expect(expireAtTime - HOUR_SECONDS).toBeLessThanOrEqual(afterMs / 1_000);
});

shortTest("a transaction that aborts on chain is COMPLETE, and the fund pays for it", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const before = await getFund(fund.key);
  const sponsored = await sponsor(fund.key, await incrementKind(0n), user.toSuiAddress(), BUDGET);
  const executed = await submitSponsored(user, sponsored);
  expect(executed.status.success).toBe(false);
  expect(await status(fund.key, sponsored.txDigest)).toBe("COMPLETE");
  const chargedMist = netMist(executed.effects.gasUsed);
  expect(chargedMist).toBeGreaterThan(0n);
  expect(await getFund(fund.key)).toMatchObject({ balance: before.balance - chargedMist, inFlight: 0n });
});

/** `computeGasBudget` of the SDK, over a dry run of our own with the stock client. */
async function sdkBudgetMist(kind: Uint8Array, sender: string, gasOwner: string): Promise<bigint> {
  const transaction = Transaction.fromKind(kind);
  transaction.setSender(sender);
  transaction.setGasOwner(gasOwner);
  transaction.setGasPayment([]);
  transaction.setGasPrice(REFERENCE_GAS_PRICE);
  transaction.setGasBudget(50_000_000_000n);
  transaction.setExpiration({ None: true });
  const simulated = await sui.simulateTransaction({
    transaction: await transaction.build(),
    include: { effects: true },
    doGasSelection: false,
  });
  const { gasUsed } = (simulated.Transaction ?? simulated.FailedTransaction).effects;
  const computationMist = BigInt(gasUsed.computationCost) + 1_000n * REFERENCE_GAS_PRICE;
  const withStorageMist = computationMist + BigInt(gasUsed.storageCost) - BigInt(gasUsed.storageRebate);
  return withStorageMist > computationMist ? withStorageMist : computationMist;
}

longTest.each([
  ["5 %", "only owned objects", () => mintKind(), 105n],
  ["25 %", "a shared object", () => incrementKind(), 125n],
])(
  "an automatic budget is the SDK's and %s on top for a transaction with %s",
  async (_percent, _objects, makeKind, percent) => {
    const fund = await fundWithKey();
    const sender = newUser().toSuiAddress();
    const kind = await makeKind();
    const { txBytes } = await sponsor(fund.key, kind, sender);
    const budgetMist = BigInt(Transaction.from(fromBase64(txBytes)).getData().gasData.budget ?? 0);
    const sdkMist = await sdkBudgetMist(kind, sender, fund.depositAddress);
    expect(budgetMist).toBe((sdkMist * percent + 99n) / 100n);
  },
);

const answerSchema = z.object({ id: z.literal(1), result: z.object({ txBytes: z.base64() }) });

longTest(
  "budget and price are taken as string and as number, by position and by name, and null skips one",
  async () => {
    const fund = await fundWithKey(7);
    const sender = newUser().toSuiAddress();
    const kind = await mintKind();
    const gasOf = async (params: object) => {
      const call = { jsonrpc: "2.0", id: 1, method: "gas_sponsorTransactionBlock", params };
      const { body } = await post(fund.key, call);
      const { result } = answerSchema.parse(body);
      const { budget, price } = Transaction.from(fromBase64(result.txBytes)).getData().gasData;
      return { budget, price };
    };
    const transactionBytes = toBase64(kind);
    const both = { budget: "6000000", price: "2000" };
    expect(await gasOf([transactionBytes, sender, "6000000", "2000"])).toEqual(both);
    expect(await gasOf([transactionBytes, sender, 6_000_000, 2_000])).toEqual(both);
    expect(await gasOf({ transactionBytes, sender, gasBudget: "6000000", gasPrice: 2_000 })).toEqual(both);
    expect(await gasOf({ gasPrice: "2000", gasBudget: 6_000_000, sender, transactionBytes })).toEqual(both);
    expect(await gasOf([transactionBytes, sender, BUDGET, null])).toEqual({ budget: BUDGET, price: "1000" });

    const skipped = await gasOf([transactionBytes, sender, null, 2_000]);
    expect(skipped.price).toBe("2000");
    // Not the default of anything: twice the price makes the computation and the margin dearer, the storage not.
    const atReference = await gasOf({ transactionBytes, sender });
    expect(BigInt(skipped.budget ?? 0)).toBeGreaterThan(BigInt(atReference.budget ?? 0));
    expect(atReference.price).toBe("1000");
    expect((await getFund(fund.key)).inFlight).toBe(
      4n * 6_000_000n + BUDGET_MIST + BigInt(skipped.budget ?? 0) + BigInt(atReference.budget ?? 0),
    );
  },
);

shortTest("gas_getFund needs no params member", async () => {
  const fund = await fundWithKey();
  const { body } = await post(fund.key, { jsonrpc: "2.0", id: 1, method: "gas_getFund" });
  expect(body).toMatchObject({ id: 1, result: { depositAddress: fund.depositAddress, inFlight: 0 } });
});
