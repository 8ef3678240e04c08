import type { EntryFunctionArgument, Serializable, TypeTag } from "@aptos-labs/ts-sdk";
import { parseHex } from "../../bytes.ts";
import { type Outcome, refuse } from "../../errors.ts";
import { parseAddress } from "./address.ts";
import { decodeBcs } from "./bcs.ts";
import { MAX_TRANSACTION_BYTES } from "./limits.ts";
import { type TransactionPayload, transactionPayload } from "./payload.ts";

/** A call of an entry function as JSON says it: the payload that a node shows, and takes for a simulation. */
export interface EntryCall {
  /** `0x…::module::function`. */
  readonly function: string;
  readonly typeArguments: readonly string[];
  readonly arguments: readonly unknown[];
}

/** A node's description of a function, as far as a call needs it. */
export interface FunctionAbi {
  readonly isEntry: boolean;
  readonly typeParameters: number;
  /** Move types as text; a type parameter is `T0`, `T1`, … */
  readonly parameters: readonly string[];
}

type Sdk = typeof import("@aptos-labs/ts-sdk");
type Argument = Serializable & EntryFunctionArgument;

/** An argument that is not what its parameter takes. Thrown in here only, and caught where the call is built. */
class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

const SIGNERS = /^&?signer$/;
/** Vectors and options inside each other; the body of a request could nest far deeper. */
export const MAX_NESTING = 8;

/** True if an argument nests deeper than any function takes. It could be too deep even to be written again. */
export function nestsTooDeeply(argument: unknown, levels = MAX_NESTING): boolean {
  if (typeof argument !== "object" || argument === null) return false;
  return levels === 0 || Object.values(argument).some((inner) => nestsTooDeeply(inner, levels - 1));
}

/**
 * Builds the payload of a call with the chain's SDK, which is loaded when it is first needed: by far the largest part
 * of the bundle. Arguments are JSON as nodes read it: numbers up to u32 as numbers, larger ones as decimal strings
 * (either is taken for all), addresses and objects as hex, `vector<u8>` as hex that begins with `0x` or as numbers,
 * strings as strings, an option as its value or null.
 *
 * @returns refuses with `bad_params`, naming the argument.
 */
export async function entryCallPayload(call: EntryCall, abi: FunctionAbi): Promise<Outcome<TransactionPayload>> {
  const sdk = await import("@aptos-labs/ts-sdk");
  try {
    const bytes = encodeCall(sdk, call, abi);
    // Read back by the codec that the service itself decides with.
    return decodeBcs(transactionPayload, bytes, MAX_TRANSACTION_BYTES);
  } catch (error) {
    if (error instanceof ArgumentError) return refuse("bad_params", error.message);
    throw error;
  }
}

function encodeCall(sdk: Sdk, call: EntryCall, abi: FunctionAbi): Uint8Array {
  const [address = "", module = "", name = ""] = call.function.split("::");
  if (!abi.isEntry) throw new ArgumentError(`function: ${call.function} is not an entry function: call one`);
  const [first, ...others] = abi.parameters;
  const takesSigner = first !== undefined && SIGNERS.test(first);
  const parameters = takesSigner ? others : abi.parameters;
  if (parameters.some((parameter) => SIGNERS.test(parameter)))
    throw new ArgumentError(`function: ${call.function} needs more signers than one: build the transaction yourself`);
  expectCount("type_arguments", call.typeArguments.length, abi.typeParameters);
  expectCount("arguments", call.arguments.length, parameters.length);
  const generics = call.typeArguments.map((text, index) => typeTagOf(sdk, text, `type_arguments[${index}]`, false));
  const values = parameters.map((parameter, index) => {
    const path = `arguments[${index}]`;
    return argumentOf({ sdk, generics }, call.arguments[index], typeTagOf(sdk, parameter, path, true), path, 0);
  });
  const built = sdk.EntryFunction.build(`${address}::${module}` as const, name, generics, values);
  return new sdk.TransactionPayloadEntryFunction(built).bcsToBytes();
}

function expectCount(what: string, given: number, wanted: number): void {
  if (given !== wanted) throw new ArgumentError(`${what}: the function takes ${wanted}, not ${given}`);
}

function typeTagOf({ parseTypeTag }: Sdk, text: string, path: string, allowGenerics: boolean): TypeTag {
  try {
    return parseTypeTag(text, { allowGenerics });
  } catch {
    throw new ArgumentError(
      allowGenerics
        ? `${path}: the type ${text} cannot be built from JSON: build the transaction yourself`
        : `${path}: must be a Move type`,
    );
  }
}

interface Building {
  readonly sdk: Sdk;
  readonly generics: readonly TypeTag[];
}

function argumentOf(building: Building, value: unknown, tag: TypeTag, path: string, depth: number): Argument {
  if (depth > MAX_NESTING) throw new ArgumentError(`${path}: must not be nested deeper than ${MAX_NESTING}`);
  const { sdk, generics } = building;
  if (tag instanceof sdk.TypeTagGeneric) {
    const actual = generics[tag.value];
    if (actual === undefined) throw new ArgumentError(`${path}: its type is a parameter that the function lacks`);
    return argumentOf(building, value, actual, path, depth + 1);
  }
  if (tag instanceof sdk.TypeTagVector) return vectorOf(building, value, tag.value, path, depth);
  if (tag instanceof sdk.TypeTagStruct) {
    if (tag.isString()) {
      if (typeof value !== "string") throw new ArgumentError(`${path}: must be a string`);
      return new sdk.MoveString(value);
    }
    if (tag.isObject()) return addressOf(sdk, value, path);
    const [inner] = tag.value.typeArgs;
    if (tag.isOption() && inner !== undefined)
      return new sdk.MoveOption<Argument>(value === null ? null : argumentOf(building, value, inner, path, depth + 1));
  }
  return plainOf(sdk, value, tag.toString(), path);
}

function vectorOf(building: Building, value: unknown, inner: TypeTag, path: string, depth: number): Argument {
  const { MoveVector } = building.sdk;
  const isBytes = inner.toString() === "u8";
  if (isBytes && typeof value === "string") return MoveVector.U8(bytesOf(value, path));
  if (!Array.isArray(value))
    throw new ArgumentError(`${path}: must be an array${isBytes ? ", or hex that begins with 0x" : ""}`);
  const elements: readonly unknown[] = value;
  return new MoveVector(
    elements.map((element, index) => argumentOf(building, element, inner, `${path}[${index}]`, depth + 1)),
  );
}

function plainOf(sdk: Sdk, value: unknown, type: string, path: string): Argument {
  switch (type) {
    case "bool":
      if (typeof value !== "boolean") throw new ArgumentError(`${path}: must be true or false`);
      return new sdk.Bool(value);
    case "address":
      return addressOf(sdk, value, path);
    case "u8":
      return new sdk.U8(Number(unsigned(value, 8, path)));
    case "u16":
      return new sdk.U16(Number(unsigned(value, 16, path)));
    case "u32":
      return new sdk.U32(Number(unsigned(value, 32, path)));
    case "u64":
      return new sdk.U64(unsigned(value, 64, path));
    case "u128":
      return new sdk.U128(unsigned(value, 128, path));
    case "u256":
      return new sdk.U256(unsigned(value, 256, path));
    default:
      throw new ArgumentError(`${path}: the type ${type} cannot be built from JSON: build the transaction yourself`);
  }
}

function addressOf({ AccountAddress }: Sdk, value: unknown, path: string): Argument {
  const address = typeof value === "string" ? parseAddress(value) : null;
  if (address === null) throw new ArgumentError(`${path}: must be an address`);
  return AccountAddress.from(address);
}

function unsigned(value: unknown, bits: number, path: string): bigint {
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw new ArgumentError(`${path}: is not a safe integer: send a decimal string`);
  const isDecimal = typeof value === "number" || (typeof value === "string" && /^(0|[1-9][0-9]{0,77})$/.test(value));
  const integer = isDecimal ? BigInt(value) : -1n;
  if (integer < 0n || integer >= 1n << BigInt(bits)) throw new ArgumentError(`${path}: must be a u${bits}`);
  return integer;
}

function bytesOf(text: string, path: string): Uint8Array {
  const bytes = text.startsWith("0x") ? parseHex(text.slice(2)) : null;
  if (bytes === null) throw new ArgumentError(`${path}: must be hex that begins with 0x, or an array of numbers`);
  return bytes;
}
