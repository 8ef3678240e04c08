import { GrpcTypes } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import type { LogFields } from "../../../shared/bindings/ports.ts";
import { createSuiNode } from "../../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { transactionDigest } from "../../../shared/chain/sui/transaction.ts";
import { type Alter, alteration, altered } from "../../byzantine-node/altered-reply.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { signAll, startChain, type TestChain } from "../../devchain/testing.ts";

const OWNER = `0x${"5".repeat(64)}`;
const BALANCE = "StateService/GetBalance";
const URLS = ["http://a.test/sui/a", "http://b.test/sui/b"] as const;

let chain: TestChain;
/** To the replies of the endpoint `a`. */
let alter: Alter | null;
let logged: (LogFields & { readonly name: string })[];

function nodeOf(...urls: readonly string[]): SuiNode {
  return createSuiNode({
    network: "SUI_LOCALNET",
    urls,
    fetch: async (input, init) => {
      const url = String(input);
      const answer = await chain.chain.fetch(new Request(input, init));
      return altered(url, answer, url.startsWith(URLS[0]) ? alter : null);
    },
    clock: { nowMs: () => chain.clock.nowMs, alarmAtMs: (atMs) => atMs },
    log: (name, fields) => logged.push({ name, ...fields }),
  });
}

beforeEach(async () => {
  chain = await startChain();
  alter = null;
  logged = [];
});

describe("a balance", () => {
  const parts = (balance?: bigint, coinBalance?: bigint, addressBalance?: bigint) =>
    alteration(BALANCE, GrpcTypes.GetBalanceResponse, (reply) => {
      reply.balance = {
        ...(balance !== undefined && { balance }),
        ...(coinBalance !== undefined && { coinBalance }),
        ...(addressBalance !== undefined && { addressBalance }),
      };
    });

  test.each([
    ["of all parts", parts(9n, 7n, 2n), 7n, 2n],
    ["without coins", parts(2n, undefined, 2n), 0n, 2n],
    ["without an address balance", parts(7n, 7n), 7n, 0n],
    ["with a sum of zero alone", parts(0n), 0n, 0n],
    ["with a sum and its rest in coins", parts(9n, undefined, 2n), 7n, 2n],
    ["with a sum and its rest in the address balance", parts(9n, 7n), 7n, 2n],
    ["without a sum", parts(undefined, 7n, 2n), 7n, 2n],
    ["of an older node, which knows no parts", parts(9n), 9n, null],
  ])("%s is read", async (_, alteredBy, coinBalanceMist, addressBalanceMist) => {
    alter = alteredBy;
    expect(await nodeOf(URLS[0]).balances(OWNER, [])).toMatchObject({
      value: { value: { coinBalanceMist, addressBalanceMist } },
    });
    expect(logged).toEqual([]);
  });

  test.each([
    ["without anything", parts()],
    ["with coins alone", parts(undefined, 7n)],
    ["with an address balance alone", parts(undefined, undefined, 2n)],
    ["below its coins", parts(6n, 7n)],
    ["below its address balance", parts(1n, undefined, 2n)],
    ["that is missing", alteration(BALANCE, GrpcTypes.GetBalanceResponse, (reply) => delete reply.balance)],
  ])("%s is a fault of the endpoint", async (_, alteredBy) => {
    alter = alteredBy;
    expect(await nodeOf(URLS[0]).balances(OWNER, [])).toMatchObject({
      ok: false,
      error: { reason: "node_unavailable" },
    });
    expect(logged).toMatchObject([{ name: "node.failed", endpoint: "a.test", question: "balances" }]);
  });

  test("at an older release of the node software counts its coins", async () => {
    await chain.fund(OWNER, 7n, 2n);
    await chain.control("POST", "/control/release", { endpoint: "a", release: "1.62" });
    expect(await nodeOf(URLS[0]).balances(OWNER, [])).toMatchObject({
      value: { value: { coinBalanceMist: 9n, addressBalanceMist: null } },
    });
    await chain.control("POST", "/control/release", { endpoint: "a", release: "latest" });
    expect(await nodeOf(URLS[0]).balances(OWNER, [])).toMatchObject({
      value: { value: { coinBalanceMist: 9n, addressBalanceMist: 0n } },
    });
  });
});

test("a fault of an endpoint is logged once, with its host, until the endpoint answers again", async () => {
  await chain.fund(OWNER, 7n);
  const node = nodeOf(...URLS);
  const expected = { value: { value: { coinBalanceMist: 7n } } };
  alter = alteration(BALANCE, GrpcTypes.GetBalanceResponse, (reply) => delete reply.balance);
  const fault = "the node's reply lacks balance";
  const about = { network: "SUI_LOCALNET", endpoint: "a.test", question: "balances" };
  for (let time = 0; time < 3; time++) expect(await node.balances(OWNER, [])).toMatchObject(expected);
  expect(logged).toEqual([{ name: "node.failed", ...about, fault }]);
  expect(await node.coins(OWNER, null)).toMatchObject({
    value: { coins: { value: [{ balanceMist: 7n }] }, next: null },
  });
  alter = null;
  for (let time = 0; time < 3; time++) expect(await node.balances(OWNER, [])).toMatchObject(expected);
  expect(logged.slice(1)).toEqual([{ name: "node.recovered", ...about }]);
});

describe("a field that is missing is never zero", () => {
  const EXECUTED = "LedgerService/BatchGetTransactions";
  type Spoil = (transaction: GrpcTypes.ExecutedTransaction) => unknown;

  async function mint(): Promise<string> {
    const sender = await chain.account(1_000_000_000n);
    const transaction = new Transaction();
    transaction.setSender(sender.toSuiAddress());
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("one")] });
    const bytes = await transaction.build({ client: chain.client });
    await chain.client.executeTransaction({ transaction: bytes, signatures: await signAll(bytes, sender) });
    return transactionDigest(bytes);
  }

  const spoils: readonly (readonly [string, Spoil])[] = [
    ["the success of a status", ({ effects }) => delete effects?.status?.success],
    ["the computation cost", ({ effects }) => delete effects?.gasUsed?.computationCost],
    ["the storage cost", ({ effects }) => delete effects?.gasUsed?.storageCost],
    ["the storage rebate", ({ effects }) => delete effects?.gasUsed?.storageRebate],
    ["the fee of storage", ({ effects }) => delete effects?.gasUsed?.nonRefundableStorageFee],
    ["the id of the gas object", ({ effects }) => delete effects?.gasObject?.objectId],
    ["the state of an input", ({ effects }) => delete effects?.changedObjects[0]?.inputState],
    ["the state of an output", ({ effects }) => delete effects?.changedObjects[0]?.outputState],
    ["what became of an id", ({ effects }) => delete effects?.changedObjects[0]?.idOperation],
    ["the owner of what was written", ({ effects }) => delete effects?.changedObjects[0]?.outputOwner],
    ["the contents of an event", ({ events }) => delete events?.events[0]?.contents],
  ];
  test.each(spoils)("%s", (_, spoil) => expectFault(spoil));

  test.each(["computationCost", "storageCost", "storageRebate", "nonRefundableStorageFee"] as const)(
    "and a gas amount above 2^53 is no amount: %s",
    (name) =>
      expectFault(({ effects }) => {
        if (effects?.gasUsed) effects.gasUsed[name] = 2n ** 53n;
      }),
  );

  async function expectFault(spoil: Spoil): Promise<void> {
    const digest = await mint();
    alter = alteration(EXECUTED, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
      for (const { result } of transactions) if (result.oneofKind === "transaction") spoil(result.transaction);
    });
    expect(await nodeOf(URLS[0]).lookUp([digest], "full")).toMatchObject({ value: { value: [{ kind: "no_answer" }] } });
    const fault = { name: "node.failed", endpoint: "a.test" };
    expect(logged).toMatchObject([
      { ...fault, question: "one digest" },
      { ...fault, question: "lookUp" },
    ]);
    alter = null;
    expect(await nodeOf(URLS[0]).lookUp([digest], "full")).toMatchObject({
      value: { value: [{ kind: "executed", execution: { digest } }] },
    });
  }

  test("the seconds of a checkpoint's time", async () => {
    alter = alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, ({ timestamp }) => {
      if (timestamp) timestamp.seconds = 0n;
    });
    expect(await nodeOf(URLS[0]).lookUp([], "full")).toMatchObject({ error: { reason: "node_unavailable" } });
  });
});
