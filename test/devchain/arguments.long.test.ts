import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction, type TransactionArgument } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_PACKAGE } from "./demo.ts";
import { callDemo, type ObjectHarness, objectHarness } from "./object-testing.ts";
import { SUI_TYPE } from "./sui/objects.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const typeArguments = [SUI_TYPE];
const U64 = bcs.u64().serialize(7n);

let chain: TestChain;
let user: Ed25519Keypair;
let harness: ObjectHarness;

beforeEach(async () => {
  chain = await startChain();
  user = await chain.account(10n * SUI);
  harness = objectHarness(chain, user);
});

/** `0x2::coin::join`, for what its arguments may be. */
function join(transaction: Transaction, into: TransactionArgument, from: TransactionArgument): void {
  transaction.moveCall({ target: "0x2::coin::join", typeArguments, arguments: [into, from] });
}

describe("what is not of the type that a command wants fails the transaction", () => {
  test.each<[string, string, (transaction: Transaction) => void]>([
    [
      "an address that is too short",
      "Invalid command argument at 1. The argument cannot be deserialized",
      (transaction) => transaction.transferObjects([transaction.gas], transaction.pure(U64)),
    ],
    [
      "an amount that is a result of another type",
      "Invalid command argument at 1. The type of the value does not match",
      (transaction) => {
        const vector = transaction.makeMoveVec({ type: "u64", elements: [transaction.pure(U64)] });
        transaction.splitCoins(transaction.gas, [vector]);
      },
    ],
    [
      "a badge split as a coin",
      "Invalid command argument at 0. The type of the value does not match",
      (transaction) => transaction.splitCoins(callDemo(transaction, "new_locker"), [1n]),
    ],
    [
      "bytes merged as a coin",
      "Invalid command argument at 1. The argument cannot be instantiated from raw bytes",
      (transaction) => transaction.mergeCoins(transaction.gas, [transaction.pure(U64)]),
    ],
    [
      "a locker where a badge is wanted",
      "Invalid command argument at 0. The type of the value does not match",
      (transaction) => callDemo(transaction, "burn", callDemo(transaction, "new_locker")),
    ],
    [
      "a vector of the wrong element",
      "Invalid command argument at 1. The type of the value does not match",
      (transaction) => {
        const vector = transaction.makeMoveVec({ elements: [callDemo(transaction, "new_locker")] });
        transaction.moveCall({
          target: "0x2::pay::join_vec",
          typeArguments,
          arguments: [transaction.gas, vector],
        });
      },
    ],
    [
      "a vector whose elements differ",
      "Invalid command argument at 1. The type of the value does not match",
      (transaction) => {
        const [coin] = transaction.splitCoins(transaction.gas, [1n]);
        transaction.makeMoveVec({ elements: [coin, callDemo(transaction, "new_locker")] });
      },
    ],
    [
      "an untyped vector of plain values",
      "Invalid command argument at 0. First argument to MakeMoveVec is not an object",
      (transaction) => transaction.makeMoveVec({ elements: [transaction.pure(U64)] }),
    ],
    [
      "a vector of an unknown type",
      "Error for type argument at index 0",
      (transaction) => transaction.makeMoveVec({ type: `${DEMO_PACKAGE}::demo::Nothing`, elements: [] }),
    ],
    [
      "an option of two",
      "Invalid command argument at 0. The argument cannot be deserialized",
      (transaction) => {
        const two = transaction.pure(bcs.vector(bcs.string()).serialize(["a", "b"]));
        callDemo(transaction, "measure", two, transaction.pure(bcs.vector(bcs.u64()).serialize([])));
      },
    ],
    [
      "a vector that is cut short",
      "Invalid command argument at 1. The argument cannot be deserialized",
      (transaction) => {
        const none = transaction.pure(bcs.option(bcs.string()).serialize(null));
        callDemo(transaction, "measure", none, transaction.pure(new Uint8Array([2, 1, 0, 0, 0, 0, 0, 0, 0])));
      },
    ],
    [
      "a result of a command that has none",
      "Invalid usage of result 1, expected a single result",
      (transaction) => {
        transaction.transferObjects([transaction.splitCoins(transaction.gas, [1n])], user.toSuiAddress());
        transaction.transferObjects([{ $kind: "Result", Result: 1 }], user.toSuiAddress());
      },
    ],
    [
      "a second result of a command that has one",
      "Out of bounds secondary access to result vector 0 at secondary index 1",
      (transaction) => {
        transaction.splitCoins(transaction.gas, [1n]);
        transaction.transferObjects([{ $kind: "NestedResult", NestedResult: [0, 1] }], user.toSuiAddress());
      },
    ],
    [
      "the same coin to join and to be joined",
      "Invalid command argument at 1. Cannot move a borrowed value",
      (transaction) => {
        const [coin] = transaction.splitCoins(transaction.gas, [1n]);
        join(transaction, coin, coin);
      },
    ],
    [
      "the gas coin by value in a call",
      "Invalid command argument at 1. Invalid taking of the Gas coin",
      (transaction) => {
        const [coin] = transaction.splitCoins(transaction.gas, [1n]);
        join(transaction, coin, transaction.gas);
      },
    ],
    [
      "too many type arguments",
      "Move Bytecode Verification Error",
      (transaction) => {
        transaction.moveCall({ target: "0x2::coin::zero", typeArguments: [SUI_TYPE, SUI_TYPE] });
      },
    ],
    [
      "a vector of coins that nobody takes",
      "Unused result without the drop ability. Command result 1, return value 0",
      (transaction) => {
        const [coin] = transaction.splitCoins(transaction.gas, [1n]);
        transaction.makeMoveVec({ elements: [coin] });
      },
    ],
  ])("%s", async (_name, message, change) => {
    const executed = await harness.run(change);
    expect(executed.status.error?.message).toContain(message);
    expect(executed.effects?.changedObjects).toHaveLength(1);
  });
});

test("pure values of every kind are read: options, vectors, texts, and vectors that a command makes", async () => {
  const executed = await harness.run((transaction) => {
    const text = transaction.pure(bcs.option(bcs.string()).serialize("four"));
    const numbers = transaction.makeMoveVec({ type: "u64", elements: [transaction.pure(U64), transaction.pure(U64)] });
    callDemo(transaction, "measure", text, numbers);
  });
  expect(executed.status).toEqual({ success: true, error: null });
  const transaction = new Transaction();
  transaction.setSender(user.toSuiAddress());
  const text = transaction.pure(bcs.option(bcs.string()).serialize("four"));
  callDemo(transaction, "measure", text, transaction.pure(bcs.vector(bcs.u64()).serialize([1n, 2n, 3n])));
  const simulated = await chain.client.simulateTransaction({ transaction, include: { commandResults: true } });
  expect(simulated.commandResults?.[0]?.returnValues[0]?.bcs).toEqual(U64.toBytes());
});

describe("literals", () => {
  type Literal = NonNullable<GrpcTypes.Input["literal"]>;
  const text = (stringValue: string): Literal => ({ kind: { oneofKind: "stringValue", stringValue } });
  const number = (numberValue: number): Literal => ({ kind: { oneofKind: "numberValue", numberValue } });
  const list = (...values: Literal[]): Literal => ({ kind: { oneofKind: "listValue", listValue: { values } } });
  const nothing: Literal = { kind: { oneofKind: "nullValue", nullValue: 0 } };

  async function measure(...literals: Literal[]) {
    const { INPUT } = GrpcTypes.Argument_ArgumentKind;
    const moveCall = {
      package: DEMO_PACKAGE,
      module: "demo",
      function: "measure",
      typeArguments: [],
      arguments: literals.map((_, input) => ({ kind: INPUT, input })),
    };
    const programmableTransaction = {
      inputs: literals.map((literal) => ({ literal })),
      commands: [{ command: { oneofKind: "moveCall" as const, moveCall } }],
    };
    const { response } = await chain.client.transactionExecutionService.simulateTransaction({
      transaction: {
        sender: user.toSuiAddress(),
        kind: {
          kind: GrpcTypes.TransactionKind_Kind.PROGRAMMABLE_TRANSACTION,
          data: { oneofKind: "programmableTransaction", programmableTransaction },
        },
      },
      readMask: { paths: ["command_outputs"] },
    });
    return response.commandOutputs[0]?.returnValues[0]?.value?.value;
  }

  test("are read as what the commands want", async () => {
    expect(await measure(text("four"), list(number(1), text("2"), number(3)))).toEqual(U64.toBytes());
    expect(await measure(nothing, list())).toEqual(bcs.u64().serialize(0n).toBytes());
  });

  test.each<[string, Literal[], string]>([
    ["no list", [nothing, text("1")], "literal cannot be resolved into type vector<u64>"],
    ["too large a number", [nothing, list(text("18446744073709551616"))], "literal cannot be resolved into type u64"],
    ["a negative number", [nothing, list(number(-1))], "literal cannot be resolved into type u64"],
    ["a number for a text", [number(1), list()], "literal cannot be resolved into type"],
  ])("%s is refused", async (_name, literals, message) => {
    await expect(measure(...literals)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    });
  });
});
