import { bcs } from "@mysten/sui/bcs";
import type { SuiTransactionBlock, SuiTransactionBlockResponse } from "@mysten/sui/jsonRpc";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { readRawEffects } from "../../shared/chain/sui/grpc/execution.ts";
import { suiTransactionBlock } from "../../shared/chain/sui/json-rpc/block-schema.ts";
import { shownResponse } from "../../shared/chain/sui/json-rpc/shown-response.ts";
import { rawTransaction, transactionBlock } from "../../shared/chain/sui/json-rpc/transaction-block.ts";
import { transactionResponse } from "../../shared/chain/sui/json-rpc/transaction-response.ts";
import { wrapKind } from "../../shared/chain/sui/transaction.ts";
import recorded from "../devchain/truth/recorded/sui-node-1.62-failures.json" with { type: "json" };
import { execution } from "../fund/simulation/rows.ts";
import { fullAddress } from "../support/addresses.ts";
import { type Command, type Input, rawKind } from "../support/sui-transactions.ts";

const address = (byte: string) => `0x${byte.repeat(32)}`;
const digest = "D8qixP5YcNzCuLMYJkigup65M6RMNiXy6nrz7T677eVC";
const [sender, fund, coinId] = [address("5e"), address("fd"), address("c0")];

/** An example of the JSON-RPC's own documentation (MystenLabs/sui, `sui-open-rpc`, sui_multiGetTransactionBlocks). */
const documented = {
  signature:
    "ADCkpLtz9B6h6by9gst01e1ap3M9XyCjZ75pT59rvq6esYIxNzb7+KWZb+L5uZ7xsmzUtxR9ayYrSkXO99Rj5gkHrX7t0yuVOWkkiOMuz7HdUZsfbMy0efpXac3VZ8UVmA==",
  rawTransaction:
    "AQAAAAAAAgAgdRst1N4ROFVKn/e09rWflCbDIcgBOv7Qk0gd1O8SZ8YBAHqOmg0HT5D920LNko90uYbG9TmnNPPXyadanLIn7DFXAgAAAAAAAAAg/xGekvV6500bJQ1d8stRcHgqikOPv2ge3tTR4KLNffsBAQEBAQABAABeUve8quH9cqfEIMHmhTfkhdIVsejqRVcrGymAQI/5tQEkli7kGTyMDS+yi74OtLpfyHosbRp8EslFSHLF6gbV4QIAAAAAAAAAIJWF1VkVIb/RLew6Ny79U5EIuoB6Davtbl2g8XTvw/WOXlL3vKrh/XKnxCDB5oU35IXSFbHo6kVXKxspgECP+bUKAAAAAAAAAKCGAQAAAAAAAAFhADCkpLtz9B6h6by9gst01e1ap3M9XyCjZ75pT59rvq6esYIxNzb7+KWZb+L5uZ7xsmzUtxR9ayYrSkXO99Rj5gkHrX7t0yuVOWkkiOMuz7HdUZsfbMy0efpXac3VZ8UVmA==",
  data: {
    messageVersion: "v1",
    transaction: {
      kind: "ProgrammableTransaction",
      inputs: [
        {
          type: "pure",
          valueType: "address",
          value: "0x751b2dd4de1138554a9ff7b4f6b59f9426c321c8013afed093481dd4ef1267c6",
        },
        {
          type: "object",
          objectType: "immOrOwnedObject",
          objectId: "0x7a8e9a0d074f90fddb42cd928f74b986c6f539a734f3d7c9a75a9cb227ec3157",
          version: "2",
          digest: "JAgYeYMPm5VLzBYcYxxQUEatfG9gHdFqSNwmBBS41Bri",
        },
      ],
      transactions: [{ TransferObjects: [[{ Input: 1 }], { Input: 0 }] }],
    },
    sender: "0x5e52f7bcaae1fd72a7c420c1e68537e485d215b1e8ea45572b1b2980408ff9b5",
    gasData: {
      payment: [
        {
          objectId: "0x24962ee4193c8c0d2fb28bbe0eb4ba5fc87a2c6d1a7c12c9454872c5ea06d5e1",
          version: 2,
          digest: "B4g7NgvgmCFYzG2BPH6nT6kM5bPaRMD76LVJ4LWysq5w",
        },
      ],
      owner: "0x5e52f7bcaae1fd72a7c420c1e68537e485d215b1e8ea45572b1b2980408ff9b5",
      price: "10",
      budget: "100000",
    },
  },
};
/** The transaction data inside of `SenderSignedData`: behind a length and the intent, before the signature. */
const documentedBytes = fromBase64(documented.rawTransaction).slice(4, -(2 + 97));

test("a transaction is shown as the node's documentation shows it, parsed and raw", () => {
  const { data, signature } = documented;
  expect(transactionBlock(documentedBytes, [signature])).toEqual({ data, txSignatures: [signature] });
  expect(rawTransaction(documentedBytes, [signature])).toBe(documented.rawTransaction);
});

const gas = {
  owner: fund,
  payment: [{ objectId: coinId, version: 9n, digest }],
  priceMist: 1_000n,
  budgetMist: 2n ** 64n - 1n,
};
const expiration = { kind: "epoch", epoch: 7n } as const;
const show = (commands: readonly Command[], inputs: readonly Input[] = []) =>
  transactionBlock(wrapKind(rawKind(commands, inputs), sender, gas, expiration), ["user", "fund"]);

const suiType = `${fullAddress("2")}::coin::Coin<${fullAddress("2")}::sui::SUI>`;
const pairType = `${fullAddress("abc")}::pair::Pair<u64,vector<u8>>`;
const [input, result, nested] = [
  { $kind: "Input", Input: 0 },
  { $kind: "Result", Result: 1 },
  { $kind: "NestedResult", NestedResult: [2, 3] },
] as const;
const call = { package: address("ab"), module: "demo", function: "mint" };

test.each<[string, Command, unknown]>([
  [
    "a Move call",
    { MoveCall: { ...call, typeArguments: [suiType, pairType], arguments: [input, nested] } },
    {
      MoveCall: {
        ...call,
        type_arguments: ["0x2::coin::Coin<0x2::sui::SUI>", "0xabc::pair::Pair<u64, vector<u8>>"],
        arguments: [{ Input: 0 }, { NestedResult: [2, 3] }],
      },
    },
  ],
  ["a Move call with nothing", { MoveCall: { ...call, typeArguments: [], arguments: [] } }, { MoveCall: call }],
  [
    "a merge",
    { MergeCoins: { destination: { GasCoin: true }, sources: [result] } },
    { MergeCoins: ["GasCoin", [{ Result: 1 }]] },
  ],
  [
    "a publication",
    { Publish: { modules: [toBase64(Uint8Array.of(1))], dependencies: [address("01")] } },
    { Publish: [address("01")] },
  ],
  [
    "an upgrade",
    {
      Upgrade: {
        modules: [toBase64(Uint8Array.of(1))],
        dependencies: [address("01")],
        package: address("02"),
        ticket: result,
      },
    },
    { Upgrade: [[address("01")], address("02"), { Result: 1 }] },
  ],
  [
    "a vector with a type",
    { MakeMoveVec: { type: suiType, elements: [result] } },
    { MakeMoveVec: ["0x2::coin::Coin<0x2::sui::SUI>", [{ Result: 1 }]] },
  ],
  ["a vector without one", { MakeMoveVec: { type: null, elements: [] } }, { MakeMoveVec: [null, []] }],
])("%s is written as a full node's JSON-RPC writes it", (_, command, expected) => {
  expect(show([command])?.data.transaction.transactions).toEqual([expected]);
});

test("an input has the type that its command gives it, and is BCS without one", () => {
  const pure = (bytes: Uint8Array): Input => ({ Pure: { bytes: toBase64(bytes) } });
  const id = address("0b");
  const inputs: Input[] = [
    pure(
      bcs
        .u64()
        .serialize(2n ** 64n - 1n)
        .toBytes(),
    ),
    pure(bcs.Address.serialize(fullAddress("7")).toBytes()),
    pure(Uint8Array.of(1, 255)),
    { Object: { SharedObject: { objectId: id, initialSharedVersion: "3", mutable: true } } },
    { Object: { Receiving: { objectId: id, version: "4", digest } } },
    {
      FundsWithdrawal: {
        reservation: { MaxAmountU64: "5" },
        typeArg: { Balance: suiType },
        withdrawFrom: { Sender: true },
      },
    },
    pure(Uint8Array.of(1)),
  ];
  const at = (index: number) => ({ $kind: "Input", Input: index }) as const;
  const commands: Command[] = [
    { SplitCoins: { coin: at(4), amounts: [at(0), at(6)] } },
    { TransferObjects: { objects: [result], address: at(1) } },
    { MoveCall: { ...call, typeArguments: [], arguments: [at(2), at(3), at(5)] } },
  ];
  expect(show(commands, inputs)?.data.transaction.inputs).toEqual([
    { type: "pure", valueType: "u64", value: "18446744073709551615" },
    { type: "pure", valueType: "address", value: fullAddress("7") },
    { type: "pure", valueType: null, value: [1, 255] },
    { type: "object", objectType: "sharedObject", objectId: id, initialSharedVersion: "3", mutable: true },
    { type: "object", objectType: "receiving", objectId: id, version: "4", digest },
    {
      type: "fundsWithdrawal",
      reservation: { maxAmountU64: "5" },
      typeArg: { balance: "0x2::coin::Coin<0x2::sui::SUI>" },
      withdrawFrom: "sender",
    },
    { type: "pure", valueType: "u64", value: [1] },
  ]);
});

const executed = recorded.flatMap((row) =>
  "transactionBcs" in row && row.transactionBcs !== undefined ? [{ ...row, txBytes: row.transactionBcs }] : [],
);
/** The SDK declares text for every version; a node gives numbers in references. The SDK knows no allowances. */
function asDeclared({ data, txSignatures }: NonNullable<ReturnType<typeof transactionBlock>>): SuiTransactionBlock {
  const payment = data.gasData.payment.map((coin) => ({ ...coin, version: coin.version.toString() }));
  const transaction = data.transaction as SuiTransactionBlock["data"]["transaction"];
  return { data: { ...data, transaction, gasData: { ...data.gasData, payment } }, txSignatures };
}

test.each(executed)("what a real node executed fits the SDK's types and our schema: $name", ({ txBytes }) => {
  const bytes = fromBase64(txBytes);
  const shown = transactionBlock(bytes, [documented.signature]);
  if (shown === null) throw new Error("the transaction is not shown");
  expect(suiTransactionBlock.parse(shown)).toEqual(shown);
  const parsed = bcs.TransactionData.parse(bytes).V1;
  expect(asDeclared(shown).data).toMatchObject({ sender: parsed.sender, gasData: parsed.gasData });
  const [signed] = bcs.SenderSignedData.parse(fromBase64(rawTransaction(bytes, [documented.signature]) ?? ""));
  expect(signed?.intentMessage.value.V1).toEqual(parsed);
  expect(signed?.txSignatures).toEqual([documented.signature]);
});

test("the options decide what of the input is shown, and what could not be had is left out", () => {
  const response = transactionResponse(execution(digest), sender, null);
  const input = { txBytes: documentedBytes, signatures: [documented.signature], rawEffects: Uint8Array.of(1, 2) };
  const all = { showInput: true, showRawInput: true, showRawEffects: true };
  const { rawTransaction: raw, rawEffects, ...shown } = shownResponse(response, input, all);
  const known: Pick<SuiTransactionBlockResponse, "rawTransaction" | "rawEffects"> = {
    rawTransaction: raw ?? "",
    rawEffects: rawEffects ?? [],
  };
  expect(known).toEqual({ rawTransaction: documented.rawTransaction, rawEffects: [1, 2] });
  expect(shown.transaction?.txSignatures).toEqual([documented.signature]);
  const nothing = { txBytes: Uint8Array.of(9), signatures: input.signatures, rawEffects: null };
  for (const [given, options] of [
    [input, {}],
    [nothing, all],
  ] as const)
    for (const name of ["transaction", "rawTransaction", "rawEffects"])
      expect(shownResponse(response, given, options)).not.toHaveProperty(name);
});

test("raw effects are a transaction's own, or none", () => {
  const [first] = executed;
  const value = fromBase64(first?.effectsBcs ?? "");
  const own = bcs.TransactionEffects.parse(value).V2?.transactionDigest ?? "";
  const effects = { bcs: { value } } as Parameters<typeof readRawEffects>[0]["effects"];
  const reply = { effects } as Parameters<typeof readRawEffects>[0];
  expect(readRawEffects(reply, own)).toEqual(value);
  expect(readRawEffects(reply, digest)).toBeNull();
  value[0] = 200;
  expect(readRawEffects(reply, own)).toBeNull();
});
