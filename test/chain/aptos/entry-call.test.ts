import {
  EntryFunction,
  generateTransactionPayloadWithABI,
  parseTypeTag,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { describe, expect, test } from "vitest";
import { encodeBcs } from "../../../shared/chain/aptos/bcs.ts";
import { entryCallPayload, type FunctionAbi } from "../../../shared/chain/aptos/entry-call.ts";
import { transactionPayload } from "../../../shared/chain/aptos/payload.ts";

const MODULE = `0x${"ab".repeat(32)}`;
const NAME = `${MODULE}::game::play` as const;

const abiOf = (...parameters: readonly string[]): FunctionAbi => ({ isEntry: true, typeParameters: 0, parameters });

function build(abi: FunctionAbi, args: readonly unknown[], typeArguments: readonly string[] = []) {
  return entryCallPayload({ function: NAME, typeArguments, arguments: args }, abi);
}

function encoded(abi: FunctionAbi, args: readonly unknown[], typeArguments: readonly string[] = []) {
  const built = build(abi, args, typeArguments);
  if (!built.ok) throw new Error(built.error.details);
  return encodeBcs(transactionPayload, built.value);
}

test("arguments of every kind come out as the SDK encodes them by itself", () => {
  const types = [
    "bool",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "u256",
    "address",
    "0x1::string::String",
    "0x1::object::Object<0x1::fungible_asset::Metadata>",
    "vector<u64>",
    "vector<vector<bool>>",
    "0x1::option::Option<u64>",
    "0x1::option::Option<address>",
  ];
  const max = (bits: number) => ((1n << BigInt(bits)) - 1n).toString();
  const args = [
    true,
    255,
    "65535",
    4_294_967_295,
    max(64),
    max(128),
    max(256),
    "0x1",
    "héllo",
    MODULE,
    ["1", 2],
    [[true], []],
    "7",
    null,
  ];
  const sdk = generateTransactionPayloadWithABI({
    function: NAME,
    functionArguments: args,
    abi: { typeParameters: [], parameters: types.map((type) => parseTypeTag(type)) },
  });
  expect(encoded(abiOf("&signer", ...types), args)).toEqual(sdk.bcsToBytes());
});

test("a vector of bytes is hex or numbers, never text", () => {
  const abi = abiOf("&signer", "vector<u8>");
  const expected = encoded(abi, [[1, 255]]);
  expect(encoded(abi, ["0x01ff"])).toEqual(expected);
  for (const text of ["01ff", "hello", "0x1", "0xzz"]) expect(build(abi, [text])).toMatchObject({ ok: false });
});

test("type arguments stand in for the parameters that they name", () => {
  const abi = { isEntry: true, typeParameters: 2, parameters: ["&signer", "T1", "vector<T0>"] };
  const types = ["u8", "0x1::string::String"];
  const empty = EntryFunction.build(
    `${MODULE}::game`,
    "play",
    types.map((type) => parseTypeTag(type)),
    [],
  );
  const built = encoded(abi, ["text", [1, 2]], types);
  const head = new TransactionPayloadEntryFunction(empty).bcsToBytes().slice(0, -1);
  expect(built.slice(0, head.length)).toEqual(head);
});

describe("what does not fit is refused by its name:", () => {
  test.each<[string, string, unknown, RegExp]>([
    ["a number that JSON has rounded", "u64", 2 ** 53, /arguments\[0\]: is not a safe integer: send a decimal string/],
    ["one that is too large", "u8", 256, /arguments\[0\]: must be a u8/],
    ["one that is negative", "u64", -1, /must be a u64/],
    ["a fraction", "u64", 1.5, /safe integer/],
    ["text that is no number", "u64", "1e3", /must be a u64/],
    ["a leading zero", "u64", "01", /must be a u64/],
    ["text for a truth", "bool", "true", /must be true or false/],
    ["a short address", "address", "0x1234", /must be an address/],
    ["a number for a text", "0x1::string::String", 5, /must be a string/],
    ["an element", "vector<u16>", [1, 65_536], /arguments\[0\]\[1\]: must be a u16/],
    ["an object for a list", "vector<u16>", { length: 0 }, /must be an array/],
    ["a struct", "0x1::coin::Coin<0x1::aptos_coin::AptosCoin>", {}, /arguments\[0\]: the type .* cannot be built/],
    ["a type that is not known", "i64", 1, /arguments\[0\]: the type/],
    ["a parameter that the function lacks", "T3", 1, /lacks/],
  ])("%s", (_, type, value, words) => {
    expect(build(abiOf("&signer", type), [value])).toMatchObject({
      ok: false,
      error: { reason: "bad_params", details: expect.stringMatching(words) },
    });
  });

  test("a call that no transaction has room for", () => {
    const abi = abiOf("vector<u8>");
    const longest = 65_536 - (encoded(abi, ["0x"]).length + 2 + 2);
    expect(encoded(abi, [`0x${"00".repeat(longest)}`])).toHaveLength(65_536);
    expect(build(abi, [`0x${"00".repeat(longest + 1)}`])).toMatchObject({
      ok: false,
      error: { reason: "bad_params", details: "arguments: the call has 65537 bytes: send at most 65536" },
    });
  });

  test("what is nested too deeply", () => {
    const type = `${"vector<".repeat(9)}u8${">".repeat(9)}`;
    let value: unknown = [];
    for (let depth = 0; depth < 9; depth++) value = [value];
    expect(build(abiOf(type), [value]).ok).toBe(false);
  });

  test("too many, too few, a view, and a second signer", () => {
    const abi = abiOf("&signer", "u8");
    for (const [changed, args, types, words] of [
      [abi, [1, 2], [], /arguments: the function takes 1, not 2/],
      [abi, [], [], /arguments: the function takes 1, not 0/],
      [abi, [1], ["u8"], /type_arguments: the function takes 0, not 1/],
      [{ ...abi, typeParameters: 1 }, [1], ["no type"], /type_arguments\[0\]: must be a Move type/],
      [{ ...abi, typeParameters: 1 }, [1], ["T0"], /type_arguments\[0\]: must be a Move type/],
      [{ ...abi, typeParameters: 1 }, [1], ["&u8"], /type_arguments\[0\]: must be a Move type/],
      [{ ...abi, isEntry: false }, [1], [], /is not an entry function/],
      [abiOf("&signer", "&signer"), [], [], /more signers/],
    ] as const)
      expect(build(changed, args, types)).toMatchObject({
        ok: false,
        error: { details: expect.stringMatching(words) },
      });
  });
});
