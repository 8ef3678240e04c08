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

/** Puts the type arguments of a call in the place of `T0`, `T1`, … */
export function instantiate(type: string, typeArguments: readonly string[]): string {
  return type.replaceAll(/\bT(\d+)\b/g, (name, index) => typeArguments[Number(index)] ?? name);
}
