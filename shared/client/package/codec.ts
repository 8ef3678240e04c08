import { refuse } from "../../errors.ts";
import { MAX_U64 } from "../../u64.ts";
import type { WireMethod } from "../calls.ts";

/**
 * Reads and writes the values of the wire. The package's client consists of these. `shared/cli/pack` writes the codecs
 * of each method, from the contracts.
 */
export interface Codec<T> {
  /** @throws Mismatch if the value has another type. The service checks the rest. */
  encode(value: T): unknown;
  /** @throws Mismatch if the wire carries another value. */
  decode(wire: unknown): T;
}

/** Reports a value that does not fit its codec. The message names the rule, never the value. */
class Mismatch extends Error {
  override readonly name = "Mismatch";
}

function mismatch(rule: string): never {
  throw new Mismatch(`must be ${rule}`);
}

/** A value that is equal in the program and on the wire. */
function same<T>(rule: string, isOne: (value: unknown) => value is T): Codec<T> {
  const read = (value: unknown) => (isOne(value) ? value : mismatch(rule));
  return { encode: read, decode: read };
}

const isText = (value: unknown): value is string => typeof value === "string";
/** A text. */
export const text = same("a text", isText);
/** A truth value. */
export const boolean = same("true or false", (value) => typeof value === "boolean");
/** A number. */
export const number = same("a number", (value) => typeof value === "number");
/** A whole number. */
export const integer = same("an integer", (value): value is number => Number.isSafeInteger(value));
/** A whole number that is not negative. */
export const natural = same(
  "an integer from 0",
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Any value, which is not checked. */
export const unknown = same("a value", (value): value is unknown => value !== undefined);

/** An object of any fields. */
export const record = same(
  "an object",
  (value): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null && !Array.isArray(value),
);

/** A text of a form, which is checked in results only. */
export function pattern(form: RegExp): Codec<string> {
  const read = (wire: unknown) => (isText(wire) && form.test(wire) ? wire : mismatch(`a text like ${form.source}`));
  return { encode: text.encode, decode: read };
}

/** One of a few texts or numbers. */
export function oneOf<const T extends string | number>(...values: readonly T[]): Codec<T> {
  return same(values.join(" or "), (value): value is T => values.some((one) => one === value));
}

const SHORTEST_ADDRESS = /^0x[0-9a-f]{1,64}$/;

/** An address. In a result it has its full length and lower case. */
export const address: Codec<string> = {
  encode: text.encode,
  decode(wire) {
    const lowerCase = text.decode(wire).toLowerCase();
    if (!SHORTEST_ADDRESS.test(lowerCase)) mismatch("an address: 0x and hex digits");
    return `0x${lowerCase.slice(2).padStart(64, "0")}`;
  },
};

function u64From(value: unknown): bigint {
  const exact = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof exact === "bigint" && exact >= 0n && exact <= MAX_U64 ? exact : mismatch("a u64, as a bigint");
}

/** A u64 that the wire carries as a decimal text. */
export const u64Text: Codec<bigint> = {
  encode: (value) => u64From(value).toString(),
  decode: (wire) => u64From(/^[0-9]{1,20}$/.test(text.decode(wire)) ? BigInt(text.decode(wire)) : wire),
};

/** A u64 that the wire carries as an exact JSON integer. */
export const u64: Codec<bigint> = { encode: u64From, decode: u64From };

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : mismatch("bytes");
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Bytes that the wire carries as base64. */
export const base64Bytes: Codec<Uint8Array> = {
  encode: (value) => toBase64(bytesOf(value)),
  decode(wire) {
    const base64 = text.decode(wire);
    if (base64.length % 4 !== 0 || !BASE64.test(base64)) mismatch("base64 with padding");
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return toBase64(bytes) === base64 ? bytes : mismatch("base64 without stray bits");
  },
};

/** Bytes that the wire carries as hex. */
export const hexBytes: Codec<Uint8Array> = {
  encode: (value) => `0x${Array.from(bytesOf(value), (byte) => byte.toString(16).padStart(2, "0")).join("")}`,
  decode(wire) {
    const hex = text.decode(wire);
    if (!/^0x(?:[0-9a-f]{2})+$/i.test(hex)) mismatch("hex with 0x");
    return Uint8Array.from(hex.slice(2).match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  },
};

const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;

/** Bytes that the wire carries as an array of numbers. */
export const byteNumbers: Codec<Uint8Array> = {
  encode: (value) => Array.from(bytesOf(value)),
  decode: (wire) =>
    Array.isArray(wire) && wire.length > 0 && wire.every(isByte) ? Uint8Array.from(wire) : mismatch("bytes as numbers"),
};

/** An array of values of one codec. */
export function array<T>(item: Codec<T>): Codec<readonly T[]> {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : mismatch("an array"));
  return {
    encode: (value) => list(value).map((one) => item.encode(one as T)),
    decode: (wire) => list(wire).map(item.decode),
  };
}

/** An array of a fixed length. */
export function tuple<T extends readonly unknown[]>(...items: { [Index in keyof T]: Codec<T[Index]> }): Codec<T> {
  const read = (side: "encode" | "decode") => (value: unknown) =>
    Array.isArray(value) && value.length === items.length
      ? items.map((item, index) => item[side](value[index]))
      : mismatch(`an array of ${items.length}`);
  return { encode: read("encode"), decode: (wire) => read("decode")(wire) as unknown as T };
}

/** A value of a codec, or null. */
export function nullable<T>(item: Codec<T>): Codec<T | null> {
  return {
    encode: (value) => (value === null ? null : item.encode(value)),
    decode: (wire) => (wire === null ? null : item.decode(wire)),
  };
}

/** The first codec that fits. */
export function union<T>(...items: readonly Codec<T>[]): Codec<T> {
  const first = <Out>(read: (item: Codec<T>) => Out): Out => {
    for (const item of items)
      try {
        return read(item);
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
      }
    return mismatch("one of the forms of its contract");
  };
  return {
    encode: (value) => first((item) => item.encode(value)),
    decode: (wire) => first((item) => item.decode(wire)),
  };
}

/** A field that may be absent. In a result, a given default replaces it. */
export interface OptionalField<T> {
  readonly codec: Codec<T>;
  readonly fallback?: T;
}

/** Marks a field that may be absent. */
export function optional<T>(codec: Codec<T>, fallback?: T): OptionalField<T> {
  return { codec, ...(fallback !== undefined && { fallback }) };
}

type Field<T> = Codec<T> | OptionalField<T>;
/** The fields of an object. TypeScript compares them with its type. */
type FieldsOf<T> = { readonly [Name in keyof T]-?: Field<Exclude<T[Name], undefined>> };
type Fields = Readonly<Record<string, unknown>>;

function eachField(
  fields: Readonly<Record<string, Field<unknown>>>,
  side: "encode" | "decode",
  value: unknown,
): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return mismatch("an object");
  const out: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(value, name) ? (value as Fields)[name] : undefined;
    if (given === undefined && "codec" in field) {
      if (side === "decode" && "fallback" in field) out[name] = field.fallback;
      continue;
    }
    if (given === undefined) throw new Mismatch(`${name}: is required`);
    const codec = "codec" in field ? field.codec : field;
    try {
      out[name] = codec[side](given);
    } catch (error) {
      throw error instanceof Mismatch ? new Mismatch(`${name}: ${error.message}`) : error;
    }
  }
  return out;
}

/** An object. Drops fields that it does not name. */
export function object<T>(fields: FieldsOf<T>): Codec<T> {
  return {
    encode: (value) => eachField(fields, "encode", value),
    decode: (wire) => eachField(fields, "decode", wire) as T,
  };
}

/** A method of the wire. @param params in their order on the wire. */
export function method<Params, Value>(
  name: string,
  idempotent: boolean,
  params: FieldsOf<Params>,
  result: Codec<Value>,
): WireMethod<Params, Value> {
  return {
    name,
    idempotent,
    encode(given) {
      try {
        const encoded = eachField(params, "encode", given ?? {});
        const positions = Object.keys(params).map((param) => encoded[param] ?? null);
        while (positions.at(-1) === null) positions.pop();
        return { ok: true, value: positions };
      } catch (error) {
        if (error instanceof Mismatch) return refuse("bad_params", error.message);
        throw error;
      }
    },
    decode(wire) {
      try {
        return { ok: true, value: result.decode(wire) };
      } catch (error) {
        if (error instanceof Mismatch) return null;
        throw error;
      }
    },
  };
}
