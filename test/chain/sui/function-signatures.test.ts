import { GrpcTypes } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, expect, test } from "vitest";
import { FunctionSignatures, type MoveFunctionName } from "../../../shared/chain/sui/function-signatures.ts";
import { functionsCalled, transactionBlock } from "../../../shared/chain/sui/json-rpc/transaction-block.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { messageResponse } from "../../devchain/sui/grpc-web.ts";
import { BASE_URL, startChain, type TestChain } from "../../devchain/testing.ts";

const NETWORK = "SUI_LOCALNET";
const CALL_MS = 20_000;
const MINUTE_MS = 60_000;
const address = (byte: string) => `0x${byte.repeat(64)}`;
const mint: MoveFunctionName = { package: DEMO_PACKAGE, module: "demo", function: "mint" };

let chain: TestChain;
let asked: string[];
/** In the place of the endpoint's answer; null: its own. */
let instead: (() => Promise<Response>) | null;
let aheadMs: number;
let signatures: FunctionSignatures;
beforeEach(async () => {
  chain = await startChain();
  asked = [];
  instead = null;
  aheadMs = 0;
  signatures = new FunctionSignatures({
    urls: () => [`${BASE_URL}/sui`, `${BASE_URL}/sui/b`],
    fetch: (input, init) => {
      asked.push(String(input));
      return instead === null ? chain.chain.fetch(new Request(input, init)) : instead();
    },
    clock: { nowMs: () => chain.clock.nowMs + aheadMs, alarmAtMs: (atMs) => atMs },
  });
});

const known = async (...functions: readonly MoveFunctionName[]) => {
  const parametersOf = await signatures.of(NETWORK, functions, CALL_MS);
  return functions.map(parametersOf);
};
const STRING = { kind: "struct", name: "0x1::string::String" };

async function build(fill: (transaction: Transaction) => void): Promise<Uint8Array> {
  const transaction = new Transaction();
  fill(transaction);
  transaction.setSender(address("5"));
  transaction.setGasPrice(1_000);
  transaction.setGasBudget(1_000);
  transaction.setGasPayment([]);
  transaction.setExpiration({ None: true });
  return transaction.build();
}

async function inputsOf(bytes: Uint8Array) {
  const parametersOf = await signatures.of(NETWORK, functionsCalled(bytes), CALL_MS);
  return transactionBlock(bytes, [], parametersOf)?.data.transaction.inputs;
}

test("pure inputs of Move calls are shown by the signatures that the chain serves", async () => {
  const bytes = await build((transaction) => {
    const name = transaction.pure.string("a badge");
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [name] });
    const [coin] = transaction.splitCoins(transaction.gas, [transaction.pure.u64(5)]);
    transaction.moveCall({
      target: "0x2::transfer::public_transfer",
      typeArguments: ["0x2::coin::Coin<0x2::sui::SUI>"],
      arguments: [coin, transaction.pure.address(address("a"))],
    });
    transaction.makeMoveVec({ type: "u16", elements: [transaction.pure.u16(7)] });
  });
  expect(await inputsOf(bytes)).toEqual([
    { type: "pure", valueType: "0x1::string::String", value: "a badge" },
    { type: "pure", valueType: "u64", value: "5" },
    { type: "pure", valueType: "address", value: address("a") },
    { type: "pure", valueType: "u16", value: 7 },
  ]);
});

test("a function that no node knows costs only its own inputs their types, and is asked for again", async () => {
  const bytes = await build((transaction) => {
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("a")] });
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::nope`, arguments: [transaction.pure.u8(9)] });
  });
  for (const _ of ["first", "second"])
    expect(await inputsOf(bytes)).toEqual([
      { type: "pure", valueType: "0x1::string::String", value: "a" },
      { type: "pure", valueType: null, value: [9] },
    ]);
  expect(asked).toHaveLength(3);
});

test("only functions that take pure inputs are asked for, each once, and of one endpoint", async () => {
  const bytes = await build((transaction) => {
    transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
    for (const name of ["a", "b"])
      transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  });
  await inputsOf(bytes);
  await inputsOf(bytes);
  expect(asked).toEqual([`${BASE_URL}/sui/sui.rpc.v2.MovePackageService/GetFunction`]);
});

/** What a node of release 1.62 answered for `0x2::coin::zero`, with a parameter that a call can fill in added. */
function described(parameters: readonly GrpcTypes.OpenSignature[]): Response {
  const context = "0x0000000000000000000000000000000000000000000000000000000000000002::tx_context::TxContext";
  const body = { type: 10, typeName: context, typeParameterInstantiation: [] };
  return messageResponse(
    "binary",
    GrpcTypes.GetFunctionResponse.toBinary({
      function: GrpcTypes.FunctionDescriptor.create({
        name: "zero",
        visibility: 2,
        isEntry: false,
        typeParameters: [{ constraints: [] }],
        parameters: [...parameters, { reference: 2, body }],
      }),
    }),
  );
}

const open = (type: number, ...typeParameterInstantiation: GrpcTypes.OpenSignatureBody[]) => ({
  type,
  typeParameterInstantiation,
});

test("references, type parameters and what pure bytes cannot be are told apart", async () => {
  const parameter = { ...open(11), typeParameter: 0 };
  const option = {
    ...open(10, parameter),
    typeName: "0x0000000000000000000000000000000000000000000000000000000000000001::option::Option",
  };
  const deep = Array.from({ length: 9 }).reduce<GrpcTypes.OpenSignatureBody>((inner) => open(9, inner), open(3));
  const bodies = [parameter, option, deep, open(9), open(0), open(99), open(11)];
  instead = async () => described([{ reference: 1, body: open(6) }, ...bodies.map((body) => ({ body })), {}]);
  const element = { kind: "parameter", index: 0 };
  const u64 = { kind: "primitive", name: "u64" };
  const rest = Array(8).fill(null);
  expect(await known(mint)).toEqual([[u64, element, { kind: "option", element }, ...rest.slice(1)]]);
});

test("more parameters than a function has are no answer", async () => {
  instead = async () => described(Array.from({ length: 300 }, () => ({ body: open(3) })));
  expect(await known(mint)).toEqual([null]);
});

test.each<[string, () => Promise<Response>]>([
  ["hangs", () => new Promise(() => {})],
  ["fails", async () => new Response("busy", { status: 503 })],
  ["floods", async () => described(Array.from({ length: 40_000 }, () => ({ body: open(3) })))],
])("an endpoint that %s delays an answer by a second at most, once a minute", async (_, answer) => {
  instead = answer;
  const beganAtMs = performance.now();
  expect(await known(mint)).toEqual([null]);
  expect(performance.now() - beganAtMs).toBeLessThan(5_000);
  expect(await known(mint)).toEqual([null]);
  expect(asked).toHaveLength(1);
  instead = null;
  aheadMs = MINUTE_MS;
  expect(await known(mint)).toEqual([[STRING, null]]);
});

test("a signature that is too long is asked for once a minute, and keeps no other from being shown", async () => {
  instead = async () => described(Array.from({ length: 40_000 }, () => ({ body: open(3) })));
  const long = { ...mint, function: "long" };
  expect(await known(long)).toEqual([null]);
  instead = null;
  expect(await known(long, mint)).toEqual([null, [STRING, null]]);
  expect(asked).toHaveLength(2);
});

test("a call that has no time left asks nobody for long, and one answer asks for eight functions", async () => {
  instead = () => new Promise(() => {});
  const functions = Array.from({ length: 20 }, (_, index) => ({ ...mint, function: `f${index}` }));
  const parametersOf = await signatures.of(NETWORK, functions, 0);
  expect(functions.map(parametersOf).every((parameters) => parameters === null)).toBe(true);
  expect(asked.length).toBeLessThanOrEqual(8);
});

test("a thousand signatures are kept, those that were asked for last", async () => {
  const at = (index: number) => ({ ...mint, function: `f${index}` });
  instead = async () => described([]);
  for (let index = 0; index < 1_000; index++) await known(at(index));
  await known(at(0));
  await known(at(1_000));
  asked = [];
  await known(at(0), at(2), at(1_000));
  expect(asked).toHaveLength(0);
  await known(at(1));
  expect(asked).toHaveLength(1);
});
