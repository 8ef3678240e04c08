import { normalizeStructTag } from "@mysten/sui/utils";
import type { PrimitiveName } from "./types.ts";

export const STRING_TYPE = normalizeStructTag("0x1::string::String");
export const ASCII_TYPE = normalizeStructTag("0x1::ascii::String");
export const OBJECT_ID_TYPE = normalizeStructTag("0x2::object::ID");

const ADDRESS_BYTES = 32;
const FIXED_BYTES: ReadonlyMap<string, number> = new Map<PrimitiveName, number>([
  ["bool", 1],
  ["u8", 1],
  ["u16", 2],
  ["u32", 4],
  ["u64", 8],
  ["u128", 16],
  ["u256", 32],
  ["address", ADDRESS_BYTES],
]);
const MAX_ULEB_BYTES = 5;
const MAX_ASCII = 0x7f;
const OPTION_PREFIX = `${normalizeStructTag("0x1::option::Option")}<`;

/** Whether a type can be given as pure bytes at all; everything else must be an object or a result. */
export function isPureType(type: string): boolean {
  if (FIXED_BYTES.has(type) || isText(type) || type === OBJECT_ID_TYPE) return true;
  const element = vectorElement(type) ?? optionElement(type);
  return element !== undefined && isPureType(element);
}

function isText(type: string): boolean {
  return type === STRING_TYPE || type === ASCII_TYPE;
}

/** Whether bytes are exactly one BCS value of a pure type. */
export function isPureValue(type: string, bytes: Uint8Array): boolean {
  return readPure(type, bytes, 0) === bytes.length;
}

/** Reads one value and returns the offset behind it, or undefined when the bytes are no such value. */
function readPure(type: string, bytes: Uint8Array, offset: number): number | undefined {
  const size = type === OBJECT_ID_TYPE ? ADDRESS_BYTES : FIXED_BYTES.get(type);
  if (size !== undefined) {
    if (type === "bool" && (bytes[offset] ?? 2) > 1) return undefined;
    return offset + size <= bytes.length ? offset + size : undefined;
  }
  const length = readUleb(bytes, offset);
  if (length === undefined) return undefined;
  if (isText(type)) return readText(type, bytes, length.next, length.value);
  const option = optionElement(type);
  const element = vectorElement(type) ?? option;
  // An option is a vector of at most one.
  if (element === undefined || (option !== undefined && length.value > 1)) return undefined;
  let end: number | undefined = length.next;
  for (let index = 0; index < length.value && end !== undefined; index++) end = readPure(element, bytes, end);
  return end;
}

function readText(type: string, bytes: Uint8Array, start: number, length: number): number | undefined {
  const end = start + length;
  if (end > bytes.length) return undefined;
  if (type === ASCII_TYPE) return bytes.subarray(start, end).some((byte) => byte > MAX_ASCII) ? undefined : end;
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, end));
    return end;
  } catch {
    return undefined;
  }
}

function readUleb(bytes: Uint8Array, offset: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < MAX_ULEB_BYTES; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    const isLast = (byte & 0x80) === 0;
    if (isLast) return index > 0 && byte === 0 ? undefined : { value, next: offset + index + 1 };
  }
  return undefined;
}

export function optionElement(type: string): string | undefined {
  return type.startsWith(OPTION_PREFIX) && type.endsWith(">") ? type.slice(OPTION_PREFIX.length, -1) : undefined;
}

export function vectorElement(type: string): string | undefined {
  return type.startsWith("vector<") && type.endsWith(">") ? type.slice("vector<".length, -1) : undefined;
}

/** The length prefix of BCS vectors. */
export function encodeUleb(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
