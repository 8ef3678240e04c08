import { expect, test } from "vitest";
import { displayAddress } from "./aptos/address.ts";
import { APT, run, startAptosChain, transferOf } from "./aptos-testing.ts";

const HASH = /^0x[0-9a-f]{64}$/;

test("the stock client reads the ledger, builds, signs, submits and waits for a transfer", async () => {
  const { aptos, account } = await startAptosChain();
  const alice = await account(5n * APT);
  const bob = await account();
  expect(await aptos.getLedgerInfo()).toMatchObject({
    chain_id: 4,
    node_role: "full_node",
    oldest_ledger_version: "0",
  });

  const transaction = await transferOf(aptos, alice, bob, 1_000n);
  const pending = await aptos.signAndSubmitTransaction({ signer: alice, transaction });
  const committed = await aptos.waitForTransaction({ transactionHash: pending.hash });

  expect(committed).toMatchObject({
    type: "user_transaction",
    hash: pending.hash,
    success: true,
    vm_status: "Executed successfully",
    sender: displayAddress(alice.accountAddress.toStringLong()),
    sequence_number: "0",
  });
  expect(await aptos.getAccountAPTAmount({ accountAddress: bob.accountAddress })).toBe(1_000);
  expect((await aptos.getAccountInfo({ accountAddress: alice.accountAddress })).sequence_number).toBe("1");
  const spent = 1_000n + BigInt(committed.gas_used) * 100n;
  expect(await aptos.getAccountAPTAmount({ accountAddress: alice.accountAddress })).toBe(Number(5n * APT - spent));
});

test("a pending transaction has every field as a node writes it, and a type only when it is looked up", async () => {
  const { aptos, account, control } = await startAptosChain();
  const alice = await account(APT);
  const bob = await account();
  const transaction = await transferOf(aptos, alice, bob, 7n, { maxGasAmount: 20_000, gasUnitPrice: 120 });
  await control("POST", "/control/consensus", { held: true });
  const pending = await aptos.signAndSubmitTransaction({ signer: alice, transaction });

  const expected = {
    hash: expect.stringMatching(HASH),
    sender: displayAddress(alice.accountAddress.toStringLong()),
    sequence_number: "0",
    max_gas_amount: "20000",
    gas_unit_price: "120",
    expiration_timestamp_secs: String(transaction.rawTransaction.expiration_timestamp_secs),
    payload: {
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: [displayAddress(bob.accountAddress.toStringLong()), "7"],
      type: "entry_function_payload",
    },
    signature: {
      public_key: alice.publicKey.toString(),
      signature: expect.stringMatching(/^0x[0-9a-f]{128}$/),
      type: "ed25519_signature",
    },
    replay_protection_nonce: null,
  };
  expect(pending).toEqual(expected);
  const found = await aptos.getTransactionByHash({ transactionHash: pending.hash });
  expect(found).toEqual({ ...expected, type: "pending_transaction" });

  await control("POST", "/control/consensus", { held: false });
  const committed = await aptos.waitForTransaction({ transactionHash: pending.hash });
  expect(committed).toMatchObject({ ...expected, type: "user_transaction" });
});

test("an address that nothing was done with is an account with number 0, but has no account resource", async () => {
  const { aptos, account } = await startAptosChain();
  const nobody = await account();
  const accountAddress = nobody.accountAddress;
  expect(await aptos.getAccountInfo({ accountAddress })).toEqual({
    sequence_number: "0",
    authentication_key: accountAddress.toString(),
  });
  const resource = aptos.getAccountResource({ accountAddress, resourceType: "0x1::account::Account" });
  await expect(resource).rejects.toMatchObject({
    status: 404,
    data: {
      message: expect.stringMatching(
        new RegExp(
          `^Resource not found by Address\\(${displayAddress(accountAddress.toStringLong())}\\), Struct tag\\(0x1::account::Account\\) and Ledger version\\(\\d+\\)$`,
        ),
      ),
      error_code: "resource_not_found",
      vm_error_code: null,
    },
  });
});

test("an answer and its headers are of one ledger, however fast blocks come", async () => {
  const { call, clock } = await startAptosChain();
  // A block a look.
  clock.stepMs = 100;
  for (let block = 0; block < 5; block++) {
    const response = await call("GET", "");
    expect(await response.json()).toMatchObject({ ledger_version: response.headers.get("x-aptos-ledger-version") });
  }
});

test("every answer of the API says where the ledger is, and the base path works with and without a slash", async () => {
  const { call, url } = await startAptosChain();
  for (const path of ["", "/", "/estimate_gas_price", `/transactions/by_hash/0x${"00".repeat(32)}`]) {
    const { headers } = await call("GET", path);
    const of = (name: string) => headers.get(`x-aptos-${name}`);
    expect([of("chain-id"), of("ledger-oldest-version"), of("oldest-block-height")]).toEqual(["4", "0", "0"]);
    for (const name of ["ledger-version", "ledger-timestampusec", "epoch", "block-height"]) {
      expect(of(name)).toMatch(/^\d+$/);
    }
  }
  // The web framework answers by itself (recorded).
  const { headers } = await call("GET", "/nothing");
  expect([headers.get("content-type"), headers.get("x-aptos-chain-id")]).toEqual(["application/json", null]);
  const info = await (await fetch(`${url}/aptos/v1/`)).json();
  expect(Object.keys(Object(info)).sort()).toEqual([
    "block_height",
    "chain_id",
    "epoch",
    "git_hash",
    "ledger_timestamp",
    "ledger_version",
    "node_role",
    "oldest_block_height",
    "oldest_ledger_version",
  ]);
});

test("transactions are found by version, in their block, and in their sender's list", async () => {
  const { aptos, account } = await startAptosChain();
  const alice = await account(APT);
  const bob = await account();
  const first = await run(aptos, alice, await transferOf(aptos, alice, bob, 1n));
  const second = await run(aptos, alice, await transferOf(aptos, alice, bob, 2n));
  expect(BigInt(second.version)).toBeGreaterThan(BigInt(first.version));

  expect(await aptos.getTransactionByVersion({ ledgerVersion: Number(second.version) })).toEqual(second);
  const own = await aptos.getAccountTransactions({ accountAddress: alice.accountAddress });
  expect(own).toEqual([first, second]);

  const block = await aptos.getBlockByVersion({
    ledgerVersion: Number(second.version),
    options: { withTransactions: true },
  });
  const kinds = block.transactions?.map(({ type }) => type);
  expect(kinds).toEqual(["block_metadata_transaction", "user_transaction", "block_epilogue_transaction"]);
  expect(block.transactions?.[1]).toEqual(second);
  expect(block.block_timestamp).toBe("timestamp" in second ? second.timestamp : "");
  const byHeight = await aptos.getBlockByHeight({ blockHeight: Number(block.block_height) });
  expect(byHeight).toEqual({ ...block, transactions: null });
  const before = await aptos.getBlockByHeight({ blockHeight: Number(block.block_height) - 1 });
  expect(BigInt(before.last_version) + 1n).toBe(BigInt(block.first_version));
});

test("types and addresses are taken as a node takes them, percent-encoded or not, long or short", async () => {
  const { call, account } = await startAptosChain();
  const { accountAddress } = await account(APT);
  const read = async (path: string) => {
    const response = await call("GET", path);
    return { status: response.status, ...Object(await response.json()) };
  };
  const coinStore = "0x1::coin::CoinStore<0x1::aptos_coin::AptosCoin>";
  for (const type of [coinStore, encodeURIComponent(coinStore), coinStore.replaceAll("0x1:", "0x0001:")]) {
    expect(await read(`/accounts/${accountAddress}/resource/${type}`)).toMatchObject({
      status: 404,
      message: expect.stringContaining(`Struct tag(${coinStore})`),
    });
  }
  const short = await read("/accounts/0x1/resource/0x1::chain_id::ChainId");
  expect(short).toEqual({ status: 200, type: "0x1::chain_id::ChainId", data: { id: 4 } });
  expect(await read(`/accounts/0x${"1".padStart(64, "0")}/resource/0x1::chain_id::ChainId`)).toEqual(short);
  for (const path of ["/accounts/alice", "/accounts/%zz", "/transactions/by_hash/0x1", "/transactions?limit=x"]) {
    expect(await read(path)).toMatchObject({ status: 400, error_code: "web_framework_error", vm_error_code: null });
  }
});
