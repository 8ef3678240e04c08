import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  aptosAddress,
  byteNumbers,
  hexOrByteNumbers,
  rawTransactionBytes,
  secondaryAddresses,
} from "../../shared/api/aptos-values.ts";
import { longAddress } from "../chain/aptos/by-hand.ts";

const three = hexOrByteNumbers(3);
const messagesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

describe("bytes on the wire", () => {
  test.each([
    ["0x0a", [10]],
    ["0A", [10]],
    ["0x0aFf00", [10, 255, 0]],
    [[0], [0]],
    [
      [1, 2, 255],
      [1, 2, 255],
    ],
  ])("%j is read", (wire, bytes) => {
    expect(three.parse(wire)).toEqual(Uint8Array.from(bytes));
  });

  test.each([
    "",
    "0x",
    "0xa",
    "0X0a",
    "0x0g",
    "0x 0a",
    "0x0a\n",
    "0x0a0b0c0d",
    "0a0b0c0d",
    [],
    [256],
    [-1],
    [1.5],
    ["1"],
    [null],
    [Number.NaN],
    [1, 2, 3, 4],
    { 0: 1, length: 1 },
    10,
    null,
    true,
  ])("%j is refused, and the value not repeated", (wire) => {
    const messages = messagesOf(three, wire);
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.join()).toMatch(/hex|bytes|numbers/);
    expect(messages.join()).not.toContain("0a0b");
  });

  test("are written as hex with 0x, and results as numbers", () => {
    expect(z.encode(three, Uint8Array.of(1, 255))).toBe("0x01ff");
    expect(z.encode(byteNumbers(3), Uint8Array.of(1, 255))).toEqual([1, 255]);
    expect(byteNumbers(3).parse([1, 255])).toEqual(Uint8Array.of(1, 255));
    expect(byteNumbers(3).safeParse("0x01").success).toBe(false);
    expect(z.safeEncode(three, new Uint8Array(4)).success).toBe(false);
    expect(z.safeEncode(three, new Uint8Array(0)).success).toBe(false);
  });

  test("of a raw transaction are as many as the chain takes", () => {
    expect(rawTransactionBytes.safeParse("ab".repeat(65_536)).success).toBe(true);
    expect(rawTransactionBytes.safeParse(`0x${"ab".repeat(65_537)}`).success).toBe(false);
    expect(rawTransactionBytes.safeParse(Array(65_536).fill(1)).success).toBe(true);
    expect(rawTransactionBytes.safeParse(Array(65_537).fill(1)).success).toBe(false);
  });

  test("are described to clients by what the wire carries", () => {
    expect(z.toJSONSchema(three, { io: "input", target: "draft-07", unrepresentable: "any" })).toMatchObject({
      anyOf: [
        { type: "string", maxLength: 8 },
        { type: "array", items: { type: "integer", minimum: 0, maximum: 255 }, minItems: 1, maxItems: 3 },
      ],
    });
  });
});

describe("addresses on the wire", () => {
  test("are read in short and long form, and are in full length from there on", () => {
    expect(aptosAddress.parse("0x1")).toBe(longAddress(1));
    expect(aptosAddress.parse(longAddress(0xab).toUpperCase().replace("X", "x"))).toBe(longAddress(0xab));
    expect(z.encode(aptosAddress, longAddress(1))).toBe(longAddress(1));
  });

  test.each(["", "0x", "0xzz", "0xab", "x".repeat(100_000), 1, null])("%j is refused", (wire) => {
    expect(messagesOf(aptosAddress, wire).join()).toContain("must be an Aptos address");
  });

  test("of secondary signers are at most 31", () => {
    expect(secondaryAddresses.parse([])).toEqual([]);
    expect(secondaryAddresses.parse(["0x2", "0x1"])).toEqual([longAddress(2), longAddress(1)]);
    expect(secondaryAddresses.safeParse(Array(31).fill("0x1")).success).toBe(true);
    expect(messagesOf(secondaryAddresses, Array(32).fill("0x1"))).toEqual(["must be at most 31 addresses"]);
    expect(messagesOf(secondaryAddresses, ["0x1", 2]).join()).toContain("must be an Aptos address");
  });
});
