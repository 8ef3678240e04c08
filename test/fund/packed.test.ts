import { Buffer } from "node:buffer";
import { toBase58 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { digestBytes } from "../../shared/chain/sui/digest.ts";
import { pack, packUuid, unpack, unpackUuid } from "../../shared/fund/packed.ts";
import { newRequestId } from "../../shared/http/request-id.ts";

/** 32 bytes in each of which the digits differ, `0123…`. */
const DIGITS = "0123456789abcdef".repeat(4);

function stored(packed: Uint8Array | string): ArrayBuffer | string {
  return typeof packed === "string" ? packed : Uint8Array.from(packed).buffer;
}

test("an address, 64 digits and a UUID are stored as the bytes that their digits name", () => {
  const bytes = Buffer.from(DIGITS, "hex");
  expect(pack(`0x${DIGITS}`)).toEqual(Uint8Array.of(0, ...bytes));
  expect(pack(DIGITS)).toEqual(Uint8Array.of(1, ...bytes));
  const uuid = newRequestId(1_760_000_000_123);
  expect(packUuid(uuid)).toEqual(Uint8Array.from(Buffer.from(uuid.replaceAll("-", ""), "hex")));
});

test("a digest is 32 bytes at any length of its text, and nothing else is a digest", () => {
  for (const zeros of [0, 1, 31, 32]) {
    const bytes = new Uint8Array(32).fill(255, zeros);
    const text = toBase58(bytes);
    expect(pack(text)).toEqual(bytes);
    expect(unpack(stored(pack(text)))).toBe(text);
  }
  const tooLarge = "z".repeat(44);
  for (const text of [
    "",
    "1".repeat(31),
    "1".repeat(33),
    tooLarge,
    `${"1".repeat(31)}0`,
    `${"1".repeat(32)}\n`,
    "key_1",
  ])
    expect([text, digestBytes(text)]).toEqual([text, null]);
});

test.each([
  `0x${DIGITS}`,
  DIGITS,
  `0x${DIGITS.toUpperCase()}`,
  `0x${DIGITS}::shop::buy`,
  `0x${DIGITS.slice(2)}`,
  "key_0123456789abcdef",
  "(other)",
  "",
])("the text %s reads back as it was", (text) => {
  expect(unpack(stored(pack(text)))).toBe(text);
});

test.each([newRequestId(0), newRequestId(0).toUpperCase(), newRequestId(0).replaceAll("-", ""), "a request"])(
  "the request id %s reads back as it was",
  (text) => {
    expect(unpackUuid(stored(packUuid(text)))).toBe(text);
  },
);
