import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, toHex } from "../../../shared/bytes.ts";
import { accountAuthenticator, decodeAccountAuthenticator } from "../../../shared/chain/aptos/authenticator.ts";
import { encodeBcs } from "../../../shared/chain/aptos/bcs.ts";
import { MAX_TRANSACTION_BYTES } from "../../../shared/chain/aptos/limits.ts";
import { decodeRawTransaction, encodeRawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { decodeSignedTransaction, encodeSignedTransaction } from "../../../shared/chain/aptos/signed-transaction.ts";
import type { Outcome } from "../../../shared/errors.ts";
import { rounds } from "../../support/rounds.ts";
import {
  ANY_ED25519_KEY,
  ANY_ED25519_SIGNATURE,
  address,
  authenticators,
  blob,
  byte,
  decoded,
  ED25519,
  ENTRY,
  ENTRY_ARGUMENTS,
  entryFunction,
  filled,
  join,
  keylessSignature,
  longAddress,
  multiEd25519,
  multiKey,
  type Parts,
  padded,
  payloads,
  SCRIPT,
  script,
  signed,
  structTag,
  text,
  transaction,
  u64,
  uleb,
  vector,
  vectorTag,
  ZERO_KNOWLEDGE,
} from "./by-hand.ts";

/** The outcome of reading, and what is read written again. */
type Read = (
  bytes: Uint8Array,
) => { readonly reason: string; readonly details: string } | { readonly again: Uint8Array };

function reader<T>(decode: (bytes: Uint8Array) => Outcome<T>, encode: (value: T) => Uint8Array): Read {
  return (bytes) => {
    const outcome = decode(bytes);
    return outcome.ok ? { again: encode(outcome.value) } : outcome.error;
  };
}

const readers = {
  "raw transaction": reader(decodeRawTransaction, encodeRawTransaction),
  authenticator: reader(decodeAccountAuthenticator, (value) => encodeBcs(accountAuthenticator, value)),
  "signed transaction": reader(decodeSignedTransaction, ({ rawTransaction, authenticator }) =>
    encodeSignedTransaction(encodeRawTransaction(rawTransaction), authenticator),
  ),
};

const samples: readonly (readonly [string, Read, Parts])[] = [
  ...Object.entries(payloads).map(
    ([name, payload]) => [`raw transaction, ${name}`, readers["raw transaction"], transaction(payload)] as const,
  ),
  ...Object.entries(authenticators).map(
    ([name, parts]) => [`authenticator, ${name}`, readers.authenticator, parts] as const,
  ),
  ...Object.entries(signed).map(
    ([name, parts]) => [`signed transaction, ${name}`, readers["signed transaction"], parts] as const,
  ),
];

/** An authenticator's faults are all one reason to whoever sent it. */
const reasonsOf = (name: string) =>
  name.startsWith("authenticator")
    ? { cutOff: "bad_signature", nonCanonical: "bad_signature" }
    : { cutOff: "unsupported_transaction", nonCanonical: "non_canonical_bytes" };

describe.each(samples)("%s", (name, read, parts) => {
  const bytes = join(parts);
  const { cutOff, nonCanonical } = reasonsOf(name);

  test("is read, and written again as it was", () => {
    expect(read(bytes)).toEqual({ again: bytes });
  });

  test("cut off after any byte is refused, also where more bytes follow in memory", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(read(bytes.slice(0, length))).toMatchObject({ reason: cutOff });
      expect(read(bytes.subarray(0, length))).toMatchObject({ reason: cutOff });
    }
  });

  test("inside a longer buffer is what its bounds say", () => {
    const surrounded = concatBytes(Uint8Array.of(1, 2, 3), bytes, Uint8Array.of(4, 5, 6));
    expect(read(surrounded.subarray(3, 3 + bytes.length))).toEqual({ again: bytes });
  });

  test("followed by anything is refused", () => {
    for (const tail of [[0], [1], [255], [0, 0, 0, 0], [...bytes]])
      expect(read(concatBytes(bytes, Uint8Array.from(tail)))).toMatchObject({ reason: nonCanonical });
  });

  test("with any length or variant in more bytes than it needs is refused", () => {
    const all = [1, 2, 3, 4].flatMap((paddingBytes) => padded(parts, paddingBytes));
    expect(all.length).toBeGreaterThan(0);
    for (const longer of all) {
      const outcome = read(longer);
      expect(outcome).not.toHaveProperty("again");
      // Five bytes are the most that a length has.
      if (longer.length - bytes.length < 4) expect(outcome).toMatchObject({ reason: nonCanonical });
    }
  });

  test("with any byte changed is refused, or is other bytes that are read and written again as they are", () => {
    for (let index = 0; index < bytes.length; index++)
      for (const flip of [0x01, 0x80]) {
        const changed = bytes.with(index, (bytes[index] ?? 0) ^ flip);
        const outcome = read(changed);
        if ("again" in outcome) expect(toHex(outcome.again)).toBe(toHex(changed));
      }
  });
});

describe.each(Object.entries(readers))("any bytes as a %s", (_, read) => {
  test("are refused or read, and never throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const outcome = read(bytes);
        if ("again" in outcome) expect(toHex(outcome.again)).toBe(toHex(bytes));
      }),
      { numRuns: rounds(5_000, 100) },
    );
  });

  test("spliced out of good ones are refused or read, and never throw", () => {
    const piece = fc
      .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat())
      .map(([[, , parts], from, length]) => join(parts).subarray(from % 200, (from % 200) + (length % 300)));
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.nat(),
        fc.array(piece, { maxLength: 3 }),
        ([, , parts], cut, pieces) => {
          const bytes = concatBytes(join(parts).subarray(0, cut % 400), ...pieces);
          const outcome = read(bytes);
          if ("again" in outcome) expect(toHex(outcome.again)).toBe(toHex(bytes));
        },
      ),
      { numRuns: rounds(5_000, 100) },
    );
  });
});

const rawReader = readers["raw transaction"];
const rawWith = (payload: Parts) => rawReader(join(transaction(payload)));
const entryWith = (...typeArguments: readonly Parts[]) => rawWith([uleb(2), ...entryFunction(typeArguments, [])]);
const named = (module: string, name: string) => rawWith([uleb(2), ...entryFunction([], [], [module, name])]);
const signedWith = (authenticator: Parts) =>
  readers["signed transaction"](join([...transaction([uleb(2), ...ENTRY]), ...authenticator]));
const accepted = { again: expect.any(Uint8Array) };
const versioned = (...parts: Parts) => rawWith([uleb(4), ...parts]);
const NONE = byte(0);
const SOME = byte(1);

describe("variants", () => {
  const beyond: readonly (readonly [string, ReturnType<Read>])[] = [
    ["TransactionPayload", rawWith([uleb(6), ...ENTRY])],
    ["MultisigTransactionPayload", rawWith([uleb(3), address(9), SOME, uleb(2), ...ENTRY])],
    ["TransactionPayloadInner", versioned(uleb(1), uleb(1), ...ENTRY, uleb(0), NONE, NONE)],
    ["TransactionExecutable", versioned(uleb(0), uleb(4), ...ENTRY, uleb(0), NONE, NONE)],
    ["TransactionExtraConfig", versioned(uleb(0), uleb(1), ...ENTRY, uleb(2), NONE, NONE)],
    ["UserTxnLimitsRequest", versioned(uleb(0), uleb(1), ...ENTRY, uleb(1), NONE, NONE, SOME, uleb(3))],
    ["RequestedMultipliers", versioned(uleb(0), uleb(1), ...ENTRY, uleb(1), NONE, NONE, SOME, uleb(0), uleb(1))],
    ["Option", versioned(uleb(0), uleb(1), ...ENTRY, uleb(0), byte(2), NONE)],
    ["TypeTag", entryWith([uleb(18)])],
    ["TransactionArgument", rawWith([uleb(0), ...script([], [[uleb(16), byte(0)]])])],
    ["bool", rawWith([uleb(0), ...script([], [[uleb(5), byte(2)]])])],
    ["TransactionAuthenticator", signedWith([uleb(5), ...ED25519])],
    ["AccountAuthenticator", signedWith([uleb(4), uleb(6)])],
    ["AnyPublicKey", signedWith([uleb(4), uleb(2), uleb(6), ...ANY_ED25519_KEY, ...ANY_ED25519_SIGNATURE])],
    ["AnySignature", signedWith([uleb(4), uleb(2), ...ANY_ED25519_KEY, uleb(5)])],
  ];

  test.each(beyond)("that %s does not have are refused, and named", (type, outcome) => {
    expect(outcome).toMatchObject({ reason: "unsupported_transaction", details: expect.stringContaining(type) });
  });

  const keylessWith = (certificate: Parts, key = ANY_ED25519_KEY, signature = ANY_ED25519_SIGNATURE) =>
    signedWith([
      ...[uleb(4), uleb(2), uleb(3), ...text("iss"), ...blob(new Uint8Array(32)), uleb(3)],
      ...keylessSignature(certificate, key, signature),
    ]);
  const excluded: readonly (readonly [string, ReturnType<Read>])[] = [
    ["module bundles", rawWith([uleb(1), ...ENTRY])],
    ["encrypted payloads", rawWith([uleb(5), ...ENTRY])],
    ["encrypted payloads", versioned(uleb(0), uleb(3), uleb(0), NONE, NONE)],
    ["type tag 11", entryWith([uleb(11), ...vector(), ...vector(), byte(0)])],
    ["holds no signature", signedWith([uleb(4), uleb(4)])],
    ["show the identity", keylessWith([uleb(1), ...blob(new Uint8Array(8))])],
  ];

  test.each(excluded)("of %s are known, and refused by name", (what, outcome) => {
    expect(outcome).toMatchObject({ reason: "unsupported_transaction", details: expect.stringContaining(what) });
  });
});

describe("signatures that are left to the node", () => {
  const [key, signature] = [
    [uleb(1), ...blob(new Uint8Array(65))],
    [uleb(1), uleb(0), ...blob(new Uint8Array(64)), ...blob(new Uint8Array(3)), ...blob(new Uint8Array(4))],
  ] as const;
  const abstracted = (variant: number, ...blobs: readonly number[]) =>
    signedWith([
      ...[uleb(4), uleb(5), address(1), ...text("auth"), ...text("verify"), uleb(variant)],
      ...blobs.flatMap((size) => blob(new Uint8Array(size))),
    ]);
  const slhDsa = (keySize: number, size: number) =>
    signedWith([uleb(4), uleb(2), uleb(5), ...blob(new Uint8Array(keySize)), uleb(4), ...blob(new Uint8Array(size))]);
  const keyless = (ephemeralKey: Parts, ephemeral: Parts) =>
    signedWith([
      ...[uleb(4), uleb(2), uleb(3), ...text("iss"), ...blob(new Uint8Array(32)), uleb(3)],
      ...keylessSignature(ZERO_KNOWLEDGE, ephemeralKey, ephemeral),
    ]);

  test.each([
    ["an abstracted account", abstracted(0, 32, 64)],
    ["a derivable account", abstracted(1, 32, 64, 32)],
    ["SLH-DSA", slhDsa(32, 7_856)],
    ["keyless with a secp256r1 key and a passkey", keyless([...key], [...signature])],
  ])("of %s are decoded to the byte", (_, outcome) => {
    expect(outcome).toEqual(accepted);
  });

  test.each([
    ["an abstracted account of another version", abstracted(2, 32, 64)],
    ["an abstracted account with a field too few", abstracted(1, 32, 64)],
    ["an SLH-DSA key of another length", slhDsa(33, 7_856)],
    ["an SLH-DSA signature of another length", slhDsa(32, 7_855)],
    ["an ephemeral secp256r1 key of another length", keyless([uleb(1), ...blob(new Uint8Array(64))], [...signature])],
  ])("%s is refused", (_, outcome) => {
    expect(outcome).toMatchObject({ reason: "unsupported_transaction" });
  });
});

describe("bounds", () => {
  test("a raw transaction has at most as many bytes as the chain takes", () => {
    const withArgument = (size: number) => rawWith([uleb(2), ...entryFunction([], [new Uint8Array(size)])]);
    const fits = MAX_TRANSACTION_BYTES - join(transaction([uleb(2), ...entryFunction([], [])])).length - 3;
    expect(withArgument(fits)).toEqual(accepted);
    expect(withArgument(fits + 1)).toMatchObject({
      reason: "unsupported_transaction",
      details: expect.stringContaining("65536"),
    });
  });

  test("a length is at most u32, and promises no more than there is, at no cost", () => {
    for (const length of [2 ** 25, 2 ** 32 - 1]) {
      const promise = transaction([uleb(2), address(1), ...text("coin"), ...text("transfer"), uleb(length)]);
      // Whoever makes room for what is promised does not get through with so many in the time of a test.
      for (let run = 0; run < 200; run++)
        expect(rawReader(join(promise))).toMatchObject({ reason: "unsupported_transaction" });
    }
    expect(rawWith([uleb(2), address(1), uleb(2 ** 32 - 1)])).toMatchObject({
      details: expect.stringContaining("too early"),
    });
    expect(rawWith([uleb(2 ** 32)])).toMatchObject({ details: expect.stringContaining("u32") });
    expect(rawWith([filled(60_000, 0x80)])).toMatchObject({ details: expect.stringContaining("u32") });
  });

  test("types are nested as deep as on chain: eight vectors or structs", () => {
    const nest = (wrap: (inner: Parts) => Parts, depth: number): Parts =>
      Array.from({ length: depth }).reduce<Parts>((inner) => wrap(inner), [uleb(1)]);
    for (const wrap of [vectorTag, structTag]) {
      expect(entryWith(nest(wrap, 8))).toEqual(accepted);
      expect(entryWith(nest(wrap, 9))).toMatchObject({ details: expect.stringContaining("deeper than 8") });
    }
    expect(entryWith(nest(vectorTag, 4_000))).toMatchObject({ details: expect.stringContaining("deeper than 8") });
    const structs = nest(vectorTag, 7);
    expect(entryWith(vectorTag(structs), structs)).toEqual(accepted);
  });

  test.each(["_a", "$a", "a", "Z9_$", "a".repeat(255)])("%s is a name", (name) => {
    expect(named(name, "f")).toEqual(accepted);
    expect(named("m", name)).toEqual(accepted);
  });

  test.each(["", "_", "$", "9a", "a-b", "a::b", "<SELF>", "ä", "a ", "\ufeffa", "a".repeat(256)])(
    "%j is not a name",
    (name) => {
      expect(named(name, "f")).toMatchObject({ details: expect.stringContaining("must be a Move identifier") });
      expect(named("m", name)).toMatchObject({ details: expect.stringContaining("must be a Move identifier") });
      const tag = [uleb(7), address(1), ...text("m"), ...text(name), ...vector()];
      expect(entryWith(tag)).toMatchObject({ details: expect.stringContaining("must be a Move identifier") });
    },
  );

  test("text is UTF-8", () => {
    const broken = [uleb(2), address(1), ...blob(Uint8Array.of(0x63, 0xff)), ...text("f"), ...vector(), ...vector()];
    expect(rawWith(broken)).toMatchObject({ reason: "unsupported_transaction" });
  });

  const many = (count: number, parts: Parts) => vector(...Array<Parts>(count).fill(parts));
  test("at most 31 sign beside the sender", () => {
    const agents = (addresses: number, signatures: number) =>
      signedWith([uleb(2), ...ED25519, ...many(addresses, [address(2)]), ...many(signatures, ED25519)]);
    expect(agents(31, 31)).toEqual(accepted);
    expect(agents(32, 31)).toMatchObject({ details: expect.stringContaining("at most 31") });
    expect(agents(31, 32)).toMatchObject({ details: expect.stringContaining("at most 31") });
  });

  test("a MultiKey account has at most 255 keys, 32 signatures and 32 bytes of bitmap", () => {
    const keys = (keyCount: number, signatures: number, bitmapBytes: number) =>
      signedWith([
        uleb(4),
        ...multiKey(
          Array<Parts>(keyCount).fill(ANY_ED25519_KEY),
          Array<Parts>(signatures).fill(ANY_ED25519_SIGNATURE),
          new Uint8Array(bitmapBytes),
        ),
      ]);
    expect(keys(255, 32, 32)).toEqual(accepted);
    expect(keys(256, 32, 32)).toMatchObject({ details: expect.stringContaining("at most 255") });
    expect(keys(255, 33, 32)).toMatchObject({ details: expect.stringContaining("at most 32") });
    expect(keys(255, 32, 33)).toMatchObject({ details: expect.stringContaining("bitmap") });
  });

  test.each([
    ["one key, one signature", 1, 1, 1, [0x80, 0, 0, 0], true],
    ["32 keys, 32 signatures", 32, 32, 32, [255, 255, 255, 255], true],
    ["no key", 0, 0, 1, [0x80, 0, 0, 0], false],
    ["33 keys", 33, 1, 1, [0x80, 0, 0, 0], false],
    ["a threshold of zero", 2, 0, 1, [0x80, 0, 0, 0], false],
    ["a threshold above its keys", 2, 3, 2, [0xc0, 0, 0, 0], false],
    ["no signature", 2, 1, 0, [0, 0, 0, 0], false],
    ["33 signatures", 32, 1, 33, [255, 255, 255, 255], false],
    ["a bitmap of other signatures", 2, 1, 1, [0xc0, 0, 0, 0], false],
    ["a short bitmap", 2, 1, 1, [0x80, 0, 0], false],
  ])("MultiEd25519 with %s", (_, keys, threshold, signatures, bitmap, isAccepted) => {
    const outcome = signedWith(multiEd25519(keys, threshold, signatures, Uint8Array.from(bitmap)));
    expect(outcome).toEqual(isAccepted ? accepted : expect.objectContaining({ reason: "unsupported_transaction" }));
  });

  test("empty MultiEd25519 keys are refused", () => {
    expect(signedWith([uleb(1), ...blob(new Uint8Array(0)), ...blob(new Uint8Array(68))])).toMatchObject({
      details: expect.stringContaining("MultiEd25519 public keys"),
    });
  });

  test.each([
    ["an Ed25519 public key", [uleb(0), ...blob(new Uint8Array(33)), ...blob(new Uint8Array(64))]],
    ["an Ed25519 signature", [uleb(0), ...blob(new Uint8Array(32)), ...blob(new Uint8Array(63))]],
  ] as const)("%s of another length is refused", (what, authenticator) => {
    expect(signedWith([...authenticator])).toMatchObject({ details: expect.stringContaining(what) });
    expect(readers.authenticator(join([...authenticator]))).toMatchObject({ reason: "bad_signature" });
  });

  test("what is out of bounds is not written either", () => {
    const withName = (name: string) => {
      const outcome = decodeRawTransaction(join(transaction([uleb(2), ...ENTRY])));
      if (!outcome.ok || outcome.value.payload.$kind !== "EntryFunction") throw new Error("not read");
      const { EntryFunction, ...rest } = outcome.value.payload;
      return encodeRawTransaction({
        ...outcome.value,
        payload: { ...rest, EntryFunction: { ...EntryFunction, function: name } },
      });
    };
    expect(withName("transfer")).toEqual(join(transaction([uleb(2), ...ENTRY])));
    expect(() => withName("not a name")).toThrow("must be a Move identifier");
  });
});

describe("what the SDK cannot build", () => {
  const entry = {
    module: { address: longAddress(1), name: "coin" },
    function: "transfer",
    typeArguments: [
      {
        $kind: "Struct",
        Struct: {
          address: longAddress(1),
          module: "coin",
          name: "Coin",
          typeArguments: [
            { $kind: "U8", U8: true },
            { $kind: "Vector", Vector: { $kind: "U8", U8: true } },
          ],
        },
      },
    ],
    arguments: ENTRY_ARGUMENTS,
  };
  const stored = {
    code: Uint8Array.of(0xa1, 0x1c),
    typeArguments: [{ $kind: "U8", U8: true }],
    arguments: [{ $kind: "Bool", Bool: true }],
  };

  test("a script of a multisig account is read", () => {
    expect(decodeRawTransaction(join(transaction([uleb(3), address(9), SOME, uleb(1), ...SCRIPT])))).toEqual({
      ok: true,
      value: decoded({
        $kind: "Multisig",
        Multisig: { multisigAddress: longAddress(9), payload: { $kind: "Script", Script: stored } },
      }),
    });
  });

  test("higher limits are read (AIP-146)", () => {
    const multipliers = { $kind: "V1", V1: { execution: 200n, io: 300n } };
    const requests = {
      "limits of a stake pool owner": { $kind: "StakePoolOwner", StakePoolOwner: { multipliers } },
      "limits of a delegated voter": {
        $kind: "DelegatedVoter",
        DelegatedVoter: { poolAddress: longAddress(8), multipliers },
      },
      "limits of a delegator": {
        $kind: "DelegationPoolDelegator",
        DelegationPoolDelegator: { poolAddress: longAddress(8), multipliers },
      },
    };
    for (const [name, limitsRequest] of Object.entries(requests))
      expect(decodeRawTransaction(join(transaction(payloads[name] ?? [])))).toEqual({
        ok: true,
        value: decoded({
          $kind: "Payload",
          Payload: {
            $kind: "V1",
            V1: {
              executable: { $kind: "EntryFunction", EntryFunction: entry },
              extraConfig: { $kind: "V2", V2: { multisigAddress: null, replayProtectionNonce: null, limitsRequest } },
            },
          },
        }),
      });
  });

  test("signed integers are read as the chain numbers them, as types and as script arguments", () => {
    const names = ["I8", "I16", "I32", "I64", "I128", "I256"];
    const tags = names.map((_, index): Parts => [uleb(12 + index)]);
    const args = names.map((_, index): Parts => [uleb(10 + index), filled(2 ** index, 0xff)]);
    expect(decodeRawTransaction(join(transaction([uleb(0), ...script(tags, args)])))).toEqual({
      ok: true,
      value: decoded({
        $kind: "Script",
        Script: {
          code: Uint8Array.of(0xa1, 0x1c),
          typeArguments: names.map(($kind) => ({ $kind, [$kind]: true })),
          arguments: names.map(($kind, index) => ({ $kind, [$kind]: new Uint8Array(2 ** index).fill(0xff) })),
        },
      }),
    });
  });

  test("the largest numbers survive", () => {
    const max = 2n ** 64n - 1n;
    const bytes = join([address(1), u64(max), uleb(3), address(9), NONE, u64(max), u64(max), u64(max), byte(255)]);
    expect(decodeRawTransaction(bytes)).toMatchObject({
      value: {
        sequenceNumber: max,
        maxGasAmount: max,
        gasUnitPriceOctas: max,
        expirationTimestampSeconds: max,
        chainId: 255,
      },
    });
  });

  test("what is read does not change with the buffer that it came in", () => {
    const bytes = join(transaction([uleb(2), ...ENTRY]));
    const outcome = decodeRawTransaction(bytes);
    bytes.fill(0);
    expect(outcome.ok && encodeRawTransaction(outcome.value)).toEqual(join(transaction([uleb(2), ...ENTRY])));
  });
});
