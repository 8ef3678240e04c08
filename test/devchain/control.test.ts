import { Transaction } from "@mysten/sui/transactions";
import { expect, test } from "vitest";
import { DEMO_PACKAGE } from "./demo.ts";
import { signAll, startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const EXECUTE = "TransactionExecutionService/ExecuteTransaction";

async function mint({ client, account }: TestChain) {
  const signer = await account(SUI);
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
  transaction.setSender(signer.toSuiAddress());
  const bytes = await transaction.build({ client });
  return { bytes, signatures: await signAll(bytes, signer), digest: await transaction.getDigest({ client }) };
}

test("the faucet pays one coin and says which", async () => {
  const { client, control } = await startChain();
  const address = `0x${"0a".repeat(32)}`;
  const response = await control("POST", "/faucet", { network: "SUI_LOCALNET", address, amount: "12345" });
  expect(response.status).toBe(200);
  const body = await response.json();
  const [coin] = (await client.listCoins({ owner: address })).objects;
  expect(body).toEqual({
    network: "SUI_LOCALNET",
    address,
    amount: "12345",
    digest: expect.any(String),
    objectId: coin?.objectId,
  });
  expect(coin?.balance).toBe("12345");
});

test("faucet payments that come at once are all paid", async () => {
  const { client, fund } = await startChain();
  const owner = `0x${"0a".repeat(32)}`;
  await Promise.all(Array.from({ length: 20 }, () => fund(owner, SUI)));
  expect((await client.getBalance({ owner })).balance.balance).toBe(String(20n * SUI));
});

test.each([
  ["/faucet", { network: "SUI_MAINNET", address: `0x${"0a".repeat(32)}`, amount: "1" }, "network"],
  ["/faucet", { network: "SUI_LOCALNET", address: "0x5", amount: "1" }, "address"],
  ["/faucet", { network: "SUI_LOCALNET", address: `0x${"0a".repeat(32)}`, amount: "0" }, "amount"],
  ["/faucet", { network: "SUI_LOCALNET", address: `0x${"0a".repeat(32)}`, amount: "9".repeat(18) }, "amount"],
  ["/control/epoch", { advance: 0 }, "advance"],
  ["/control/epoch", { advance: 1, referenceGasPrice: "1e3" }, "referenceGasPrice"],
  ["/control/fault", { method: "LedgerService/GetEpochs", mode: "unavailable", times: 1 }, "GetEpochs"],
  ["/control/fault", { method: "LedgerService/GetEpoch", mode: "drop_after_commit", times: 1 }, "mode"],
  ["/control/fault", { method: EXECUTE, mode: "explode", times: 1 }, "mode"],
])("bad input to %s is answered 400 with what is wrong: %j", async (path, body, word) => {
  const { control } = await startChain();
  const response = await control("POST", path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringContaining(word) });
});

test("the root names the routes and unknown ones are 404", async () => {
  const { control } = await startChain();
  expect(await (await control("GET", "/")).text()).toContain("/faucet");
  expect((await control("GET", "/control/nothing")).status).toBe(404);
  expect(await (await control("GET", "/control/health")).json()).toMatchObject({ ok: true, sui: { epoch: "0" } });
});

test("calls are counted until the count is cleared", async () => {
  const { client, control } = await startChain();
  await client.getReferenceGasPrice();
  await client.getReferenceGasPrice();
  expect(await (await control("GET", "/control/calls")).json()).toEqual({ "LedgerService/GetEpoch": 2 });
  await control("DELETE", "/control/calls");
  expect(await (await control("GET", "/control/calls")).json()).toEqual({});
});

test("the epoch moves, starts now and takes a new price", async () => {
  const { client, clock, control } = await startChain();
  clock.nowMs += 5_000;
  await control("POST", "/control/epoch", { advance: 2, referenceGasPrice: "1500" });
  const { systemState } = await client.getCurrentSystemState();
  expect(systemState).toMatchObject({
    epoch: "2",
    referenceGasPrice: "1500",
    epochStartTimestampMs: String(clock.nowMs),
  });
  const first = await client.ledgerService.getEpoch({ epoch: 0n });
  expect(first.response.epoch?.referenceGasPrice).toBe(1_000n);
});

test("a fault before the commit leaves no transaction behind", async () => {
  const chain = await startChain();
  const { bytes, signatures, digest } = await mint(chain);
  await chain.control("POST", "/control/fault", { method: EXECUTE, mode: "unavailable_before_commit", times: 1 });
  const attempt = () => chain.client.executeTransaction({ transaction: bytes, signatures });
  await expect(attempt()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(chain.client.getTransaction({ digest })).rejects.toMatchObject({ reason: "notFound" });
  expect((await attempt()).$kind).toBe("Transaction");
});

test("a fault after the commit hides an outcome that the digest and a second attempt show", async () => {
  const chain = await startChain();
  const { bytes, signatures, digest } = await mint(chain);
  await chain.control("POST", "/control/fault", { method: EXECUTE, mode: "drop_after_commit", times: 1 });
  const attempt = () => chain.client.executeTransaction({ transaction: bytes, signatures });
  await expect(attempt()).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: "timed-out before finality could be reached",
  });
  expect((await chain.client.getTransaction({ digest })).$kind).toBe("Transaction");
  expect((await attempt()).Transaction?.digest).toBe(digest);
});

test("a fault hits its own method, as often as it was ordered, and can be taken back", async () => {
  const { client, control } = await startChain();
  const order = { method: "LedgerService/GetEpoch", mode: "unavailable", times: 2 };
  await control("POST", "/control/fault", order);
  await client.getChainIdentifier();
  await expect(client.getReferenceGasPrice()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(client.getReferenceGasPrice()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(client.getReferenceGasPrice()).resolves.toBeDefined();
  await control("POST", "/control/fault", order);
  await control("DELETE", "/control/fault");
  await expect(client.getReferenceGasPrice()).resolves.toBeDefined();
});
