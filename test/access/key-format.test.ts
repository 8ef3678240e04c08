import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashKeySecret, hasValidCheck, issueAccessKey, parseAccessKey } from "../../shared/access/key-format.ts";
import type { VersionedSecrets } from "../../shared/config/secret-versions.ts";
import { networks } from "../../shared/networks.ts";
import { rounds } from "../support/rounds.ts";

const peppers: VersionedSecrets = {
  current: 2,
  byVersion: new Map([
    [1, new Uint8Array(32).fill(1)],
    [2, new Uint8Array(32).fill(2)],
  ]),
};

const parts = fc.record({
  region: fc.stringMatching(/^[a-z]{2}[0-9]{1,2}$/),
  network: fc.constantFrom(...networks),
  keyId: fc.stringMatching(/^key_[0-9a-f]{20}$/),
  secret: fc.uint8Array({ minLength: 16, maxLength: 16 }),
});

function accepted(text: string, by: VersionedSecrets = peppers): boolean {
  const key = parseAccessKey(text);
  return key !== null && hasValidCheck(key, by);
}

test("a key reads back as what it was issued for", () => {
  fc.assert(
    fc.property(parts, (given) => {
      const text = issueAccessKey(given, peppers);
      expect(accepted(text)).toBe(true);
      expect(parseAccessKey(text)).toMatchObject({ ...given, pepperVersion: 2 });
    }),
  );
});

test("the bytes are those of the documented format", () => {
  const secret = new Uint8Array(16).fill(0xab);
  const given = { region: "us1", network: "SUI_TESTNET", keyId: `key_${"0c".repeat(10)}`, secret } as const;
  const before = `us1_sui_testnet_02${"0c".repeat(10)}${"ab".repeat(16)}`;
  const check = createHmac("sha256", new Uint8Array(32).fill(2)).update(before).digest().subarray(0, 5).toString("hex");
  expect(issueAccessKey(given, peppers)).toBe(before + check);
  expect(Buffer.from(hashKeySecret(secret)).toString("hex")).toBe(createHash("sha256").update(secret).digest("hex"));
});

test("a key with any one character changed is refused", () => {
  const characters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF_- ";
  fc.assert(
    fc.property(parts, fc.nat(), fc.constantFrom(...characters), (given, at, character) => {
      const text = issueAccessKey(given, peppers);
      const index = at % text.length;
      fc.pre(text[index] !== character);
      expect(accepted(text.slice(0, index) + character + text.slice(index + 1))).toBe(false);
    }),
    { numRuns: rounds(2_000) },
  );
});

test("each character of one key in turn, changed to each other hex digit or letter, is refused", () => {
  const text = issueAccessKey(
    { region: "us1", network: "SUI_MAINNET", keyId: `key_${"5a".repeat(10)}`, secret: new Uint8Array(16).fill(7) },
    peppers,
  );
  for (let index = 0; index < text.length; index++)
    for (const character of "0123456789abcdefghijklmnopqrstuvwxyz_")
      if (text[index] !== character)
        expect(accepted(text.slice(0, index) + character + text.slice(index + 1)), `${index} ${character}`).toBe(false);
});

test("a key shortened, lengthened, upper-cased or padded is refused", () => {
  fc.assert(
    fc.property(parts, (given) => {
      const text = issueAccessKey(given, peppers);
      for (const other of [text.slice(1), text.slice(0, -1), `${text}0`, `0${text}`, `${text}\n`, ` ${text}`])
        expect(accepted(other)).toBe(false);
      expect(accepted(text.replace(/[a-f][^_]*$/, (hex) => hex.toUpperCase()))).toBe(false);
    }),
  );
});

test("a key relabelled to another network or region is refused", () => {
  fc.assert(
    fc.property(parts, fc.constantFrom(...networks), (given, network) => {
      fc.pre(network !== given.network);
      const hex = issueAccessKey(given, peppers).slice(-64);
      expect(accepted(`${given.region}_${network.toLowerCase()}_${hex}`)).toBe(false);
      expect(accepted(`zz99_${given.network.toLowerCase()}_${hex}`)).toBe(given.region === "zz99");
    }),
  );
});

test("a key of an older pepper stays good while that pepper is kept, and not after", () => {
  fc.assert(
    fc.property(parts, (given) => {
      const old = issueAccessKey(given, { ...peppers, current: 1 });
      expect(accepted(old)).toBe(true);
      expect(accepted(old, { current: 2, byVersion: new Map([...peppers.byVersion].slice(1)) })).toBe(false);
    }),
  );
});

test("no text whatever makes the parser throw", () => {
  fc.assert(fc.property(fc.string({ maxLength: 200, unit: "binary" }), (text) => !accepted(text)));
});
