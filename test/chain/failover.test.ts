import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createSuiNode } from "../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../shared/chain/sui/node.ts";
import { transactionDigest } from "../../shared/chain/sui/transaction.ts";
import { BASE_URL, signAll, startChain, type TestChain } from "../devchain/testing.ts";
import { answers, startHostile } from "../gateway/hostile.ts";

const BROKEN = ["unavailable", "http_500", "garbage", "half_body"] as const;
const EXECUTE = "TransactionExecutionService/ExecuteTransaction";

let chain: TestChain;
let node: SuiNode;
beforeEach(async () => {
  chain = await startChain();
  node = createSuiNode({
    network: "SUI_LOCALNET",
    urls: [`${BASE_URL}/sui/a`, `${BASE_URL}/sui/b`],
    fetch: (input, init) => chain.chain.fetch(new Request(input, init)),
    clock: { nowMs: () => chain.clock.nowMs, alarmAtMs: (atMs) => atMs },
    log: () => undefined,
  });
});

async function fault(endpoint: string, method: string, mode: string): Promise<void> {
  const answer = await chain.control("POST", "/control/fault", { endpoint, method, mode, times: 1 });
  expect(answer.status, await answer.text()).toBe(200);
}

async function transfer() {
  const sender = await chain.account(1_000_000_000n);
  const address = sender.toSuiAddress();
  const transaction = new Transaction();
  transaction.setSender(address);
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1_000n])], `0x${"5".repeat(64)}`);
  const bytes = await transaction.build({ client: chain.client });
  return { address, bytes, signatures: await signAll(bytes, sender), digest: transactionDigest(bytes) };
}

async function executedOnChain(digest: string): Promise<boolean> {
  const looked = await node.lookUp([digest], "charge");
  return looked.ok && looked.value.value[0]?.kind === "executed";
}

describe.each(BROKEN)("an endpoint that is broken by %s does not keep a read from its answer", (mode) => {
  const reads: readonly (readonly [
    string,
    string,
    (address: string, digest: string, bytes: Uint8Array) => Promise<unknown>,
  ])[] = [
    ["the chain's facts", "LedgerService/GetEpoch", () => node.chainFacts(0n)],
    ["a look-up", "LedgerService/BatchGetTransactions", (_, digest) => node.lookUp([digest], "full")],
    [
      "the coins",
      "StateService/ListOwnedObjects",
      async (address) => {
        const listed = await node.coins(address, null);
        return listed.ok ? { ok: true, coins: listed.value.coins } : listed;
      },
    ],
    ["the balance", "StateService/GetBalance", (address) => node.balances(address, [])],
    ["single coins", "LedgerService/BatchGetObjects", () => node.observeCoins([`0x${"5".repeat(64)}`])],
    ["a dry run", "TransactionExecutionService/SimulateTransaction", (_, __, bytes) => node.dryRun(bytes)],
  ];
  test.each(reads)("%s", async (_what, method, read) => {
    const { address, bytes, digest } = await transfer();
    const healthy = await read(address, digest, bytes);
    await fault("a", method, mode);
    expect(healthy).toMatchObject({ ok: true });
    expect(await read(address, digest, bytes)).toEqual(healthy);
  });
});

test("an endpoint that redirects has not answered, and nobody whom it names is asked", async () => {
  const elsewhere = await startHostile();
  const redirecting = await startHostile(answers({ status: 307, headers: { location: elsewhere.url } }));
  onTestFinished(async () => void (await Promise.all([elsewhere.stop(), redirecting.stop()])));
  const clock = { nowMs: () => chain.clock.nowMs, alarmAtMs: (atMs: number) => atMs };
  const redirected = createSuiNode({
    network: "SUI_LOCALNET",
    urls: [redirecting.url],
    fetch,
    clock,
    log: () => undefined,
  });
  expect(await redirected.chainFacts(0n)).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
  expect(elsewhere.reached).toEqual([]);
});

test("with every endpoint broken, a read is refused and says why", async () => {
  for (const endpoint of ["a", "b"]) await fault(endpoint, "StateService/GetBalance", "http_500");
  const refused = await node.balances(`0x${"5".repeat(64)}`, []);
  expect(refused).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
});

test("an endpoint that lags behind a known epoch is passed over", async () => {
  await chain.control("POST", "/control/lag", { endpoint: "a", lagMs: 60_000 });
  await chain.control("POST", "/control/epoch", { advance: 1 });
  chain.clock.nowMs += 10_000;
  const lagging = await node.chainFacts(0n);
  const facts = await node.chainFacts(1n);
  expect([lagging, facts]).toMatchObject([
    { ok: true, value: { epoch: 0n } },
    { ok: true, value: { epoch: 1n } },
  ]);
});

test("a look-up at an endpoint that lags misses, and its checkpoint time says how far it had seen", async () => {
  await chain.control("POST", "/control/lag", { endpoint: "a", lagMs: 5_000 });
  const { bytes, signatures, digest } = await transfer();
  chain.clock.nowMs += 10_000;
  await chain.client.executeTransaction({ transaction: bytes, signatures });
  const executedAtMs = chain.clock.nowMs;
  const early = await node.lookUp([digest], "charge");
  chain.clock.nowMs += 10_000;
  const late = await node.lookUp([digest], "charge");
  if (!early.ok || !late.ok) throw new Error("the look-up was refused");
  expect(early.value.value).toEqual([{ kind: "missing" }]);
  expect(early.value.timestampMs).toBeLessThan(executedAtMs);
  expect(late.value.value).toMatchObject([{ kind: "executed", execution: { digest, success: true } }]);
  expect(late.value.timestampMs).toBeGreaterThanOrEqual(executedAtMs);
});

describe("submitting the same bytes to the next endpoint", () => {
  test.each(["unavailable_before_commit", "drop_after_commit", "http_500", "half_body"])(
    "after %s executes them once and tells the truth",
    async (mode) => {
      const { bytes, signatures, digest } = await transfer();
      await fault("a", EXECUTE, mode);
      const outcome = await node.submit(bytes, signatures, digest);
      expect(outcome).toMatchObject({ kind: "executed", execution: { digest, success: true } });
      if (outcome.kind !== "executed") throw new Error("it was not executed");
      // What it had executed before, a node answers without them.
      const execution = { ...outcome.execution, balanceChanges: [] };
      expect(await node.submit(bytes, signatures, digest)).toEqual({ kind: "executed", execution });
    },
  );

  test.each(["lock_conflict", "stale_version"])("does not happen after a error: %s", async (mode) => {
    const { bytes, signatures, digest } = await transfer();
    await fault("a", EXECUTE, mode);
    expect(await node.submit(bytes, signatures, digest)).toMatchObject({ kind: "refused" });
    expect(await executedOnChain(digest)).toBe(false);
  });

  test("proves nothing when the next one refuses after the first may have executed", async () => {
    const { bytes, signatures, digest } = await transfer();
    await fault("a", EXECUTE, "drop_after_commit");
    await fault("b", EXECUTE, "stale_version");
    expect(await node.submit(bytes, signatures, digest)).toMatchObject({ kind: "unknown" });
    expect(await executedOnChain(digest)).toBe(true);
  });
});
