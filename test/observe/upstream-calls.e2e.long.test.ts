import { toBase64 } from "@mysten/sui/utils";
import { afterEach, expect, test } from "vitest";
import { type HttpAnswer, http, JSON_HEADERS } from "../../shared/cli/client/http.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { GRAPHQL_URL, newNodeKey, REST_URL } from "../gateway/gateways.ts";
import { admin, chainUrl, gas, requestLineOf, resetServiceVars, setServiceVars } from "../harness/harness.ts";
import { call, newAptosApp, newWallet, pendingIn } from "../service/aptos-wallet/app.ts";
import { CLIENT_URL, EXECUTE_BLOCK, execute, newSuiApp, WALLET_URL } from "../service/sui-wallet/app.ts";
import {
  aptosGas,
  entryFunction,
  giveApt,
  jsonTransaction,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
  rawTransaction,
} from "../support/aptos.ts";
import { BUDGET, fundWithKey, newUser } from "../support/sui-gas.ts";
import { mintKind } from "../support/sui-transactions.ts";

/** Nobody listens at this port. */
const DEAD = "http://127.0.0.1:9";
const SOME_CALLS = expect.toSatisfy((calls: unknown) => typeof calls === "number" && calls > 0);

afterEach(resetServiceVars);

async function callsOf(asked: Promise<HttpAnswer>): Promise<unknown> {
  const answer = await asked;
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return (await requestLineOf(answer)).upstreamCalls;
}

test("a signature of a wallet takes no call to a node", async () => {
  const { key, token, walletId } = await newSuiApp();
  const signature = rpcCall(WALLET_URL, key, "svc_wal_signPersonalMessage", [walletId, token, "AAAA"]);
  expect(await callsOf(signature)).toBe(0);
});

test("the line of a sponsorship counts the fund's dry run, for a key that is new to the service and for a known one", async () => {
  const { key, keyId, fundId } = await fundWithKey(2);
  const params = [toBase64(await mintKind()), newUser().toSuiAddress()];
  const prepare = async () => requestLineOf(await gas(key, "gas_prepareTransactionBlock", params));
  for (const line of [await prepare(), await prepare()])
    expect(line).toMatchObject({ status: 200, keyId, fundId, upstreamCalls: SOME_CALLS });
  expect(await callsOf(gas(key, "gas_getFund", []))).toBe(0);
});

test("the line of a wallet's transaction on Sui counts the fund's calls", async () => {
  const app = await newSuiApp();
  expect(await callsOf(execute(app, await mintKind(), [BUDGET]))).toEqual(SOME_CALLS);
});

test("the line of a wallet's transaction block counts the read of the function that its answer shows", async () => {
  const app = await newSuiApp(4);
  // A new isolate knows the parameters of no function.
  await setServiceVars({});
  const block = async (options: object) =>
    callsOf(execute(app, await mintKind(), [BUDGET, options], { method: EXECUTE_BLOCK, url: CLIENT_URL }));
  await block({});
  const [first, again] = [await block({ showInput: true }), await block({ showInput: true })];
  expect(again).toEqual(SOME_CALLS);
  expect(first).toBe(Number(again) + 1);
});

test("the line of an encoded transaction on Aptos counts the reads of its function's module", async () => {
  const fund = await newAptosFund();
  const { key } = await newAptosKey(fund, { rights: ["gas"] });
  const user = newAccount().accountAddress.toString();
  await giveApt(user, OCTAS_PER_APT);
  const increment = `${APTOS_DEMO_MODULE}::increment` as const;
  const raw = await rawTransaction(user, entryFunction(increment, []));
  const transaction = jsonTransaction(raw, increment);
  const encodedFor = (maxGasUnits: string) =>
    aptosGas(key, "gas_encodeAndSponsorTransaction", [{ ...transaction, max_gas_amount: maxGasUnits }]);
  const bytes = () => aptosGas(key, "gas_sponsorTransaction", [raw.bcsToHex().toString(), []]);
  // The first one also reads what the fund remembers of the chain.
  await encodedFor("5001");
  expect(await callsOf(encodedFor("5002"))).toBe(Number(await callsOf(bytes())) + 1);
});

test("the line of a gasless transaction on Aptos names it, its fund and its key, and counts the fund's calls", async () => {
  const app = await newAptosApp();
  const { walletId, address } = await newWallet(app);
  await giveApt(address, OCTAS_PER_APT);
  const raw = await rawTransaction(address, entryFunction(`${APTOS_DEMO_MODULE}::increment`, []));
  const params = [walletId, app.token, raw.bcsToHex().toString(), []];
  const answer = await call(app.key, "wal_executeGaslessTransaction", params);
  const { hash: digest } = pendingIn(answer);
  const { keyId } = app;
  const { fundId } = app.fund;
  expect(await requestLineOf(answer)).toMatchObject({ digest, fundId, keyId, upstreamCalls: SOME_CALLS });
});

test("a read through a gateway counts each node that is asked, and each question for its network", async () => {
  const { key } = await newNodeKey();
  await setServiceVars({
    APTOS_LOCALNET_NODES: `${DEAD}/v1 ${chainUrl}/aptos/v1`,
    APTOS_LOCALNET_INDEXERS: `${DEAD}/graphql ${chainUrl}/aptos/graphql`,
  });
  const headers = { ...JSON_HEADERS, "x-api-key": key };
  const read = () => http(`${REST_URL}/transactions/by_version/1`, { headers });
  const query = () => http(GRAPHQL_URL, { method: "POST", headers, body: '{"query":"{ ledger_infos { chain_id } }"}' });
  const counted: unknown[] = [];
  for (const ask of [read, read, query, query]) counted.push(await callsOf(ask()));
  // A node that has failed comes last from then on. An indexer is asked for its network once, before its first query.
  expect(counted).toEqual([2, 1, 3, 1]);
});

test("the line of a gateway's refusal says why", async () => {
  const { key, keyId } = await newNodeKey();
  await setServiceVars({ APTOS_LOCALNET_NODES: `${DEAD}/v1` });
  const answer = await http(`${REST_URL}/transactions/by_version/1`, { headers: { "x-api-key": key } });
  expect(await requestLineOf(answer)).toMatchObject({ keyId, reason: "node_unavailable", status: 503 });
});

test("the lines of an operator's calls name the fund, the key and the transaction, and count the fund's calls", async () => {
  const { key: _, keyId, fund } = await newAptosApp();
  const { fundId } = await newAptosFund();
  const lineOf = async (...asked: Parameters<typeof admin>) => requestLineOf(await admin(...asked));
  expect(await lineOf("GET", `/funds/${fundId}`)).toMatchObject({ fundId, upstreamCalls: 0 });
  expect(await lineOf("POST", `/funds/${fundId}/refresh`)).toMatchObject({ fundId, upstreamCalls: SOME_CALLS });
  expect(await lineOf("GET", `/keys/${keyId}`)).toMatchObject({ keyId, upstreamCalls: 0 });
  const sent = await lineOf("POST", `/funds/${fund.fundId}/withdraw`, { to: "0x1", amount: "1" }, "once");
  const digest = expect.stringMatching(/^0x[0-9a-f]{64}$/);
  expect(sent).toMatchObject({ fundId: fund.fundId, digest, upstreamCalls: SOME_CALLS });
});
