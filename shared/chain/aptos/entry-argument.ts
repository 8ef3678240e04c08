import { bcs } from "@mysten/bcs";
import { ByteSink, concatBytes, parseHex } from "../../bytes.ts";
import { addressBytes, parseAddress } from "./address.ts";
import { bytes, encodeBcs } from "./bcs.ts";
import type { StructTag, TypeTag } from "./type-tag.ts";
import { typeText } from "./type-text.ts";

/** Reports an argument that its parameter does not accept. `entry-call.ts` catches it. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** The depth limit of nested vectors and options. The body of a request could nest far deeper. */
export const MAX_NESTING = 8;

const UNSIGNED_BITS: ReadonlyMap<string, number> = new Map([8, 16, 32, 64, 128, 256].map((bits) => [`U${bits}`, bits]));

const FRAMEWORK = parseAddress("0x1");
const NONE = Uint8Array.of(0);
const SOME = Uint8Array.of(1);

/**
 * Encodes an argument of an entry function, in BCS.
 *
 * @param path names the argument in an error.
 * @param depth counts the vectors and options around the value.
 * @throws ArgumentError for a value that its type does not accept, and for a type without a JSON form.
 */
export function encodeArgument(value: unknown, tag: TypeTag, path: string, depth = 0): Uint8Array {
  if (depth > MAX_NESTING) throw new ArgumentError(`${path}: must not be nested deeper than ${MAX_NESTING}`);
  if (tag.$kind === "Vector") return encodeVector(value, tag.Vector, path, depth);
  if (tag.$kind === "Struct") return encodeStruct(value, tag, path, depth);
  const bits = UNSIGNED_BITS.get(tag.$kind);
  if (bits !== undefined) return littleEndian(unsigned(value, bits, path), bits);
  if (tag.$kind === "Address") return encodeAddress(value, path);
  if (tag.$kind !== "Bool") throw notFromJson(typeText(tag), path);
  if (typeof value !== "boolean") throw new ArgumentError(`${path}: must be true or false`);
  return encodeBcs(bcs.bool(), value);
}

function encodeVector(value: unknown, element: TypeTag, path: string, depth: number): Uint8Array {
  const isBytes = element.$kind === "U8";
  if (isBytes && typeof value === "string") return encodeBcs(bytes, bytesOf(value, path));
  if (!Array.isArray(value))
    throw new ArgumentError(`${path}: must be an array${isBytes ? ", or hex that begins with 0x" : ""}`);
  const elements: readonly unknown[] = value;
  const sink = new ByteSink();
  sink.push(encodeBcs(bcs.uleb128(), elements.length));
  for (const [index, one] of elements.entries())
    sink.push(encodeArgument(one, element, `${path}[${index}]`, depth + 1));
  return sink.bytes();
}

function encodeStruct(
  value: unknown,
  tag: TypeTag & { readonly $kind: "Struct" },
  path: string,
  depth: number,
): Uint8Array {
  const [inner] = tag.Struct.typeArguments;
  const name = frameworkName(tag.Struct);
  if (name === "object::Object") return encodeAddress(value, path);
  if (name === "option::Option" && inner !== undefined)
    return value === null ? NONE : concatBytes(SOME, encodeArgument(value, inner, path, depth + 1));
  if (name !== "string::String") throw notFromJson(typeText(tag), path);
  if (typeof value !== "string") throw new ArgumentError(`${path}: must be a string`);
  return encodeBcs(bcs.string(), value);
}

/** Returns `module::Name` of a struct of `0x1`, or null for any other struct. */
function frameworkName({ address, module, name }: StructTag): string | null {
  return address === FRAMEWORK ? `${module}::${name}` : null;
}

/** Makes the error for a parameter whose type has no JSON form. */
export function notFromJson(type: string, path: string): ArgumentError {
  return new ArgumentError(`${path}: the type ${type} cannot be built from JSON: build the transaction yourself`);
}

function encodeAddress(value: unknown, path: string): Uint8Array {
  const address = typeof value === "string" ? parseAddress(value) : null;
  if (address === null) throw new ArgumentError(`${path}: must be an address`);
  return addressBytes(address);
}

function unsigned(value: unknown, bits: number, path: string): bigint {
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw new ArgumentError(`${path}: is not a safe integer: send a decimal string`);
  const isDecimal = typeof value === "number" || (typeof value === "string" && /^(0|[1-9][0-9]{0,77})$/.test(value));
  const integer = isDecimal ? BigInt(value) : -1n;
  if (integer < 0n || integer >= 1n << BigInt(bits)) throw new ArgumentError(`${path}: must be a u${bits}`);
  return integer;
}

function littleEndian(integer: bigint, bits: number): Uint8Array {
  return Uint8Array.from({ length: bits / 8 }, (_, index) => Number((integer >> BigInt(8 * index)) & 0xffn));
}

function bytesOf(text: string, path: string): Uint8Array {
  const parsed = text.startsWith("0x") ? parseHex(text.slice(2)) : null;
  if (parsed === null) throw new ArgumentError(`${path}: must be hex that begins with 0x, or an array of numbers`);
  return parsed;
}
