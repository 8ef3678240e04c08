import {
  Bool,
  EntryFunction,
  type EntryFunctionArgument,
  MoveOption,
  MoveString,
  MoveVector,
  type Serializable,
  parseTypeTag as sdkParseTypeTag,
  TransactionPayloadEntryFunction,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toHex } from "../../../shared/bytes.ts";
import { decodeBcs, encodeBcs } from "../../../shared/chain/aptos/bcs.ts";
import { entryCallPayload } from "../../../shared/chain/aptos/entry-call.ts";
import { MAX_TRANSACTION_BYTES } from "../../../shared/chain/aptos/limits.ts";
import { transactionPayload } from "../../../shared/chain/aptos/payload.ts";
import { typeTag } from "../../../shared/chain/aptos/type-tag.ts";
import { parseTypeTag } from "../../../shared/chain/aptos/type-text.ts";
import { rounds } from "../../support/rounds.ts";
import { anyAddress, anyName, anyTypeTag, listOf, uint } from "./generated.ts";

/** One value twice: as JSON, and as the chain's SDK has it. */
interface Value {
  readonly json: unknown;
  readonly sdk: Serializable & EntryFunctionArgument;
}

interface Parameter {
  readonly type: string;
  readonly values: fc.Arbitrary<Value>;
}

const small = <Sdk extends Value["sdk"]>(bits: bigint, of: (value: number) => Sdk): fc.Arbitrary<Value> =>
  uint(bits).chain((value) =>
    fc.constantFrom<unknown>(Number(value), String(value)).map((json) => ({ json, sdk: of(Number(value)) })),
  );
const large = <Sdk extends Value["sdk"]>(bits: bigint, of: (value: bigint) => Sdk): fc.Arbitrary<Value> =>
  uint(bits).map((value) => ({ json: String(value), sdk: of(value) }));

const addresses = anyAddress.map(({ ours, sdk }) => ({ json: ours, sdk }));
const PLAIN: readonly Parameter[] = [
  { type: "bool", values: fc.boolean().map((json) => ({ json, sdk: new Bool(json) })) },
  { type: "u8", values: small(8n, (value) => new U8(value)) },
  { type: "u16", values: small(16n, (value) => new U16(value)) },
  { type: "u32", values: small(32n, (value) => new U32(value)) },
  { type: "u64", values: large(64n, (value) => new U64(value)) },
  { type: "u128", values: large(128n, (value) => new U128(value)) },
  { type: "u256", values: large(256n, (value) => new U256(value)) },
  { type: "address", values: addresses },
  { type: "0x1::object::Object<0x1::fungible_asset::Metadata>", values: addresses },
  {
    type: "0x1::string::String",
    values: fc.string({ unit: "binary" }).map((json) => ({ json, sdk: new MoveString(json) })),
  },
  {
    type: "vector<u8>",
    values: fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => ({ json: `0x${toHex(bytes)}`, sdk: MoveVector.U8(bytes) })),
  },
];

function parameterWithin(nesting: number): fc.Arbitrary<Parameter> {
  const plain = fc.constantFrom(...PLAIN);
  if (nesting === 0) return plain;
  const inner = parameterWithin(nesting - 1);
  const vector = inner.map(({ type, values }) => ({
    type: `vector<${type}>`,
    values: fc
      .array(values, { maxLength: 3 })
      .map((all) => ({ json: all.map(({ json }) => json), sdk: new MoveVector(all.map(({ sdk }) => sdk)) })),
  }));
  const option = inner.map(({ type, values }) => ({
    type: `0x1::option::Option<${type}>`,
    // An option inside another one is never empty: `null` is the outer one.
    values: fc.option(values).map((value) => {
      const isEmpty = value === null || value.json === null;
      return { json: value?.json ?? null, sdk: new MoveOption(isEmpty ? undefined : value.sdk) };
    }),
  }));
  return fc.oneof(plain, vector, option);
}

const argument = parameterWithin(3).chain(({ type, values }) => values.map((value) => ({ ...value, type })));

test("a call has the bytes that the SDK's own objects have", () => {
  fc.assert(
    fc.property(
      fc.record({ address: anyAddress, module: anyName, name: anyName }),
      listOf(anyTypeTag, 3),
      fc.array(argument, { maxLength: 6 }),
      ({ address, module, name }, typeArguments, given) => {
        const built = EntryFunction.build(
          `${address.sdk.toString()}::${module}`,
          name,
          typeArguments.sdk,
          given.map(({ sdk }) => sdk),
        );
        const ours = entryCallPayload(
          {
            function: `${address.ours}::${module}::${name}`,
            typeArguments: typeArguments.sdk.map(String),
            arguments: given.map(({ json }) => json),
          },
          {
            isEntry: true,
            typeParameters: typeArguments.sdk.length,
            parameters: ["&signer", ...given.map(({ type }) => type)],
          },
        );
        expect(ours.ok && toHex(encodeBcs(transactionPayload, ours.value))).toBe(
          toHex(new TransactionPayloadEntryFunction(built).bcsToBytes()),
        );
        // What is built is what the service reads back.
        expect(
          ours.ok && decodeBcs(transactionPayload, encodeBcs(transactionPayload, ours.value), MAX_TRANSACTION_BYTES),
        ).toEqual(ours);
      },
    ),
    { numRuns: rounds(2_000) },
  );
});

test("a type that the SDK writes is read as the SDK reads it", () => {
  fc.assert(
    fc.property(anyTypeTag, ({ ours, sdk }) => {
      const text = sdk.toString();
      for (const written of [text, text.replaceAll(", ", ","), text.replaceAll(/[<,]/g, "$& ").replaceAll(">", " >")]) {
        expect(parseTypeTag(written, { maxNesting: 8, typeArguments: null })).toEqual(ours);
        // The chain takes a `$` in a name, and the SDK's parser does not.
        if (!written.includes("$"))
          expect(toHex(sdkParseTypeTag(written).bcsToBytes())).toBe(toHex(encodeBcs(typeTag, ours)));
      }
    }),
    { numRuns: rounds(2_000) },
  );
});

const WORDS = [
  "u8",
  "U64",
  "bool",
  "signer",
  "vector",
  "0x1::a::B",
  "1::_b::C",
  "0x12::a::B",
  "0x1::a",
  "T0",
  "&u8",
  "",
];
const types = fc
  .array(fc.constantFrom(...WORDS, "<", "<", ">", ">", ",", ", "), { maxLength: 9 })
  .map((words) => words.join(""));

/** The bytes that the service takes of those that the SDK writes; null if it takes none. */
function bytesBySdk(text: string): string | null {
  try {
    const bytes = sdkParseTypeTag(text).bcsToBytes();
    return decodeBcs(typeTag, bytes, MAX_TRANSACTION_BYTES).ok ? toHex(bytes) : null;
  } catch {
    return null;
  }
}

test("a text that is hardly a type is taken if the SDK takes it, and as the same type", () => {
  // The SDK joins what stands behind a `>` to the name before its `<`: `vec<u8>tor` is its `vector<u8>`.
  const isJoined = (text: string) => />\s*[^\s<>,]/.test(text);
  fc.assert(
    fc.property(types, (text) => {
      const ours = parseTypeTag(text, { maxNesting: 8, typeArguments: null });
      if (isJoined(text)) expect(ours).toBeNull();
      else expect(typeof ours === "object" && ours && toHex(encodeBcs(typeTag, ours))).toBe(bytesBySdk(text));
    }),
    { numRuns: rounds(50_000, 500) },
  );
});
