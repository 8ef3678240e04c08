import { GrpcTypes } from "@mysten/sui/grpc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SuiExecution } from "../../../shared/chain/sui/execution.ts";
import { executedJson, readMaskOf } from "../../../shared/chain/sui/grpc/executed-json.ts";
import { readExecution } from "../../../shared/chain/sui/grpc/execution.ts";
import { execution, objectId } from "../../fund/simulation/rows.ts";

const digest = "D8qixP5YcNzCuLMYJkigup65M6RMNiXy6nrz7T677eVC";
const { MOVE_ABORT } = GrpcTypes.ExecutionError_ExecutionErrorKind;
const SIGNATURE = btoa("signature");

function jsonOf(given: SuiExecution, paths: readonly string[] = ["*"], rawEffects: Uint8Array | null = null) {
  const mask = readMaskOf(paths);
  if (!mask.ok) throw new Error(mask.error);
  const txBytes = Uint8Array.of(1, 2, 3);
  return executedJson({ execution: given, txBytes, signatures: [SIGNATURE], rawEffects }, mask.value).transaction;
}

const owners = [
  { kind: 1, address: objectId(1) },
  { kind: 2, address: objectId(2) },
  { kind: 3, version: 3n },
  { kind: 4 },
  { kind: 5, address: objectId(5), version: 2n ** 64n - 1n },
];
const gas: GrpcTypes.ChangedObject = {
  objectId: objectId(1),
  objectType: "0x2::coin::Coin<0x2::sui::SUI>",
  idOperation: 1,
  inputState: 2,
  inputVersion: 6n,
  inputDigest: digest,
  inputOwner: { kind: 1, address: objectId(8) },
  outputState: 2,
  outputVersion: 7n,
  outputDigest: digest,
  outputOwner: { kind: 1, address: objectId(9) },
};

/** An executed transaction as a node sends it, with every part that is served. */
const sent: GrpcTypes.ExecutedTransaction = {
  digest,
  transaction: { digest, bcs: { name: "TransactionData", value: Uint8Array.of(1, 2, 3) } },
  signatures: [
    {
      bcs: { name: "UserSignatureBytes", value: new TextEncoder().encode("signature") },
      signature: { oneofKind: undefined },
    },
  ],
  effects: {
    bcs: { name: "TransactionEffects", value: Uint8Array.of(9) },
    status: { success: true },
    epoch: 2n ** 64n - 1n,
    gasUsed: { computationCost: 0n, storageCost: 2n, storageRebate: 3n, nonRefundableStorageFee: 4n },
    transactionDigest: digest,
    gasObject: gas,
    eventsDigest: digest,
    dependencies: [digest],
    lamportVersion: 7n,
    changedObjects: [
      gas,
      ...owners.map(
        (outputOwner, index): GrpcTypes.ChangedObject => ({
          objectId: objectId(20 + index),
          objectType: "0x2::demo::Badge",
          idOperation: 2,
          inputState: 1,
          outputState: 2,
          outputVersion: 7n,
          outputDigest: digest,
          outputOwner,
        }),
      ),
      { ...gas, objectId: objectId(30), objectType: "package", outputState: 3, outputOwner: { kind: 4 } },
      { objectId: objectId(31), idOperation: 3, inputState: 1, outputState: 1 },
      { objectId: objectId(32), idOperation: 1, inputState: 1, outputState: 4 },
    ],
    unchangedConsensusObjects: [],
    unchangedLoadedRuntimeObjects: [],
  },
  events: {
    events: [
      {
        packageId: "0x2",
        module: "demo",
        sender: "0x5",
        eventType: "0x2::demo::Minted",
        contents: { name: "0x2::demo::Minted", value: Uint8Array.of(1, 255) },
        json: GrpcTypes.Event.fromJson({ json: { name: "Ada", list: [1.5, null, true, {}] } }).json,
      } as GrpcTypes.Event,
    ],
  },
  checkpoint: 0n,
  timestamp: { seconds: 1_700_000_000n, nanos: 120_000_000 },
  balanceChanges: [{ address: objectId(9), coinType: "0x2::sui::SUI", amount: "-5" }],
};

const RAW = Uint8Array.of(9);
const kept = (node: GrpcTypes.ExecutedTransaction) => readExecution(node, digest);

test("the JSON is what the SDK writes of the message that the node sent", () => {
  expect(jsonOf(kept(sent), ["*"], RAW)).toEqual(GrpcTypes.ExecutedTransaction.toJson(sent));
});

test("64-bit integers are strings, bytes base64, times RFC 3339, and enumerations names", () => {
  expect(jsonOf(kept(sent), ["*"], RAW)).toMatchObject({
    checkpoint: "0",
    timestamp: "2023-11-14T22:13:20.120Z",
    signatures: [{ bcs: { name: "UserSignatureBytes", value: SIGNATURE } }],
    transaction: { bcs: { value: "AQID" } },
    effects: {
      bcs: { value: "CQ==" },
      epoch: "18446744073709551615",
      gasUsed: { computationCost: "0" },
      gasObject: { idOperation: "NONE", inputState: "INPUT_OBJECT_STATE_EXISTS", outputOwner: { kind: "ADDRESS" } },
    },
    events: { events: [{ json: { name: "Ada", list: [1.5, null, true, {}] } }] },
  });
});

test("the answer reads back as the SDK's message", () => {
  const read = GrpcTypes.ExecutedTransaction.fromJson(JSON.parse(JSON.stringify(jsonOf(kept(sent), ["*"], RAW))));
  expect(kept(read)).toEqual(kept(sent));
});

describe("a failure has its kind, its command and its words", () => {
  const failed = (error: GrpcTypes.ExecutionError) => ({
    ...sent,
    effects: { ...sent.effects, status: { success: false, error } } as GrpcTypes.TransactionEffects,
  });
  const statusOf = (error: GrpcTypes.ExecutionError) => jsonOf(kept(failed(error)), ["effects.status"]);

  test("an abort", () => {
    const location = {
      package: objectId(2),
      module: "demo",
      function: 1,
      instruction: 4,
      functionName: "increment_by",
    };
    const abort = { abortCode: 2n ** 63n, location };
    expect(statusOf({ kind: MOVE_ABORT, command: 0n, errorDetails: { oneofKind: "abort", abort } })).toEqual({
      effects: {
        status: {
          success: false,
          error: {
            description: expect.stringMatching(/^MoveAbort\(.*\) in command 0$/),
            command: "0",
            kind: "MOVE_ABORT",
            abort: {
              abortCode: "9223372036854775808",
              location: { package: objectId(2), module: "demo", functionName: "increment_by" },
            },
          },
        },
      },
    });
  });

  test.each([
    [1, "INSUFFICIENT_GAS"],
    [9, "COIN_BALANCE_OVERFLOW"],
    [14, "VM_VERIFICATION_OR_DESERIALIZATION_ERROR"],
    [41, "INSUFFICIENT_FUNDS_FOR_WITHDRAW"],
  ])("kind %i", (kind, name) => {
    expect(statusOf({ kind, command: 3n, errorDetails: { oneofKind: undefined } })).toMatchObject({
      effects: { status: { success: false, error: { kind: name, command: "3" } } },
    });
  });

  test("a size, whose words begin with another name than its kind", () => {
    const errorDetails = { oneofKind: "sizeError" as const, sizeError: { size: 2n, maxSize: 1n } };
    expect(statusOf({ kind: 5, errorDetails })).toMatchObject({
      effects: { status: { error: { kind: "OBJECT_TOO_BIG" } } },
    });
  });

  test("a failure that this build does not know has the node's words alone", () => {
    expect(statusOf({ kind: 999 as never, description: "Odd.", errorDetails: { oneofKind: undefined } })).toEqual({
      effects: { status: { success: false, error: { description: "Odd." } } },
    });
  });
});

test("what no node shows yet is left out", () => {
  const early = execution(digest, { gasObjectId: null, checkpoint: null, timestampMs: null, events: [] });
  const shown = jsonOf(early, ["checkpoint", "timestamp", "events", "effects.bcs", "effects.gas_object", "digest"]);
  expect(shown).toEqual({ digest, effects: {} });
});

test("no execution that a node's reply can become makes the mapping throw", () => {
  const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const owner = fc.constantFrom({ kind: "immutable" as const }, null);
  const state = fc.option(fc.record({ version: u64, digest: fc.string(), owner }));
  const change = fc.record({
    objectId: fc.string(),
    objectType: fc.option(fc.string()),
    operation: fc.constantFrom("none" as const, "created" as const, "deleted" as const),
    input: state,
    output: state,
  });
  const event = fc.record({
    packageId: fc.string(),
    module: fc.string(),
    sender: fc.string(),
    eventType: fc.string(),
    contents: fc.uint8Array(),
    json: fc.oneof(fc.jsonValue(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, undefined)),
  });
  const hostile = fc.record({
    success: fc.boolean(),
    error: fc.option(fc.string()),
    timestampMs: fc.option(fc.maxSafeNat()),
    checkpoint: fc.option(u64),
    changedObjects: fc.array(change, { maxLength: 3 }),
    events: fc.array(event, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(hostile, (change) => {
      expect(() => JSON.stringify(jsonOf(execution(digest, change)))).not.toThrow();
    }),
    { numRuns: 300 },
  );
});

test("lists that the mask does not show are not built, however long an app's package makes them", () => {
  const unread = new Proxy([], {
    get(list, name, self) {
      if (name === "map" || name === "length" || name === Symbol.iterator) throw new Error("the list was read");
      return Reflect.get(list, name, self);
    },
  });
  const long = { ...readExecution({ ...sent, checkpoint: 5n }, digest), events: unread, balanceChanges: unread };
  expect(jsonOf(long, ["checkpoint"])).toEqual({ checkpoint: "5" });
  expect(() => jsonOf(long, ["balance_changes"])).toThrow("the list was read");
});
