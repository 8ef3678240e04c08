import { AccountAddress, parseTypeTag } from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressBytes,
  addressOfBytes,
  formatAddress,
  parseAddress,
  parseNodeAddress,
  withFullAddresses,
  ZERO_ADDRESS,
} from "../../../shared/chain/aptos/address.ts";
import { anyAddress } from "./generated.ts";

const LONG = `0x${"0".repeat(62)}a1`;

function sdkReads(text: string): string | null {
  try {
    return AccountAddress.fromString(text).toStringLong();
  } catch {
    return null;
  }
}

describe("an address", () => {
  test.each([
    ["0x0", ZERO_ADDRESS],
    ["0", ZERO_ADDRESS],
    ["0x1", `0x${"0".repeat(63)}1`],
    ["0xA", `0x${"0".repeat(63)}a`],
    ["0x000f", `0x${"0".repeat(63)}f`],
    [LONG, LONG],
    [LONG.slice(2), LONG],
    [`0x${"AB".repeat(32)}`, `0x${"ab".repeat(32)}`],
    [`0x${"a".repeat(60)}`, `0x0000${"a".repeat(60)}`],
  ])("%s is read, in any form of AIP-40", (text, address) => {
    expect(parseAddress(text)).toBe(address);
    expect(sdkReads(text)).toBe(address);
  });

  test.each([
    "",
    "0x",
    "0xg",
    "0X1",
    " 0x1",
    "0x1 ",
    "0x0x1",
    "-1",
    "0xa1",
    `0x${"a".repeat(59)}`,
    `0x${"a".repeat(65)}`,
    `0x${"0".repeat(65)}`,
    `${LONG}\n`,
  ])("%j is none", (text) => {
    expect(parseAddress(text)).toBeNull();
    expect(sdkReads(text)).toBeNull();
  });

  test("is read where the SDK reads one, as the same, and nowhere else", () => {
    const digits = fc.stringMatching(/^[0a-fA-F1-9]{0,66}$/);
    const text = fc.oneof(
      digits,
      digits.map((some) => `0x${some}`),
      fc.nat(66).map((zeros) => `0x${"0".repeat(zeros)}7`),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (some) => {
        expect(parseAddress(some)).toBe(sdkReads(some));
      }),
      { numRuns: 2_000 },
    );
  });

  test("is printed as the SDK prints it, and read again", () => {
    fc.assert(
      fc.property(anyAddress, ({ ours, sdk }) => {
        expect(formatAddress(ours)).toBe(sdk.toString());
        expect(parseAddress(formatAddress(ours))).toBe(ours);
        expect(addressOfBytes(addressBytes(ours))).toBe(ours);
      }),
    );
  });

  test.each(["0x0", LONG.slice(2), `0y${"0".repeat(64)}`, `0x${"g".repeat(64)}`, ""])(
    "%j is not in full length, and no bytes",
    (text) => {
      expect(() => addressBytes(text)).toThrow("not an address");
    },
  );
});

describe("an address of a node", () => {
  test("is read with any number of its leading zeros left out", () => {
    const significant = fc
      .integer({ min: 1, max: 64 })
      .chain((length) =>
        fc.tuple(fc.constantFrom(..."123456789abcdef"), fc.stringMatching(new RegExp(`^[0-9a-f]{${length - 1}}$`))),
      );
    fc.assert(
      fc.property(significant, ([first, rest]) => {
        const digits = `${first}${rest}`;
        expect(parseNodeAddress(`0x${digits}`)).toBe(`0x${digits.padStart(64, "0")}`);
      }),
    );
    expect(parseNodeAddress("0xa550c18")).toBe(`0x${"a550c18".padStart(64, "0")}`);
    expect(parseNodeAddress("0x0")).toBe(ZERO_ADDRESS);
  });

  test.each(["", "0x", "a550c18", "0xg", "0X1", " 0x1", "0x1\n", `0x${"0".repeat(65)}`])("%j is none", (text) => {
    expect(parseNodeAddress(text)).toBeNull();
  });

  test("in a Move type is written in full, which the SDK reads", () => {
    const full = `0x${"a550c18".padStart(64, "0")}`;
    const one = `0x${"1".padStart(64, "0")}`;
    expect(withFullAddresses("0x1::object::Object<0xa550c18::coins::Pair<u8, T0>>")).toBe(
      `${one}::object::Object<${full}::coins::Pair<u8, T0>>`,
    );
    expect(() => parseTypeTag(withFullAddresses("0xa550c18::coins::Coin"))).not.toThrow();
  });
});
