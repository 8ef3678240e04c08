import type { Account, SimpleTransaction } from "@aptos-labs/ts-sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { APT, type AptosTestChain, refusal, run, startAptosChain, transferOf } from "./aptos-testing.ts";
import { nodeSql } from "./node-sql.ts";

const SUBMIT = "POST /transactions";
const GET_ACCOUNT = "GET /accounts/:address";
const PATIENCE_MS = 150;

let chain: AptosTestChain;
let alice: Account;
let bob: Account;
let transaction: SimpleTransaction;

beforeEach(async () => {
  chain = await startAptosChain();
  alice = await chain.account(5n * APT);
  bob = await chain.account();
  transaction = await transferOf(chain.aptos, alice, bob, 1n);
});

async function order(fault: object): Promise<void> {
  const response = await chain.control("POST", "/control/fault", { times: 1, ...fault });
  expect(await response.json()).toEqual({});
}

function submit() {
  return chain.aptos.signAndSubmitTransaction({ signer: alice, transaction });
}

/** Seen through a node without faults, once a block has passed. */
async function paidToBob(): Promise<number> {
  await chain.fund(alice.accountAddress.toString(), 1n);
  return chain.clientOf("elsewhere").getAccountAPTAmount({ accountAddress: bob.accountAddress });
}

function readAccount(signal?: AbortSignal): Promise<Response> {
  return chain.call("GET", `/accounts/${alice.accountAddress}`, signal && { signal });
}

describe("a fault of a submission", () => {
  test.each(["unavailable", "unavailable_before_commit"])("%s: nothing was admitted", async (mode) => {
    await order({ method: SUBMIT, mode });
    expect(await refusal(submit())).toEqual({
      status: 503,
      message: "the service is currently unavailable",
      error_code: "internal_error",
      vm_error_code: null,
    });
    expect(await paidToBob()).toBe(0);
    expect(await submit()).toMatchObject({ sequence_number: "0" });
  });

  test.each([
    ["drop_after_commit", { status: 504 }],
    // The stock client hands out what is no JSON as text.
    ["half_body", { answered: expect.stringMatching(/^\{"hash":"0x[^}]*$/) }],
  ])("%s: it was admitted, and is executed", async (mode, seen) => {
    await order({ method: SUBMIT, mode });
    expect(await refusal(submit())).toMatchObject(seen);
    expect(await paidToBob()).toBe(1);
    expect(await refusal(submit())).toMatchObject({ vm_error_code: 3 });
  });

  test("drop_after_commit lets a refusal pass", async () => {
    await order({ method: SUBMIT, mode: "drop_after_commit" });
    transaction = await transferOf(chain.aptos, alice, bob, 1n, { expireTimestamp: 1 });
    expect(await refusal(submit())).toMatchObject({ status: 400, vm_error_code: 6 });
  });
});

describe("a fault of any call", () => {
  test.each([
    ["http_500", 500, "Internal Server Error"],
    ["garbage", 200, "<!doctype html><title>Welcome</title>"],
  ])("%s", async (mode, status, body) => {
    await order({ method: GET_ACCOUNT, mode });
    const response = await readAccount();
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(body);
  });

  test("delay holds the answer back, hang gives none", async () => {
    await order({ method: GET_ACCOUNT, mode: "delay", delayMs: PATIENCE_MS });
    const startedMs = Date.now();
    expect((await readAccount()).status).toBe(200);
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(PATIENCE_MS - 5);
    await order({ method: GET_ACCOUNT, mode: "hang" });
    await expect(readAccount(AbortSignal.timeout(PATIENCE_MS))).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("hits so many calls of its method at its endpoint and no others, unless it is taken back", async () => {
    await order({ method: GET_ACCOUNT, mode: "unavailable", times: 2, endpoint: "a" });
    // Not with the stock client: it tries a read again by itself.
    const path = `/accounts/${alice.accountAddress}`;
    const atA = async () => (await fetch(`${chain.url}/aptos/a/v1${path}`)).status;
    expect((await readAccount()).status).toBe(200);
    expect((await fetch(`${chain.url}/aptos/a/v1`)).status).toBe(200);
    expect([await atA(), await atA(), await atA()]).toEqual([503, 503, 200]);
    await order({ method: GET_ACCOUNT, mode: "unavailable", times: 2, endpoint: "a" });
    await chain.control("DELETE", "/control/fault?endpoint=a");
    expect(await atA()).toBe(200);
  });

  test.each([
    { method: "GET /nothing", mode: "unavailable" },
    { method: SUBMIT, mode: "lock_conflict" },
    { method: GET_ACCOUNT, mode: "drop_after_commit" },
  ])("%j cannot be ordered", async (fault) => {
    expect((await chain.control("POST", "/control/fault", { times: 1, ...fault })).status).toBe(400);
  });
});

test("calls are counted by route and endpoint", async () => {
  await chain.control("DELETE", "/control/calls");
  await run(chain.aptos, alice, transaction);
  await chain.clientOf("a").getLedgerInfo();
  const calls = async (endpoint: string) => (await chain.control("GET", `/control/calls?endpoint=${endpoint}`)).json();
  // The client waits only if its first look comes before the block.
  const { "GET /transactions/wait_by_hash/:hash": waits = 1, ...others } = Object(await calls("default"));
  expect({ ...others, waits }).toEqual({ "GET /transactions/by_hash/:hash": 1, [SUBMIT]: 1, waits: 1 });
  expect(await calls("a")).toEqual({ "GET /": 1 });
});

describe("an endpoint that lags", () => {
  const LAG_MS = 60_000;

  test("shows the ledger as it was, all of it of one moment, and the present once the lag has passed", async () => {
    chain.clock.aheadMs += LAG_MS;
    await chain.control("POST", "/control/lag", { endpoint: "late", lagMs: LAG_MS });
    const late = chain.clientOf("late");
    const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
    transaction = await transferOf(chain.aptos, alice, bob, 1n, { expireTimestamp: inAnHour });
    const { hash, version } = await run(chain.aptos, alice, transaction);

    const [now, then] = [await chain.aptos.getLedgerInfo(), await late.getLedgerInfo()];
    expect(BigInt(then.ledger_version)).toBeLessThan(BigInt(version));
    const behindUs = BigInt(now.ledger_timestamp) - BigInt(then.ledger_timestamp);
    expect(Number(behindUs) / 1_000).toBeGreaterThanOrEqual(LAG_MS - 500);
    const accountAddress = alice.accountAddress;
    expect(await late.getAccountInfo({ accountAddress })).toMatchObject({ sequence_number: "0" });
    expect(await late.getAccountAPTAmount({ accountAddress: bob.accountAddress })).toBe(0);
    expect(await refusal(late.getTransactionByHash({ transactionHash: hash }))).toMatchObject({ status: 404 });

    chain.clock.aheadMs += LAG_MS + 1_000;
    expect(await late.getAccountInfo({ accountAddress })).toMatchObject({ sequence_number: "1" });
    expect(await late.getTransactionByHash({ transactionHash: hash })).toMatchObject({ version, success: true });
  });

  test("shows what it has heard of as pending, and submits to the present", async () => {
    await chain.control("POST", "/control/lag", { endpoint: "late", lagMs: 1_000 });
    const late = chain.clientOf("late");
    const { hash } = await late.signAndSubmitTransaction({ signer: alice, transaction });
    await chain.aptos.waitForTransaction({ transactionHash: hash });
    expect(await refusal(late.getTransactionByHash({ transactionHash: hash }))).toMatchObject({ status: 404 });
    expect(await late.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true });
  });
});

describe("a restart", () => {
  test("keeps accounts, transactions and what waits", async () => {
    const sql = nodeSql();
    const before = await startAptosChain(sql);
    const user = await before.account(APT);
    const done = await run(before.aptos, user, await transferOf(before.aptos, user, bob, 5n));
    const parked = await before.aptos.signAndSubmitTransaction({
      signer: user,
      transaction: await transferOf(before.aptos, user, bob, 7n, { accountSequenceNumber: 2 }),
    });

    const after = await startAptosChain(sql);
    expect(await after.aptos.getTransactionByHash({ transactionHash: done.hash })).toEqual(done);
    const find = () => after.aptos.getTransactionByHash({ transactionHash: parked.hash });
    expect(await find()).toMatchObject({ type: "pending_transaction" });
    await run(after.aptos, user, await transferOf(after.aptos, user, bob, 6n, { accountSequenceNumber: 1 }));
    await after.aptos.waitForTransaction({ transactionHash: parked.hash });
    expect(await after.aptos.getAccountAPTAmount({ accountAddress: bob.accountAddress })).toBe(18);
    expect(await after.fund(bob.accountAddress.toString(), 2n)).toMatchObject({ hash: expect.any(String) });
  });

  test("goes on from where the ledger was, even when the clock went back", async () => {
    const sql = nodeSql();
    const before = await startAptosChain(sql);
    before.clock.aheadMs += 3_600_000;
    await before.account(APT);
    const { ledger_version: version } = await before.aptos.getLedgerInfo();
    const after = await startAptosChain(sql);
    // The faucet's payment was the last that happened, and all of its block stays.
    expect(BigInt((await after.aptos.getLedgerInfo()).ledger_version)).toBeGreaterThan(BigInt(version) - 10n);
    await after.account(APT);
    expect(BigInt((await after.aptos.getLedgerInfo()).ledger_version)).toBeGreaterThan(BigInt(version));
  });

  test("is no reset: that makes another genesis, without the accounts", async () => {
    const genesis = async () => (await chain.aptos.getTransactionByVersion({ ledgerVersion: 0 })).hash;
    const first = await genesis();
    await chain.control("POST", "/control/reset");
    expect(await genesis()).not.toBe(first);
    expect(await chain.aptos.getAccountAPTAmount({ accountAddress: alice.accountAddress })).toBe(0);
    await chain.fund(alice.accountAddress.toString(), APT);
    expect(await chain.aptos.getAccountAPTAmount({ accountAddress: alice.accountAddress })).toBe(Number(APT));
  });

  test("and a reset ends the calls that are under way", async () => {
    const parked = await transferOf(chain.aptos, alice, bob, 1n, { accountSequenceNumber: 5 });
    const { hash } = await chain.aptos.signAndSubmitTransaction({ signer: alice, transaction: parked });
    const waiting = chain.call("GET", `/transactions/wait_by_hash/${hash}`);
    await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    await chain.control("POST", "/control/reset");
    const response = await waiting;
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ message: "the development chain was reset" });
  });
});

test("the faucet pays more at once than one account may have waiting", async () => {
  const to = Array.from({ length: 130 }, (_, index) => `0x${String(index + 1).padStart(64, "0")}`);
  const paid = await Promise.all(to.map((address) => chain.fund(address, 1n)));
  expect(new Set(paid.map(({ hash }) => hash)).size).toBe(to.length);
});
