import { AccountAddress, Deserializer, Serializer } from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { type Address, addressFromBytes, displayAddress, longAddress } from "../address.ts";
import { fromHex, toHex } from "../hex.ts";
import { argumentsOf, baseOf } from "./types.ts";

/** A value of Move as functions get it here: integers as bigint, `vector<u8>` as bytes. */
export type MoveValue =
  | { readonly kind: "integer"; readonly value: bigint; readonly bits: number }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "address"; readonly value: Address }
  | { readonly kind: "object"; readonly value: Address }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "bytes"; readonly value: Uint8Array }
  | { readonly kind: "vector"; readonly value: readonly MoveValue[] };

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const INTEGER_BITS: Readonly<Record<string, number>> = { u8: 8, u16: 16, u32: 32, u64: 64, u128: 128, u256: 256 };
/** A node writes integers up to this size as numbers, larger ones as strings. */
const MAX_BITS_OF_A_JSON_NUMBER = 32;

/** Reads all of `bytes` as one value. @throws Error when they are none of this type, or more. */
export function decodeValue(type: string, bytes: Uint8Array): MoveValue {
  const deserializer = new Deserializer(bytes);
  const value = read(type, deserializer);
  if (deserializer.remaining() > 0) throw new Error("remaining input");
  return value;
}

function read(type: string, from: Deserializer): MoveValue {
  const bits = INTEGER_BITS[type];
  if (bits !== undefined) return { kind: "integer", value: readInteger(bits, from), bits };
  switch (baseOf(type)) {
    case "bool":
      return { kind: "bool", value: from.deserializeBool() };
    case "address":
      return { kind: "address", value: readAddress(from) };
    case "0x1::object::Object":
      return { kind: "object", value: readAddress(from) };
    case "0x1::string::String":
      return {
        kind: "string",
        value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(from.deserializeBytes()),
      };
    case "vector":
      return readVector(argumentsOf(type)[0] ?? "", from);
    default:
      throw new Error(`no values of the type ${type}`);
  }
}

function readInteger(bits: number, from: Deserializer): bigint {
  let value = 0n;
  for (const [index, byte] of from.deserializeFixedBytes(bits / 8).entries())
    value |= BigInt(byte) << BigInt(8 * index);
  return value;
}

function readAddress(from: Deserializer): Address {
  return addressFromBytes(AccountAddress.deserialize(from).toUint8Array());
}

function readVector(element: string, from: Deserializer): MoveValue {
  if (element === "u8") return { kind: "bytes", value: from.deserializeBytes() };
  const length = from.deserializeUleb128AsU32();
  // Every element takes a byte at least, so that a length cannot ask for more than was sent.
  if (length > from.remaining()) throw new Error("the vector is longer than its bytes");
  return { kind: "vector", value: Array.from({ length }, () => read(element, from)) };
}

/** A value as a node writes it in JSON. */
export function toJson(value: MoveValue): Json {
  switch (value.kind) {
    case "integer":
      return value.bits > MAX_BITS_OF_A_JSON_NUMBER ? String(value.value) : Number(value.value);
    case "address":
      return displayAddress(value.value);
    case "object":
      return { inner: displayAddress(value.value) };
    case "bytes":
      return `0x${toHex(value.value)}`;
    case "vector":
      return value.value.map(toJson);
    case "bool":
    case "string":
      return value.value;
  }
}

const InnerOfObject = z.union([z.string(), z.object({ inner: z.string() }).transform(({ inner }) => inner)]);

/** Reads a value as a caller writes it in JSON. @throws Error when it is none of this type. */
export function fromJson(type: string, json: unknown): MoveValue {
  const bits = INTEGER_BITS[type];
  if (bits !== undefined) return { kind: "integer", value: integerFromJson(bits, json), bits };
  switch (baseOf(type)) {
    case "bool":
      return { kind: "bool", value: z.boolean().parse(json) };
    case "address":
      return { kind: "address", value: longAddress(z.string().parse(json)) };
    case "0x1::object::Object":
      return { kind: "object", value: longAddress(InnerOfObject.parse(json)) };
    case "0x1::string::String":
      return { kind: "string", value: z.string().parse(json) };
    case "vector": {
      const element = argumentsOf(type)[0] ?? "";
      if (element === "u8" && typeof json === "string") return { kind: "bytes", value: fromHex(json) };
      const value = z
        .array(z.unknown())
        .parse(json)
        .map((one) => fromJson(element, one));
      return { kind: "vector", value };
    }
    default:
      throw new Error(`no values of the type ${type}`);
  }
}

function integerFromJson(bits: number, json: unknown): bigint {
  const digits = z.union([z.string().regex(/^\d{1,78}$/), z.int().min(0)]).parse(json);
  const value = BigInt(digits);
  if (value >= 1n << BigInt(bits)) throw new Error(`not an unsigned integer of ${bits} bits`);
  return value;
}

export const u64 = (value: bigint): MoveValue => ({ kind: "integer", value, bits: 64 });
export const bool = (value: boolean): MoveValue => ({ kind: "bool", value });
export const address = (value: Address): MoveValue => ({ kind: "address", value });
export const bytes = (value: Uint8Array): MoveValue => ({ kind: "bytes", value });

/** BCS of a value. */
export function encodeValue(value: MoveValue): Uint8Array {
  const to = new Serializer();
  write(value, to);
  return to.toUint8Array();
}

function write(value: MoveValue, to: Serializer): void {
  switch (value.kind) {
    case "integer":
      for (let bit = 0; bit < value.bits; bit += 8) to.serializeU8(Number((value.value >> BigInt(bit)) & 0xffn));
      break;
    case "bool":
      to.serializeBool(value.value);
      break;
    case "address":
    case "object":
      to.serializeFixedBytes(fromHex(value.value.slice("0x".length)));
      break;
    case "string":
      to.serializeStr(value.value);
      break;
    case "bytes":
      to.serializeBytes(value.value);
      break;
    case "vector":
      to.serializeU32AsUleb128(value.value.length);
      for (const one of value.value) write(one, to);
  }
}
