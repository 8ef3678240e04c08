import { displayAddress, longAddress } from "../address.ts";

/** `0x1::object::Object` of `0x1::object::Object<T>`. */
export function baseOf(type: string): string {
  const open = type.indexOf("<");
  return open < 0 ? type : type.slice(0, open);
}

/** The type arguments of a type: `["A", "B<C, D>"]` of `X<A, B<C, D>>`. */
export function argumentsOf(type: string): string[] {
  const open = type.indexOf("<");
  if (open < 0 || !type.endsWith(">")) return [];
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let index = start; index < type.length; index += 1) {
    const character = type[index];
    if (character === "<") depth += 1;
    const ends = depth === 0 && (character === "," || character === ">");
    if (ends) {
      parts.push(type.slice(start, index).trim());
      start = index + 1;
    }
    if (character === ">") depth -= 1;
  }
  return parts;
}

/** Any way to write an address in a type becomes the node's, and so do spaces: types can then be compared as text. */
export function canonicalType(type: string): string {
  return type
    .replaceAll(/\s+/g, "")
    .replaceAll(/0x[0-9a-fA-F]{1,64}(?=::)/g, (address) => displayAddress(longAddress(address)));
}

/** Why a text is no struct tag, in a node's words (recorded); null if it is one, or fails in another way. */
export function whyNoStruct(text: string): string | null {
  const [first = "", ...rest] = text.split("<")[0]?.split("::") ?? [];
  if (!first.startsWith("0x")) return `unexpected token Name("${first}"), expected type tag`;
  return rest.length < 2 ? "expected token ColonColon, got EOF" : null;
}

/** Whether a text has the form of a type. */
export function isType(text: string): boolean {
  const compact = text.replaceAll(/\s+/g, "");
  if (/^(?:bool|address|signer|u(?:8|16|32|64|128|256))$/.test(compact)) return true;
  const isNamed = baseOf(compact) === "vector" || /^0x[0-9a-fA-F]{1,64}::\w+::\w+$/.test(baseOf(compact));
  return isNamed && argumentsOf(compact).every(isType);
}

/** How a node names the JSON of a type (aptos-core api/types/src/move_types.rs). */
export function jsonTypeName(type: string): string {
  if (type === "bool") return "boolean";
  if (/^u(?:8|16|32)$/.test(type)) return `integer<${type}>`;
  if (/^u\d+$/.test(type)) return `string<${type}>`;
  if (type === "address") return "string<address>";
  if (type === "vector<u8>") return "string<hex>";
  return baseOf(type) === "vector" ? `array<${jsonTypeName(argumentsOf(type)[0] ?? "")}>` : "object";
}

/** Puts the type arguments of a call in the place of `T0`, `T1`, … */
export function instantiate(type: string, typeArguments: readonly string[]): string {
  return type.replaceAll(/\bT(\d+)\b/g, (name, index) => typeArguments[Number(index)] ?? name);
}
