import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { aptosGas as gasInterface } from "../../../shared/api/aptos-gas.ts";
import { aptosWallet } from "../../../shared/api/aptos-wallet.ts";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import { admin } from "../../harness/harness.ts";
import { aptosGas, entryFunction, newAptosFund, newAptosKey, rawTransaction, refusalOf } from "../../support/aptos.ts";
import { addressIn, call, newSession } from "./app.ts";

const ON_CHAIN = ["wal_initializeWalletOnChain", "wal_createWalletOnChain", "wal_executeGaslessTransaction"];

/** Calls with params that are good enough to get past the rights, or not. */
async function refusedForRights(key: string, method: string): Promise<boolean> {
  const answer = method.startsWith("gas_") ? await aptosGas(key, method, []) : await call(key, method, []);
  if (answer.status !== 401) return false;
  expect(refusalOf(answer)).toEqual({ code: -32001, reason: "missing_right" });
  return true;
}

const walletMethods = aptosWallet.methods.map(({ name }) => name);
const gasMethods = gasInterface.methods.map(({ name }) => name);

test.each([
  [["wallet"], [...ON_CHAIN, ...gasMethods]],
  [["gas"], walletMethods],
  [["node"], [...walletMethods, ...gasMethods]],
  [["wallet", "gas"], ON_CHAIN],
  [
    ["wallet", "node"],
    [...ON_CHAIN, ...gasMethods],
  ],
  [["gas", "node"], walletMethods],
  [["wallet", "gas", "node"], []],
])("a key with the rights %j cannot do %j, and everything else", async (rights, refused) => {
  const fund = await newAptosFund(0n);
  const { key } = await newAptosKey(fund, { rights, fundId: rights.includes("gas") ? fund.fundId : null });
  const asked = [...walletMethods, ...gasMethods];
  const refusals = await Promise.all(asked.map((method) => refusedForRights(key, method)));
  expect(asked.filter((_, index) => refusals[index])).toEqual(asked.filter((method) => refused.includes(method)));
});

test("a key for wallets alone makes sessions and wallets, shows them and signs with them", async () => {
  const fund = await newAptosFund(0n);
  const { key } = await newAptosKey(fund, { rights: ["wallet"], fundId: null });
  const token = await newSession(key, randomBytes(32).toString("hex"));
  const address = addressIn(await call(key, "wal_createWallet", ["user-1", token]));
  expect(addressIn(await call(key, "wal_getWallet", ["user-1"]))).toBe(address);
  const raw = await rawTransaction(address, entryFunction(`${APTOS_DEMO_MODULE}::increment`, []));
  expect(await call(key, "wal_signTransaction", ["user-1", token, raw.bcsToHex().toString()])).toMatchObject({
    status: 200,
    body: { result: { signature: expect.any(Array) } },
  });
});

test("a key with the gas right needs a fund of its own project and network", async () => {
  const [fund, other] = [await newAptosFund(0n), await newAptosFund(0n)];
  const ask = (fields: object) =>
    admin("POST", `/projects/${fund.projectId}/keys`, {
      name: "key",
      network: "APTOS_LOCALNET",
      rights: ["gas"],
      fundId: fund.fundId,
      ...fields,
    });
  for (const [fields, words] of [
    [{ fundId: null }, "needs a fundId"],
    [{ fundId: other.fundId }, "no fund of this id"],
    [{ network: "APTOS_TESTNET" }, "the fund is on APTOS_LOCALNET"],
    [{ network: "SUI_LOCALNET" }, "the fund is on APTOS_LOCALNET"],
  ] as const)
    expect(await ask(fields)).toMatchObject({ status: 422, body: { detail: expect.stringContaining(words) } });
  expect((await ask({})).status).toBe(201);
});

test("a fund on Aptos has one mode, and limits in octas of their own", async () => {
  const { projectId } = await newAptosFund(0n);
  const ask = (fields: object) =>
    admin("POST", `/projects/${projectId}/funds`, { name: "fund", network: "APTOS_LOCALNET", ...fields });
  expect(await ask({ mode: "address_balance" })).toMatchObject({ status: 422 });
  expect(await ask({ mode: "coin" })).toMatchObject({ status: 422 });
  expect(await ask({})).toMatchObject({
    status: 201,
    body: {
      mode: "fungible_store",
      balance: "0",
      policy: { maxGasBudget: "200000000", maxSpendPerDay: "10000000000" },
      depositAddress: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    },
  });
});
