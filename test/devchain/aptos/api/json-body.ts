import { unparsableBody } from "../errors.ts";
import type { MoveFunction } from "../move/function.ts";
import { findFunction, hasModule } from "../move/modules.ts";
import { argumentTypes } from "../move/run.ts";
import { canonicalType, jsonTypeName } from "../move/types.ts";
import { fromJson, type MoveValue } from "../move/values.ts";

const ADDRESS_DIGITS = 64;

/** @throws ApiError with the words of serde_json, as far as they are recorded. */
export function parseJson(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text);
  } catch {
    throw unparsableBody(whyNoJson(text));
  }
}

function whyNoJson(text: string): string {
  if (text.trim() === "{") return `EOF while parsing an object at line 1 column ${text.length}`;
  return text === "" ? "EOF while parsing a value at line 1 column 0" : "expected value at line 1 column 1";
}

/** What a node adds to a fault inside of nested types: the innermost first. */
export function whileParsing(...types: readonly string[]): string {
  return types.map((type) => ` (occurred while parsing "${type}")`).join("");
}

/** The type of a JSON value in serde's words. */
export function foundType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "boolean" ? `boolean \`${value}\`` : typeof value;
}

/** The function of an id with its address as a node writes it. @throws Error in a node's words. */
export function functionOf(id: string, kind: "view" | "entry"): MoveFunction {
  const canonical = canonicalType(id);
  const definition = findFunction(canonical);
  if (definition !== undefined) return definition;
  const [address = "", module = ""] = canonical.split("::");
  if (hasModule(`${address}::${module}`)) throw new Error(`could not find ${kind} function by ${canonical}`);
  throw new Error(`Module ModuleId { address: ${digitsOf(address)}, name: Identifier("${module}") } can't be found`);
}

export function digitsOf(address: string): string {
  return address.slice("0x".length).padStart(ADDRESS_DIGITS, "0");
}

/** The arguments of a call by the function's types. @throws Error in a node's words (recorded). */
export function argumentsOfJson(
  definition: MoveFunction,
  typeArguments: readonly string[],
  given: readonly unknown[],
): MoveValue[] {
  const types = argumentTypes(definition, typeArguments);
  if (types.length !== given.length) {
    const [names, values] = [types.map(jsonTypeName).join(", "), given.map(debugText).join(", ")];
    throw new Error(`expected ${types.length} arguments [${names}], but got ${given.length} ([${values}])`);
  }
  return types.map((type, index) => {
    try {
      return fromJson(type, given[index]);
    } catch (error) {
      const why = whyNoText(type, given[index]) ?? (error instanceof Error ? error.message : "unknown error");
      throw new Error(`parse arguments[${index}] failed, expect ${jsonTypeName(type)}, caused by error: ${why}`);
    }
  });
}

/** JSON as Rust shows a value of it. */
function debugText(value: unknown): string {
  if (typeof value === "string") return `String(${JSON.stringify(value)})`;
  if (typeof value === "boolean") return `Bool(${value})`;
  if (typeof value === "number") return `Number(${value})`;
  if (Array.isArray(value)) return `Array [${value.map(debugText).join(", ")}]`;
  return value === null ? "Null" : `Object ${JSON.stringify(value)}`;
}

function whyNoText(type: string, value: unknown): string | null {
  if (!jsonTypeName(type).startsWith("string<")) return null;
  if (typeof value !== "string") return `invalid type: ${foundType(value)}, expected a string`;
  return type === "address" ? whyNoAddress(value) : null;
}

/** A node fills an address up to its full length before it reads it, and so counts the places (recorded). */
export function whyNoAddress(text: string): string | null {
  const digits = text.replace(/^0x/, "");
  const at = digits.search(/[^0-9a-fA-F]/);
  if (at < 0) return null;
  const position = at + Math.max(0, ADDRESS_DIGITS - digits.length);
  return `Invalid account address: Hex characters are invalid: Invalid character '${digits[at]}' at position ${position}`;
}
