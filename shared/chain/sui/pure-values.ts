import { toHex } from "../../bytes.ts";
import type { Primitive, PureType } from "./pure-types.ts";

/** A pure value as a full node's JSON-RPC writes it. */
export type PureJson = string | number | boolean | PureJson[];

const ADDRESS_BYTES = 32;
const SIZES: Readonly<Record<Primitive, number>> = {
  address: ADDRESS_BYTES,
  bool: 1,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
};
const MAX_LENGTH = 2 ** 32 - 1;

/** Reports bytes that are not a value of their type. */
class NotOfType extends Error {
  override readonly name = "NotOfType";
}

/** Reads BCS in the one form that it allows. */
class Reader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw new NotOfType();
    this.#offset += count;
    return this.#bytes.subarray(this.#offset - count, this.#offset);
  }

  /** Reads the ULEB128 of a u32. */
  length(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const [byte = 0] = this.take(1);
      value += (byte & 127) * scale;
      if (value > MAX_LENGTH || (byte === 0 && scale > 1)) throw new NotOfType();
      if (byte < 128) return value;
    }
  }
}

/**
 * Shows pure bytes as a full node's JSON-RPC does (sui-json, `SuiJsonValue::from_bcs_bytes`): numbers up to u32 as
 * numbers and greater ones as text, an option as a list, bytes that are text as text. Bytes that do not fit their type
 * stay a list of bytes.
 *
 * @param type null if it is not known.
 */
export function shownPureValue(bytes: Uint8Array, type: PureType | null): PureJson {
  if (type === null) return [...bytes];
  const isBytes = type.kind === "vector" && type.element.kind === "primitive" && type.element.name === "u8";
  // Applies only if the whole input is bytes, not to bytes within another type.
  const text = isBytes ? read(bytes, (reader) => readText(reader)) : null;
  return text ?? read(bytes, (reader) => readValue(reader, type)) ?? [...bytes];
}

function read(bytes: Uint8Array, readOne: (reader: Reader) => PureJson): PureJson | null {
  const reader = new Reader(bytes);
  try {
    const value = readOne(reader);
    return reader.left === 0 ? value : null;
  } catch {
    return null;
  }
}

function readText(reader: Reader): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(reader.take(reader.length()));
}

function readValue(reader: Reader, type: PureType): PureJson {
  switch (type.kind) {
    case "primitive":
      return readPrimitive(reader, type.name);
    case "struct":
      return type.name === "0x2::object::ID" ? readPrimitive(reader, "address") : readText(reader);
    case "option":
    case "vector": {
      const length = reader.length();
      // Every value takes at least a byte.
      if (length > reader.left || (type.kind === "option" && length > 1)) throw new NotOfType();
      return Array.from({ length }, () => readValue(reader, type.element));
    }
  }
}

function readPrimitive(reader: Reader, name: Primitive): PureJson {
  const bytes = reader.take(SIZES[name]);
  if (name === "address") return `0x${toHex(bytes)}`;
  const value = BigInt(`0x${toHex(bytes.toReversed())}`);
  if (name === "u64" || name === "u128" || name === "u256") return value.toString();
  if (name !== "bool") return Number(value);
  if (value > 1n) throw new NotOfType();
  return value === 1n;
}
