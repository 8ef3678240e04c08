import {
  AccountAddress,
  Bool,
  ChainId,
  Deserializer,
  EntryFunction,
  EntryFunctionBytes,
  Identifier,
  ModuleId,
  MoveVector,
  MultiSig,
  MultiSigTransactionPayload,
  Script,
  type ScriptFunctionArgument,
  type TransactionPayload as SdkPayload,
  RawTransaction as SdkRawTransaction,
  StructTag as SdkStructTag,
  type TypeTag as SdkTypeTag,
  Serialized,
  TransactionExecutableEmpty,
  TransactionExecutableEntryFunction,
  TransactionExecutableScript,
  TransactionExtraConfigV1,
  TransactionInnerPayloadV1,
  TransactionPayloadEntryFunction,
  TransactionPayloadMultiSig,
  TransactionPayloadScript,
  TypeTagAddress,
  TypeTagBool,
  TypeTagSigner,
  TypeTagStruct,
  TypeTagU8,
  TypeTagU16,
  TypeTagU32,
  TypeTagU64,
  TypeTagU128,
  TypeTagU256,
  TypeTagVector,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import type { TransactionPayload } from "../../../shared/chain/aptos/payload.ts";
import type { RawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import type { TypeTag } from "../../../shared/chain/aptos/type-tag.ts";

/** One value twice: as this code has it, and as the chain's SDK has it, built apart from each other. */
export interface Both<Ours, Sdk> {
  readonly ours: Ours;
  readonly sdk: Sdk;
}

export const bytesOf = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
export const someBytes = fc.uint8Array({ maxLength: 200 });
export const uint = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n });
const smallUint = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });

/** Special addresses among them. */
export const anyAddress: fc.Arbitrary<Both<string, AccountAddress>> = fc
  .oneof(
    { weight: 5, arbitrary: bytesOf(32) },
    fc.integer({ min: 0, max: 20 }).map((last) => new Uint8Array(32).with(31, last)),
  )
  .map((bytes) => {
    const sdk = new AccountAddress(bytes);
    return { ours: sdk.toStringLong(), sdk };
  });

export const anyName = fc.stringMatching(/^([a-zA-Z][a-zA-Z0-9_$]{0,30}|[_$][a-zA-Z0-9_$]{1,30})$/);

const plainTags: readonly Both<TypeTag, SdkTypeTag>[] = [
  { ours: { $kind: "Bool", Bool: true }, sdk: new TypeTagBool() },
  { ours: { $kind: "U8", U8: true }, sdk: new TypeTagU8() },
  { ours: { $kind: "U64", U64: true }, sdk: new TypeTagU64() },
  { ours: { $kind: "U128", U128: true }, sdk: new TypeTagU128() },
  { ours: { $kind: "Address", Address: true }, sdk: new TypeTagAddress() },
  { ours: { $kind: "Signer", Signer: true }, sdk: new TypeTagSigner() },
  { ours: { $kind: "U16", U16: true }, sdk: new TypeTagU16() },
  { ours: { $kind: "U32", U32: true }, sdk: new TypeTagU32() },
  { ours: { $kind: "U256", U256: true }, sdk: new TypeTagU256() },
];

export function listOf<Ours, Sdk>(
  one: fc.Arbitrary<Both<Ours, Sdk>>,
  maxLength: number,
): fc.Arbitrary<Both<Ours[], Sdk[]>> {
  return fc
    .array(one, { maxLength })
    .map((all) => ({ ours: all.map(({ ours }) => ours), sdk: all.map(({ sdk }) => sdk) }));
}

function tagWithin(nesting: number): fc.Arbitrary<Both<TypeTag, SdkTypeTag>> {
  const plain = fc.constantFrom(...plainTags);
  if (nesting === 0) return plain;
  const inner = tagWithin(nesting - 1);
  const vector = inner.map(({ ours, sdk }) => ({
    ours: { $kind: "Vector" as const, Vector: ours },
    sdk: new TypeTagVector(sdk),
  }));
  const struct = fc
    .record({ address: anyAddress, module: anyName, name: anyName, typeArguments: listOf(inner, 2) })
    .map(({ address, module, name, typeArguments }) => ({
      ours: {
        $kind: "Struct" as const,
        Struct: { address: address.ours, module, name, typeArguments: typeArguments.ours },
      },
      sdk: new TypeTagStruct(
        new SdkStructTag(address.sdk, new Identifier(module), new Identifier(name), typeArguments.sdk),
      ),
    }));
  return fc.oneof(plain, vector, struct);
}

export const anyTypeTag = fc.oneof(tagWithin(2), tagWithin(8));

type ScriptPayload = Extract<TransactionPayload, { $kind: "Script" }>["Script"];
type EntryPayload = Extract<TransactionPayload, { $kind: "EntryFunction" }>["EntryFunction"];
type OurArgument = ScriptPayload["arguments"][number];

const scriptArgument: fc.Arbitrary<Both<OurArgument, ScriptFunctionArgument>> = fc.oneof(
  smallUint(8).map((value) => ({ ours: { $kind: "U8" as const, U8: value }, sdk: new U8(value) })),
  uint(64n).map((value) => ({ ours: { $kind: "U64" as const, U64: value }, sdk: new U64(value) })),
  uint(128n).map((value) => ({ ours: { $kind: "U128" as const, U128: value }, sdk: new U128(value) })),
  anyAddress.map(({ ours, sdk }) => ({ ours: { $kind: "Address" as const, Address: ours }, sdk })),
  someBytes.map((value) => ({ ours: { $kind: "U8Vector" as const, U8Vector: value }, sdk: MoveVector.U8([...value]) })),
  fc.boolean().map((value) => ({ ours: { $kind: "Bool" as const, Bool: value }, sdk: new Bool(value) })),
  smallUint(16).map((value) => ({ ours: { $kind: "U16" as const, U16: value }, sdk: new U16(value) })),
  smallUint(32).map((value) => ({ ours: { $kind: "U32" as const, U32: value }, sdk: new U32(value) })),
  uint(256n).map((value) => ({ ours: { $kind: "U256" as const, U256: value }, sdk: new U256(value) })),
  someBytes.map((value) => ({ ours: { $kind: "Serialized" as const, Serialized: value }, sdk: new Serialized(value) })),
);

const anyScript: fc.Arbitrary<Both<ScriptPayload, Script>> = fc
  .record({ code: someBytes, typeArguments: listOf(anyTypeTag, 3), args: listOf(scriptArgument, 6) })
  .map(({ code, typeArguments, args }) => ({
    ours: { code, typeArguments: typeArguments.ours, arguments: args.ours },
    sdk: new Script(code, typeArguments.sdk, args.sdk),
  }));

const argumentBytes = someBytes.map((value) => ({
  ours: value,
  sdk: EntryFunctionBytes.deserialize(new Deserializer(value), value.length),
}));

const anyEntryFunction: fc.Arbitrary<Both<EntryPayload, EntryFunction>> = fc
  .record({
    address: anyAddress,
    module: anyName,
    name: anyName,
    typeArguments: listOf(anyTypeTag, 3),
    args: listOf(argumentBytes, 6),
  })
  .map(({ address, module, name, typeArguments, args }) => ({
    ours: {
      module: { address: address.ours, name: module },
      function: name,
      typeArguments: typeArguments.ours,
      arguments: args.ours,
    },
    sdk: new EntryFunction(
      new ModuleId(address.sdk, new Identifier(module)),
      new Identifier(name),
      typeArguments.sdk,
      args.sdk,
    ),
  }));

/** Absent half of the time. */
export function optional<Ours, Sdk>(
  one: fc.Arbitrary<Both<Ours, Sdk>>,
): fc.Arbitrary<Both<Ours | null, Sdk | undefined>> {
  return fc.oneof(fc.constant({ ours: null, sdk: undefined }), one);
}

type Inner = Extract<TransactionPayload, { $kind: "Payload" }>["Payload"]["V1"];
const executable = fc.oneof(
  fc.constant({ ours: { $kind: "Empty" as const, Empty: true as const }, sdk: new TransactionExecutableEmpty() }),
  anyScript.map(({ ours, sdk }) => ({
    ours: { $kind: "Script" as const, Script: ours },
    sdk: new TransactionExecutableScript(sdk),
  })),
  anyEntryFunction.map(({ ours, sdk }) => ({
    ours: { $kind: "EntryFunction" as const, EntryFunction: ours },
    sdk: new TransactionExecutableEntryFunction(sdk),
  })),
) satisfies fc.Arbitrary<Both<Inner["executable"], unknown>>;

/** Each payload kind that the SDK can build, by name. */
export const payloads = {
  script: anyScript.map(({ ours, sdk }) => ({
    ours: { $kind: "Script" as const, Script: ours },
    sdk: new TransactionPayloadScript(sdk),
  })),
  "entry function": anyEntryFunction.map(({ ours, sdk }) => ({
    ours: { $kind: "EntryFunction" as const, EntryFunction: ours },
    sdk: new TransactionPayloadEntryFunction(sdk),
  })),
  multisig: fc.tuple(anyAddress, optional(anyEntryFunction)).map(([multisig, entry]) => ({
    ours: {
      $kind: "Multisig" as const,
      Multisig: {
        multisigAddress: multisig.ours,
        payload: entry.ours && { $kind: "EntryFunction" as const, EntryFunction: entry.ours },
      },
    },
    sdk: new TransactionPayloadMultiSig(
      new MultiSig(multisig.sdk, entry.sdk && new MultiSigTransactionPayload(entry.sdk)),
    ),
  })),
  "versioned payload": fc
    .tuple(executable, optional(anyAddress), optional(uint(64n).map((value) => ({ ours: value, sdk: value }))))
    .map(([run, multisig, nonce]) => ({
      ours: {
        $kind: "Payload" as const,
        Payload: {
          $kind: "V1" as const,
          V1: {
            executable: run.ours,
            extraConfig: {
              $kind: "V1" as const,
              V1: { multisigAddress: multisig.ours, replayProtectionNonce: nonce.ours },
            },
          },
        },
      },
      sdk: new TransactionInnerPayloadV1(run.sdk, new TransactionExtraConfigV1(multisig.sdk, nonce.sdk)),
    })),
} satisfies Record<string, fc.Arbitrary<Both<TransactionPayload, SdkPayload>>>;

export function transactionWith(
  payload: fc.Arbitrary<Both<TransactionPayload, SdkPayload>>,
): fc.Arbitrary<Both<RawTransaction, SdkRawTransaction>> {
  return fc
    .record({
      sender: anyAddress,
      sequenceNumber: uint(64n),
      payload,
      maxGasAmount: uint(64n),
      gasUnitPriceOctas: uint(64n),
      expirationTimestampSeconds: uint(64n),
      chainId: smallUint(8),
    })
    .map(({ sender, payload: runs, ...numbers }) => ({
      ours: { ...numbers, sender: sender.ours, payload: runs.ours },
      sdk: new SdkRawTransaction(
        sender.sdk,
        numbers.sequenceNumber,
        runs.sdk,
        numbers.maxGasAmount,
        numbers.gasUnitPriceOctas,
        numbers.expirationTimestampSeconds,
        new ChainId(numbers.chainId),
      ),
    }));
}

export const anyTransaction = transactionWith(fc.oneof(...Object.values(payloads)));

export const signerList = (maxLength: number) => listOf(anyAddress, maxLength);
