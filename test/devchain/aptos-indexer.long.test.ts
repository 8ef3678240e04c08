import { type Account, ProcessorType } from "@aptos-labs/ts-sdk";
import { beforeEach, expect, test } from "vitest";
import { APT, type AptosTestChain, run, startAptosChain, transferOf } from "./aptos-testing.ts";

const APT_ASSET = "0x1::aptos_coin::AptosCoin";

let chain: AptosTestChain;
let alice: Account;
let bob: Account;

beforeEach(async () => {
  chain = await startAptosChain();
  alice = await chain.account(5n * APT);
  bob = await chain.account();
});

async function query(text: string, variables?: object): Promise<unknown> {
  return chain.aptos.queryIndexer({ query: { query: text, ...(variables && { variables }) } });
}

test("ledger info has the chain id", async () => {
  expect(await query("{ ledger_infos { chain_id } }")).toEqual({ ledger_infos: [{ chain_id: 4 }] });
});

test("the stock client's balances, counts and transactions are those of the ledger", async () => {
  const first = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 30n));
  const second = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 12n));
  const accountAddress = bob.accountAddress;
  expect(await chain.aptos.getAccountCoinsData({ accountAddress })).toEqual([
    expect.objectContaining({
      amount: 42,
      asset_type: APT_ASSET,
      owner_address: bob.accountAddress.toString(),
      is_primary: true,
      last_transaction_version: Number(second.version),
      metadata: expect.objectContaining({ symbol: "APT", decimals: 8 }),
    }),
  ]);
  expect(await chain.aptos.getAccountCoinsCount({ accountAddress })).toBe(1);
  expect(await chain.aptos.getAccountTransactionsCount({ accountAddress })).toBe(2);
  expect(await chain.aptos.getAccountTransactionsCount({ accountAddress: alice.accountAddress })).toBe(3);
  const top = await chain.aptos.getChainTopUserTransactions({ limit: 2 });
  expect(top).toEqual([{ version: Number(second.version) }, { version: Number(first.version) }]);
});

test("the stock client waits for the indexer", async () => {
  const { version } = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 1n));
  expect(await chain.aptos.getIndexerLastSuccessVersion()).toBeGreaterThanOrEqual(BigInt(version));
  const processorType = ProcessorType.FUNGIBLE_ASSET_PROCESSOR;
  const status = await chain.aptos.getProcessorStatus(processorType);
  expect(status).toMatchObject({ processor: processorType });
});

test("conditions, order, pages, aliases, variables and fragments are taken", async () => {
  for (const octas of [3n, 1n, 2n]) {
    const other = await chain.account();
    await run(chain.aptos, alice, await transferOf(chain.aptos, alice, other, octas));
  }
  const small = { amount: { _lte: 3 } };
  const text = `
    query Small($where: current_fungible_asset_balances_bool_exp!, $limit: Int = 2) {
      page: current_fungible_asset_balances(where: $where, order_by: [{amount: desc}], limit: $limit, offset: 1) {
        ...Amount
      }
      all: current_fungible_asset_balances_aggregate(where: $where) { aggregate { count } }
    }
    fragment Amount on current_fungible_asset_balances { octas: amount metadata { symbol } }`;
  expect(await query(text, { where: { _and: [small, { _not: { amount: { _in: [7] } } }] } })).toEqual({
    page: [2, 1].map((octas) => ({ octas, metadata: { symbol: "APT" } })),
    all: { aggregate: { count: 3 } },
  });
  expect(
    await query(text, { where: { _or: [{ amount: { _eq: 1 } }, { amount: { _gt: 2, _lt: 4 } }] }, limit: 5 }),
  ).toEqual({
    page: [{ octas: 1, metadata: { symbol: "APT" } }],
    all: { aggregate: { count: 2 } },
  });
});

test("a transaction is found by its account with what it called", async () => {
  const { version } = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 1n));
  const found = await query(
    `query Of($address: String) { account_transactions(where: {account_address: {_eq: $address}}) {
       transaction_version
       user_transaction { sender sequence_number entry_function_id_str }
     } }`,
    { address: bob.accountAddress.toString() },
  );
  expect(found).toEqual({
    account_transactions: [
      {
        transaction_version: Number(version),
        user_transaction: {
          sender: alice.accountAddress.toString(),
          sequence_number: 0,
          entry_function_id_str: "0x1::aptos_account::transfer",
        },
      },
    ],
  });
});

test.each([
  ["{ nothing { id } }", "field 'nothing' not found in type: 'query_root'"],
  ["{ ledger_infos { colour } }", "field 'colour' not found in type: 'ledger_infos'"],
  ["{ ledger_infos }", "missing selection set"],
  ["mutation { ledger_infos { chain_id } }", "no mutation"],
  ["{ ledger_infos { chain_id }", "unexpected the end"],
  ["{ ledger_infos(limit: -1) { chain_id } }", "non-negative"],
  ["{ ledger_infos(colour: 1) { chain_id } }", "unexpected argument 'colour'"],
  [`${"{ ledger_infos ".repeat(12)}`, "too deep"],
  ["query A { ...F } fragment F on query_root { ...F }", "too deep"],
  [`{ ...A } fragment A on q { ${"...B ".repeat(99)} } fragment B on q { ${"a ".repeat(99)} }`, "too many fields"],
  [`{ ledger_infos { chain_id } } ${" ".repeat(16_384)}`, "too long"],
])("a query that is wrong is answered with what is wrong: %.60s", async (text, word) => {
  const response = await fetch(`${chain.url}/aptos/graphql`, { method: "POST", body: JSON.stringify({ query: text }) });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    errors: [{ message: expect.stringContaining(word), extensions: { path: "$", code: "validation-failed" } }],
  });
});

test("the indexer of an endpoint lags and fails by itself", async () => {
  chain.clock.aheadMs += 60_000;
  await chain.control("POST", "/control/lag", { endpoint: "late", lagMs: 60_000 });
  const late = chain.clientOf("late");
  const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
  await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 9n, { expireTimestamp: inAnHour }));
  expect(await late.getAccountCoinsCount({ accountAddress: bob.accountAddress })).toBe(0);
  expect(await chain.aptos.getAccountCoinsCount({ accountAddress: bob.accountAddress })).toBe(1);
  await chain.control("POST", "/control/fault", { method: "POST /graphql", mode: "unavailable", times: 1 });
  const body = JSON.stringify({ query: "{ ledger_infos { chain_id } }" });
  expect((await fetch(`${chain.url}/aptos/graphql`, { method: "POST", body })).status).toBe(503);
  expect(await query("{ ledger_infos { chain_id } }")).toEqual({ ledger_infos: [{ chain_id: 4 }] });
});
