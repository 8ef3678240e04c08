import { expect, test } from "vitest";
import { APTOS_DEMO_MODULE, DEMO_PACKAGE } from "./demo.ts";
import { startChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const EXECUTE = "TransactionExecutionService/ExecuteTransaction";

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

test("the chain names the demo package and the demo module that it runs", async () => {
  const { client, control } = await startChain();
  const answer: unknown = await (await control("GET", "/control/demo")).json();
  const [address, module] = APTOS_DEMO_MODULE.split("::");
  expect(answer).toEqual({ sui: { package: DEMO_PACKAGE }, aptos: { address, module } });
  const mint = await client.getMoveFunction({ packageId: DEMO_PACKAGE, moduleName: "demo", name: "mint" });
  expect(mint.function.name).toBe("mint");
});

test.each([
  ["/faucet", { network: "SUI_MAINNET", address: `0x${"0a".repeat(32)}`, amount: "1" }, "network"],
  ["/faucet", { network: "SUI_LOCALNET", address: "0x5", amount: "1" }, "address"],
  ["/faucet", { network: "SUI_LOCALNET", address: `0x${"0a".repeat(32)}`, amount: "0" }, "amount"],
  ["/faucet", { network: "SUI_LOCALNET", address: `0x${"0a".repeat(32)}`, amount: "9".repeat(18) }, "amount"],
  ["/control/epoch", { advance: 0 }, "advance"],
  ["/control/epoch", { advance: 1, referenceGasPrice: "1e3" }, "referenceGasPrice"],
  ["/control/price", { referenceGasPrice: "0" }, "referenceGasPrice"],
  ["/control/lag", { endpoint: "A", lagMs: 1 }, "endpoint"],
  ["/control/lag", { endpoint: "a", lagMs: -1 }, "lagMs"],
  ["/control/release", { release: "1.0" }, "release"],
  ["/control/fault", { method: "LedgerService/GetEpochs", mode: "unavailable", times: 1 }, "GetEpochs"],
  ["/control/fault", { method: "LedgerService/GetEpoch", mode: "drop_after_commit", times: 1 }, "mode"],
  ["/control/fault", { method: "LedgerService/GetEpoch", mode: "lock_conflict", times: 1 }, "mode"],
  ["/control/fault", { method: EXECUTE, mode: "explode", times: 1 }, "mode"],
  ["/control/fault", { method: EXECUTE, mode: "hang", times: 0 }, "times"],
  ["/control/fault", { method: EXECUTE, mode: "hang", times: 1, endpoint: "a/b" }, "endpoint"],
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

test("the root names every control route", async () => {
  const { control } = await startChain();
  const about = await (await control("GET", "/")).text();
  for (const name of ["health", "calls", "epoch", "price", "lag", "release", "fault", "reset"]) {
    expect(about).toContain(`/control/${name}`);
  }
});

test("calls are counted until the count is cleared", async () => {
  const { client, control } = await startChain();
  await client.getReferenceGasPrice();
  await client.getReferenceGasPrice();
  expect(await (await control("GET", "/control/calls")).json()).toEqual({ "LedgerService/GetEpoch": 2 });
  await control("DELETE", "/control/calls");
  expect(await (await control("GET", "/control/calls")).json()).toEqual({});
});

test("each endpoint counts its own calls", async () => {
  const { client, clientOf, control } = await startChain();
  const calls = async (query = "") => (await control("GET", `/control/calls${query}`)).json();
  await client.getReferenceGasPrice();
  await clientOf("a").getChainIdentifier();
  await clientOf("a").getReferenceGasPrice();
  expect(await calls()).toEqual({ "LedgerService/GetEpoch": 1 });
  expect(await calls("?endpoint=default")).toEqual({ "LedgerService/GetEpoch": 1 });
  expect(await calls("?endpoint=a")).toEqual({ "LedgerService/GetEpoch": 1, "LedgerService/GetServiceInfo": 1 });
  expect(await calls("?endpoint=b")).toEqual({});
  await control("DELETE", "/control/calls?endpoint=a");
  expect(await calls("?endpoint=a")).toEqual({});
  expect(await calls()).toEqual({ "LedgerService/GetEpoch": 1 });
  await control("DELETE", "/control/calls");
  expect(await calls()).toEqual({});
  expect((await control("GET", "/control/calls?endpoint=A")).status).toBe(400);
});

test("a new price waits for the next epoch, and stays", async () => {
  const { client, control } = await startChain();
  const health = await (await control("POST", "/control/price", { referenceGasPrice: "1500" })).json();
  expect(health).toMatchObject({ sui: { referenceGasPrice: "1000", nextReferenceGasPrice: "1500" } });
  expect(await client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
  for (const _ of [1, 2]) {
    await control("POST", "/control/epoch", { advance: 1 });
    expect(await client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1500" });
  }
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
