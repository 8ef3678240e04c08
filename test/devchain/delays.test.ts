import { Transaction } from "@mysten/sui/transactions";
import { expect, test } from "vitest";
import { APT, startAptosChain } from "./aptos-testing.ts";
import { nodeSql } from "./node-sql.ts";
import { signAll, startChain } from "./testing.ts";

/** As the Worker of the chain has it, but for the time that an execution waits for an input. */
const DELAYS = { suiLagMs: 250, aptosLagMs: 250, inputWaitMs: 200 };
const SUI = 1_000_000_000n;
/** The lag, and the checkpoint that was being made. */
const SHOWN_AFTER_MS = 500;

test("an execution is answered at once, and every read shows it a checkpoint later, also after a restart", async () => {
  const sql = nodeSql();
  const first = await startChain(sql, "binary", DELAYS);
  const user = await first.account(SUI);
  const owner = user.toSuiAddress();
  expect((await first.client.listCoins({ owner })).objects).toEqual([]);
  first.clock.nowMs += SHOWN_AFTER_MS;
  const [coin] = (await first.client.listCoins({ owner })).objects;
  if (coin === undefined) throw new Error("the coin is not shown");

  const transaction = new Transaction();
  transaction.setSender(owner);
  transaction.setGasPayment([coin]);
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1_000])], owner);
  const bytes = await transaction.build({ client: first.client });
  const [signature = ""] = await signAll(bytes, user);
  const executed = await first.client.executeTransaction({
    transaction: bytes,
    signatures: [signature],
    include: { effects: true },
  });
  const digest = executed.Transaction?.digest ?? "";
  expect(executed.Transaction?.effects?.status).toMatchObject({ success: true });
  await expect(first.client.getTransaction({ digest })).rejects.toThrow("not found");
  const stale = (await first.client.getObject({ objectId: coin.objectId })).object.version;
  expect(stale, "a listing gives a version that is consumed already").toBe(coin.version);

  const second = await startChain(sql, "binary", DELAYS);
  second.clock.nowMs = first.clock.nowMs;
  await expect(second.client.getTransaction({ digest })).rejects.toThrow("not found");
  second.clock.nowMs += SHOWN_AFTER_MS;
  expect((await second.client.getTransaction({ digest })).Transaction?.digest).toBe(digest);
  expect((await second.client.getBalance({ owner })).balance.balance).not.toBe(String(SUI));
});

test("an execution waits for an input that comes in time", async () => {
  const chain = await startChain(undefined, "binary", { ...DELAYS, suiLagMs: 0, inputWaitMs: 10_000 });
  const user = await chain.account(SUI);
  const owner = user.toSuiAddress();
  const [coin] = (await chain.client.listCoins({ owner })).objects;
  if (coin === undefined) throw new Error("the coin is not shown");
  const build = (change: (transaction: Transaction) => void, version: string, digest: string) => {
    const transaction = new Transaction();
    transaction.setSender(owner);
    transaction.setGasPayment([{ objectId: coin.objectId, version, digest }]);
    transaction.setGasPrice(1_000);
    transaction.setGasBudget(5_000_000);
    transaction.setExpiration({ None: true });
    change(transaction);
    return transaction.build();
  };
  const split = (transaction: Transaction) => {
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [7])], owner);
  };
  const before = await build(split, coin.version, coin.digest);
  const foreseen = await chain.client.simulateTransaction({ transaction: before, include: { effects: true } });
  const after = foreseen.Transaction?.effects?.changedObjects.find(({ objectId }) => objectId === coin.objectId);
  const next = await build(split, after?.outputVersion ?? "", after?.outputDigest ?? "");
  const submit = async (bytes: Uint8Array) =>
    chain.client.executeTransaction({ transaction: bytes, signatures: await signAll(bytes, user), include: {} });
  const waiting = submit(next);
  await submit(before);
  expect((await waiting).Transaction?.status).toMatchObject({ success: true });
});

test("an Aptos node shows what was committed a lag later, and calls it pending until then; its indexer comes after it", async () => {
  // Longer than a machine pauses: the clock of this chain runs on by itself.
  const lagMs = 600_000;
  const { aptos, clock, fund } = await startAptosChain(undefined, { ...DELAYS, aptosLagMs: lagMs });
  const accountAddress = `0x${"7".repeat(64)}`;
  const { hash: transactionHash } = await fund(accountAddress, APT);
  const balance = () => aptos.getAccountAPTAmount({ accountAddress });
  const type = async () => (await aptos.getTransactionByHash({ transactionHash })).type;
  expect([await balance(), await type()]).toEqual([0, "pending_transaction"]);
  clock.aheadMs += lagMs + 1_000;
  expect([await balance(), await type()]).toEqual([Number(APT), "user_transaction"]);
  expect(await aptos.getAccountCoinsCount({ accountAddress })).toBe(0);
  clock.aheadMs += lagMs;
  expect(await aptos.getAccountCoinsCount({ accountAddress })).toBe(1);
});
