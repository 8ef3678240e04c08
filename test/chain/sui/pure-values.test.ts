import { bcs } from "@mysten/sui/bcs";
import { expect, test } from "vitest";
import { filledIn, pureType, typeText } from "../../../shared/chain/sui/pure-types.ts";
import { shownPureValue } from "../../../shared/chain/sui/pure-values.ts";
import { fullAddress } from "../../support/addresses.ts";

const utf8 = bcs.string();
const MAX_U64 = 2n ** 64n - 1n;
const STRING = `${fullAddress("1")}::string::String`;
const ASCII = "0x1::ascii::String";
const ID = "0x2::object::ID";
const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes);

function shown(type: string, bytes: Uint8Array) {
  const known = pureType(type);
  return { valueType: known && typeText(known), value: shownPureValue(bytes, known) };
}

/** MystenLabs/sui, `sui-json`, `from_bcs_bytes` in its tests: the same bytes and what they are shown as. */
test.each<[string, Uint8Array, unknown]>([
  ["u32", bytesOf(160, 134, 1, 0), 100_000],
  [
    "vector<u32>",
    bytesOf(5, ...[80, 195, 0, 0], ...[80, 195, 0, 0], ...[80, 195, 0, 0], ...[80, 195, 0, 0], ...[80, 195, 0, 0]),
    Array(5).fill(50_000),
  ],
  [
    "address",
    bcs.Address.serialize(fullAddress("11111111111111111111111111111111111")).toBytes(),
    fullAddress("11111111111111111111111111111111111"),
  ],
  [ASCII, utf8.serialize("Some String").toBytes(), "Some String"],
  [`0x1::option::Option<${ASCII}>`, bcs.option(utf8).serialize("Some String").toBytes(), ["Some String"]],
])("%s is shown as the node's own tests show it", (type, bytes, value) => {
  expect(shown(type, bytes)).toEqual({ valueType: type, value });
});

/** The same source, `move_value_to_json` and `try_parse_string`. */
test.each<[string, string, Uint8Array, unknown]>([
  ["bool", "bool", bytesOf(1), true],
  ["u8", "u8", bytesOf(255), 255],
  ["u16", "u16", bytesOf(255, 255), 65_535],
  ["u64", "u64", bcs.u64().serialize(MAX_U64).toBytes(), MAX_U64.toString()],
  [
    "u128",
    "u128",
    bcs
      .u128()
      .serialize(MAX_U64 + 1n)
      .toBytes(),
    "18446744073709551616",
  ],
  ["u256", "u256", bcs.u256().serialize(7n).toBytes(), "7"],
  [STRING, "0x1::string::String", utf8.serialize("Zoë").toBytes(), "Zoë"],
  [ID, ID, bcs.Address.serialize("0x7").toBytes(), fullAddress("7")],
  ["vector<u8>", "vector<u8>", bytesOf(2, 104, 105), "hi"],
  ["vector<u8>", "vector<u8>", bytesOf(2, 255, 254), [255, 254]],
  ["vector<u8>", "vector<u8>", bytesOf(0), ""],
  ["vector<vector<u8>>", "vector<vector<u8>>", bytesOf(1, 2, 104, 105), [[104, 105]]],
  [`vector<${STRING}>`, "vector<0x1::string::String>", bcs.vector(utf8).serialize(["a", ""]).toBytes(), ["a", ""]],
  ["0x1::option::Option<u64>", "0x1::option::Option<u64>", bytesOf(0), []],
  ["0x1::option::Option<vector<bool>>", "0x1::option::Option<vector<bool>>", bytesOf(1, 2, 0, 1), [[false, true]]],
])("a %s is written as JSON-RPC writes it", (type, valueType, bytes, value) => {
  expect(shown(type, bytes)).toEqual({ valueType, value });
});

test.each<[string, Uint8Array]>([
  ["u64", bytesOf(1)],
  ["u8", bytesOf(1, 2)],
  ["bool", bytesOf(2)],
  [STRING, bytesOf(1, 255)],
  ["vector<u16>", bytesOf(2, 0, 0, 0)],
  ["vector<u16>", bytesOf(255, 255, 255, 255, 15)],
  ["vector<u16>", bytesOf(128, 0)],
  ["0x1::option::Option<u8>", bytesOf(2, 1, 1)],
  ["address", bytesOf()],
])("bytes that are no %s keep its name and stay bytes", (type, bytes) => {
  expect(shown(type, bytes).value).toEqual([...bytes]);
  expect(shown(type, bytes).valueType).not.toBeNull();
});

test.each([
  "signer",
  "0x2::coin::Coin<0x2::sui::SUI>",
  "vector<0x2::sui::SUI>",
  "0x3::string::String",
  "0x1::option::Option",
  "0x1::option::Option<u8, u8>",
  "u512",
  "",
  `${"vector<".repeat(9)}u8${">".repeat(9)}`,
])("%s is no type of pure bytes, which stay without one", (type) => {
  expect(shown(type, bytesOf(1, 2))).toEqual({ valueType: null, value: [1, 2] });
});

test("a type parameter is filled in with the type argument of the call", () => {
  const parameter = { kind: "parameter", index: 1 } as const;
  const text = (typeArguments: readonly string[]) => {
    const type = filledIn({ kind: "vector", element: { kind: "option", element: parameter } }, typeArguments);
    return type && typeText(type);
  };
  expect(text(["bool", STRING])).toBe("vector<0x1::option::Option<0x1::string::String>>");
  expect([text(["bool"]), text(["bool", "0x2::sui::SUI"])]).toEqual([null, null]);
});
