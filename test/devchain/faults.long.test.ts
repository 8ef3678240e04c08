import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DEMO_PACKAGE } from "./demo.ts";
import { signAll, startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const EXECUTE = "TransactionExecutionService/ExecuteTransaction";
const GET_EPOCH = "LedgerService/GetEpoch";
const PATIENCE_MS = 100;

interface Signed {
  readonly bytes: Uint8Array;
  readonly signatures: string[];
  readonly digest: string;
  readonly coin: { readonly objectId: string; readonly version: string; readonly digest: string };
}

let chain: TestChain;
/** The same chain through a node that has no faults. */
let elsewhere: SuiGrpcClient;
let signed: Signed;

beforeEach(async () => {
  chain = await startChain();
  elsewhere = chain.clientOf("elsewhere");
  signed = await mint();
});

async function mint(): Promise<Signed> {
  const signer = await chain.account(SUI);
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
  transaction.setSender(signer.toSuiAddress());
  const bytes = await transaction.build({ client: chain.client });
  const [coin] = transaction.getData().gasData.payment ?? [];
  if (coin === undefined) throw new Error("no gas coin");
  return {
    bytes,
    signatures: await signAll(bytes, signer),
    digest: await transaction.getDigest(),
    coin: { ...coin, version: String(coin.version) },
  };
}

async function order(fault: object): Promise<void> {
  const response = await chain.control("POST", "/control/fault", { times: 1, ...fault });
  expect(await response.json()).toEqual({});
}

function submit(client = chain.client, signal?: AbortSignal) {
  const { bytes: transaction, signatures } = signed;
  return client.executeTransaction({ transaction, signatures, ...(signal && { signal }) });
}

async function isOnChain(): Promise<boolean> {
  const found = await elsewhere.getTransaction({ digest: signed.digest }).catch((error: unknown) => error);
  if (found instanceof Error) {
    expect(found).toMatchObject({ reason: "notFound" });
    return false;
  }
  return true;
}

describe("a faulty ExecuteTransaction that executes nothing", () => {
  const unavailable = { code: "UNAVAILABLE", message: "the service is currently unavailable" };
  const rejected = "Transaction is rejected as invalid by more than 1/3 of validators by stake (non-retriable).";

  test.each([
    ["unavailable", unavailable],
    ["unavailable_before_commit", unavailable],
    ["http_500", { code: "UNKNOWN", message: "Internal Server Error" }],
    ["garbage", { code: "INTERNAL", message: "unexpected response content type: text/html" }],
    ["lock_conflict", { code: "FAILED_PRECONDITION", message: expect.stringContaining(rejected) }],
    ["stale_version", { code: "INVALID_ARGUMENT", message: expect.stringContaining(rejected) }],
  ])("%s: the caller sees it, the chain has no transaction, and a second attempt works", async (mode, error) => {
    await order({ method: EXECUTE, mode });
    await expect(submit()).rejects.toMatchObject({ name: "RpcError", ...error });
    expect(await isOnChain()).toBe(false);
    expect((await submit()).$kind).toBe("Transaction");
    expect(await isOnChain()).toBe(true);
  });

  test("a lock conflict names the coin and the transaction that is said to have it", async () => {
    await order({ method: EXECUTE, mode: "lock_conflict" });
    const { objectId, version, digest } = signed.coin;
    await expect(submit()).rejects.toThrow(
      `[Object (${objectId}, SequenceNumber(${version}), o#${digest}) already locked by a different transaction: TransactionDigest(`,
    );
  });

  test("a stale version names the coin, its version and the one after it", async () => {
    await order({ method: EXECUTE, mode: "stale_version" });
    const { objectId, version } = signed.coin;
    const hex = (number: bigint) => `0x${number.toString(16)}`;
    await expect(submit()).rejects.toThrow(
      `[Transaction needs to be rebuilt because object ${objectId} version ${hex(BigInt(version))} is unavailable for ` +
        `consumption, current version: ${hex(BigInt(version) + 1n)}`,
    );
  });

  test("hang: the caller gives up, and nothing happens later either", async () => {
    await order({ method: EXECUTE, mode: "hang" });
    await expect(submit(chain.client, AbortSignal.timeout(PATIENCE_MS))).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
    });
    expect(await isOnChain()).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    expect(await isOnChain()).toBe(false);
  });
});

describe("a faulty ExecuteTransaction that executes", () => {
  test.each([
    ["drop_after_commit", { code: "UNAVAILABLE", message: "timed-out before finality could be reached" }],
    ["half_body", { code: "DATA_LOSS", message: "premature EOF" }],
  ])(
    "%s: the caller sees a failure, the chain has the transaction, and a second attempt gets it",
    async (mode, error) => {
      await order({ method: EXECUTE, mode });
      await expect(submit()).rejects.toMatchObject({ name: "RpcError", ...error });
      expect(await isOnChain()).toBe(true);
      expect((await submit()).Transaction?.digest).toBe(signed.digest);
    },
  );

  test("delay: a caller that does not wait misses what has happened, one that waits sees it", async () => {
    await order({ method: EXECUTE, mode: "delay", delayMs: 600_000 });
    const patience = new AbortController();
    const submitted = submit(chain.client, patience.signal);
    const missed = expect(submitted).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await vi.waitUntil(isOnChain, { timeout: 30_000, interval: 1 });
    patience.abort(new DOMException("The operation timed out", "TimeoutError"));
    await missed;
    await order({ method: EXECUTE, mode: "delay", delayMs: 3 * PATIENCE_MS });
    const askedAt = performance.now();
    expect((await submit()).Transaction?.digest).toBe(signed.digest);
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(3 * PATIENCE_MS - 5);
  });

  test("a refusal passes through a fault after the commit, since nothing was committed", async () => {
    await order({ method: EXECUTE, mode: "drop_after_commit" });
    const { bytes: transaction } = signed;
    await expect(chain.client.executeTransaction({ transaction, signatures: [] })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});

describe("a faulty read", () => {
  test.each([
    ["unavailable", { code: "UNAVAILABLE" }],
    ["http_500", { code: "UNKNOWN", message: "Internal Server Error" }],
    ["garbage", { code: "INTERNAL" }],
    ["half_body", { code: "DATA_LOSS" }],
  ])("%s: the caller sees it once, and another endpoint answers meanwhile", async (mode, error) => {
    await order({ method: GET_EPOCH, mode });
    expect(await elsewhere.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
    await expect(chain.client.getReferenceGasPrice()).rejects.toMatchObject({ name: "RpcError", ...error });
    expect(await chain.client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
  });

  test("a cut answer is noticed in the text format too", async () => {
    const text = await startChain(undefined, "text");
    await text.control("POST", "/control/fault", { method: GET_EPOCH, mode: "half_body", times: 1 });
    await expect(text.client.getReferenceGasPrice()).rejects.toMatchObject({ code: "DATA_LOSS" });
    expect(await text.client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
  });

  test("every failing mode waits as long as it was ordered to", async () => {
    for (const mode of ["unavailable", "http_500", "garbage", "half_body"]) {
      await order({ method: GET_EPOCH, mode, delayMs: PATIENCE_MS });
      const askedAt = performance.now();
      await expect(chain.client.getReferenceGasPrice()).rejects.toMatchObject({ name: "RpcError" });
      expect(performance.now() - askedAt).toBeGreaterThanOrEqual(PATIENCE_MS - 5);
    }
  });
});

describe("orders", () => {
  test("a fault hits its own method and endpoint, as often as it was ordered", async () => {
    const a = chain.clientOf("a");
    await order({ endpoint: "a", method: GET_EPOCH, mode: "unavailable", times: 2 });
    expect(await chain.client.getReferenceGasPrice()).toBeDefined();
    await a.getChainIdentifier();
    await expect(a.getReferenceGasPrice()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(a.getReferenceGasPrice()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await a.getReferenceGasPrice()).toBeDefined();
  });

  test("several faults of one method come in the order in which they were ordered", async () => {
    await order({ method: GET_EPOCH, mode: "unavailable" });
    await order({ method: GET_EPOCH, mode: "garbage" });
    await expect(chain.client.getReferenceGasPrice()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(chain.client.getReferenceGasPrice()).rejects.toMatchObject({ code: "INTERNAL" });
  });

  test("they are taken back, of one endpoint or of all", async () => {
    const [a, b] = [chain.clientOf("a"), chain.clientOf("b")];
    for (const endpoint of ["default", "a", "b"]) await order({ endpoint, method: GET_EPOCH, mode: "unavailable" });
    await chain.control("DELETE", "/control/fault?endpoint=a");
    expect(await a.getReferenceGasPrice()).toBeDefined();
    await expect(b.getReferenceGasPrice()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await order({ endpoint: "b", method: GET_EPOCH, mode: "unavailable" });
    await chain.control("DELETE", "/control/fault");
    for (const client of [a, b, chain.client]) expect(await client.getReferenceGasPrice()).toBeDefined();
  });
});
