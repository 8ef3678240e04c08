import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { beforeEach, describe, expect, test } from "vitest";
import { createSuiNode } from "../../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { messageResponse } from "../../devchain/sui/grpc-web.ts";
import { startChain, type TestChain } from "../../devchain/testing.ts";

const MIB = 1_024 * 1_024;
const PIECE_BYTES = 65_536;
const FLOOD_BYTES = 64 * MIB;
const OWNER = `0x${"5".repeat(64)}`;
const DIGEST = toBase58(new Uint8Array(32).fill(7));
/** More than what any method may answer. */
const MAX_TAKEN_BYTES = 9 * MIB;
const CONTENTS = new Uint8Array(8);
const GRPC_WEB = { "content-type": "application/grpc-web+proto" };

let chain: TestChain;
/** What the endpoint `a` answers; `isStanding`: the method that says how far it has seen is honest. */
let answer: () => Response;
let isStanding: boolean;
let logged: unknown[];
let node: SuiNode;

beforeEach(async () => {
  chain = await startChain();
  logged = [];
  isStanding = false;
  node = createSuiNode({
    network: "SUI_LOCALNET",
    urls: ["http://a.test/sui/a", "http://b.test/sui/b"],
    fetch: async (input, init) =>
      new URL(String(input)).host === "a.test" && !(isStanding && String(input).endsWith("GetServiceInfo"))
        ? answer()
        : chain.chain.fetch(new Request(input, init)),
    clock: { nowMs: () => chain.clock.nowMs, alarmAtMs: (atMs) => atMs },
    log: (name, fields) => logged.push({ name, ...fields }),
  });
  await chain.fund(OWNER, 7n);
});

/** A body of so many bytes, made as it is read, whose first frame announces a length. */
function flood(announcedBytes: number) {
  const head = new Uint8Array(5);
  new DataView(head.buffer).setUint32(1, announcedBytes);
  const state = { takenBytes: 0, cancelled: false };
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = state.takenBytes === 0 ? head : new Uint8Array(PIECE_BYTES);
    state.takenBytes += piece.length;
    controller.enqueue(piece);
    if (state.takenBytes >= FLOOD_BYTES) controller.close();
  };
  const cancel = () => {
    state.cancelled = true;
  };
  const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
  return { state, response: new Response(body, { headers: GRPC_WEB }) };
}

/** What has been taken of each flood that is answered from here on. */
function answerFloods(announcedBytes: number) {
  const states: ReturnType<typeof flood>["state"][] = [];
  answer = () => {
    const { state, response } = flood(announcedBytes);
    states.push(state);
    return response;
  };
  return states;
}

const reads: readonly (readonly [string, () => Promise<{ readonly ok: boolean }>])[] = [
  ["chainFacts", () => node.chainFacts(0n)],
  ["lookUp", () => node.lookUp([DIGEST], "effects")],
  ["coins", () => node.coins(OWNER, null)],
  ["observeCoins", () => node.observeCoins([OWNER])],
  ["balances", () => node.balances(OWNER, [])],
];

describe.each(reads)("of %s", (question, read) => {
  test("an endpoint that announces a flood is given up before it sends it, and the next one answers", async () => {
    const states = answerFloods(FLOOD_BYTES);
    expect((await read()).ok).toBe(true);
    expect(states.some(({ cancelled }) => cancelled)).toBe(true);
    for (const { takenBytes } of states) expect(takenBytes).toBeLessThanOrEqual(2 * PIECE_BYTES);
    expect(logged).toMatchObject([
      { name: "node.failed", endpoint: "a.test", question, fault: expect.stringContaining("exceeds") },
    ]);
  });

  test("an endpoint that sends more than it announces is given up in time", async () => {
    const states = answerFloods(10);
    expect((await read()).ok).toBe(true);
    expect(states.some(({ cancelled }) => cancelled)).toBe(true);
    for (const { takenBytes } of states) expect(takenBytes).toBeLessThan(MAX_TAKEN_BYTES);
  });
});

test("a submission that a flood answers is of an unknown outcome", async () => {
  const { state, response } = flood(FLOOD_BYTES);
  answer = () => response;
  const refused = await node.submit(new Uint8Array(100), [], DIGEST);
  expect(refused.kind).toBe("unknown");
  expect([state.cancelled, state.takenBytes <= 2 * PIECE_BYTES]).toEqual([true, true]);
});

test("a body behind a status that says everything is not read", async () => {
  const { state, response } = flood(FLOOD_BYTES);
  answer = () => new Response(response.body, { headers: { ...GRPC_WEB, "grpc-status": "14" } });
  expect((await node.balances(OWNER, [])).ok).toBe(true);
  expect([state.cancelled, state.takenBytes]).toEqual([true, 0]);
});

test("an endpoint that answers a million empty messages is given up before they fill the memory", async () => {
  isStanding = true;
  // Each is a transaction without any part.
  const message = Buffer.alloc(4 * MIB, Uint8Array.of(0x0a, 0x02, 0x0a, 0x00));
  answer = () => messageResponse("binary", message);
  expect(await node.lookUp([DIGEST], "effects")).toMatchObject({ ok: true });
  expect(logged).toMatchObject([{ name: "node.failed", fault: "the node's reply exceeds 250000 fields" }]);
});

describe("the largest honest reply is read:", () => {
  const coin = (index: number) =>
    GrpcTypes.Object.create({
      objectId: `0x${index.toString(16).padStart(64, "f")}`,
      version: 2n ** 63n,
      digest: DIGEST,
      owner: { kind: GrpcTypes.Owner_OwnerKind.CONSENSUS_ADDRESS, address: OWNER, version: 2n ** 63n },
      objectType: `0x${"0".repeat(63)}2::coin::Coin<0x${"0".repeat(63)}2::sui::SUI>`,
      balance: 2n ** 63n,
      previousTransaction: DIGEST,
    });

  test("a page of 1,000 coins", async () => {
    isStanding = true;
    const objects = Array.from({ length: 1_000 }, (_, index) => coin(index));
    answer = () => messageResponse("binary", GrpcTypes.ListOwnedObjectsResponse.toBinary({ objects }));
    expect(await node.coins(OWNER, null)).toMatchObject({ value: { coins: { value: { length: 1_000 } } } });
    expect(logged).toEqual([]);
  });

  test("50 coins", async () => {
    isStanding = true;
    const ids = Array.from({ length: 50 }, (_, index) => coin(index));
    const objects = ids.map((object) => ({ result: { oneofKind: "object" as const, object } }));
    answer = () => messageResponse("binary", GrpcTypes.BatchGetObjectsResponse.toBinary({ objects }));
    const observed = await node.observeCoins(ids.map(({ objectId }) => objectId ?? ""));
    expect(observed).toMatchObject({ ok: true });
    expect(logged).toEqual([]);
  });

  test("a transaction with 2,048 changed objects, and 1,024 events of ten values", async () => {
    isStanding = true;
    const { EXISTS: inputState } = GrpcTypes.ChangedObject_InputObjectState;
    const owner = { kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: OWNER };
    const changed = GrpcTypes.ChangedObject.create({
      ...{ objectId: OWNER, objectType: "0x2::m::N", idOperation: GrpcTypes.ChangedObject_IdOperation.NONE },
      ...{ inputState, inputVersion: 7n, inputDigest: DIGEST, inputOwner: owner },
      outputState: GrpcTypes.ChangedObject_OutputObjectState.OBJECT_WRITE,
      ...{ outputVersion: 8n, outputDigest: DIGEST, outputOwner: owner },
    });
    const values = Array.from({ length: 10 }, (_, index) => [`value_${index}`, `${index}`]);
    const named = {
      packageId: OWNER,
      module: "m",
      sender: OWNER,
      eventType: "0x2::m::E",
      contents: { value: CONTENTS },
    };
    const event = GrpcTypes.Event.create({
      ...GrpcTypes.Event.fromJson({ json: Object.fromEntries(values) }),
      ...named,
    });
    const gasUsed = { computationCost: 1n, storageCost: 1n, storageRebate: 0n, nonRefundableStorageFee: 0n };
    const effects = GrpcTypes.TransactionEffects.create({
      ...{ status: { success: true }, epoch: 1n, gasUsed, lamportVersion: 8n },
      changedObjects: Array.from({ length: 2_048 }, () => changed),
    });
    const events = { events: Array.from({ length: 1_024 }, () => event) };
    const transaction = GrpcTypes.ExecutedTransaction.create({ digest: DIGEST, effects, events });
    const transactions = [{ result: { oneofKind: "transaction" as const, transaction } }];
    answer = () => messageResponse("binary", GrpcTypes.BatchGetTransactionsResponse.toBinary({ transactions }));
    const found = { kind: "executed", execution: { events: { length: 1_024 }, changedObjects: { length: 2_048 } } };
    const looked = await node.lookUp([DIGEST], "full");
    expect(logged).toEqual([]);
    expect(looked).toMatchObject({ ok: true, value: { value: [found] } });
  });

  test("a dry run that changes twenty balances of coins with the longest names", async () => {
    const coinType = `0x2::m::N<${"0x2::m::Name,".repeat(6_300)}u8>`;
    const balanceChanges = Array.from({ length: 20 }, () => ({ address: OWNER, coinType, amount: "-7" }));
    const gasUsed = { computationCost: 1n, storageCost: 1n, storageRebate: 0n, nonRefundableStorageFee: 0n };
    const effects = GrpcTypes.TransactionEffects.create({ status: { success: true }, gasUsed });
    const transaction = GrpcTypes.ExecutedTransaction.create({ effects, balanceChanges });
    const reply = GrpcTypes.SimulateTransactionResponse.create({ transaction });
    answer = () => messageResponse("binary", GrpcTypes.SimulateTransactionResponse.toBinary(reply));
    expect(await node.dryRun(new Uint8Array(100))).toMatchObject({ ok: true, value: { success: true } });
    expect(logged).toEqual([]);
  });
});
