import { TypeTagSerializer } from "@mysten/sui/bcs";

const PRIMITIVES = ["address", "bool", "u8", "u16", "u32", "u64", "u128", "u256"] as const;
/** A primitive Move type that pure bytes can be. */
export type Primitive = (typeof PRIMITIVES)[number];

/** A struct that pure bytes can be, by its short name. */
const STRUCTS = ["0x1::string::String", "0x1::ascii::String", "0x2::object::ID"] as const;
const OPTION = "0x1::option::Option";

/** The types of pure inputs (sui-types, `is_primitive_type_tag`). */
export type PureType =
  | { readonly kind: "primitive"; readonly name: Primitive }
  | { readonly kind: "struct"; readonly name: (typeof STRUCTS)[number] }
  | { readonly kind: "vector" | "option"; readonly element: PureType };

/** The same types in a function's signature. `parameter` means a type argument of the call. */
export type OpenType =
  | Exclude<PureType, { readonly kind: "vector" | "option" }>
  | { readonly kind: "vector" | "option"; readonly element: OpenType }
  | { readonly kind: "parameter"; readonly index: number };

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;

/** The depth limit of nested types. */
export const MAX_TYPE_DEPTH = 8;

/** The pure type `u64`. */
export const U64: PureType = { kind: "primitive", name: "u64" };
/** The pure type `address`. */
export const ADDRESS: PureType = { kind: "primitive", name: "address" };

/** Shortens `0x1::string::String`, whose address may have any number of zeros. */
function shortName(name: string): string {
  return name.replace(/^0x0*(?=[0-9a-f])/, "0x");
}

/**
 * Returns a struct as a type of pure bytes. Null if they cannot be one.
 *
 * @param elements its type arguments. Null if they are not types of pure bytes.
 */
export function structType<Element extends OpenType>(
  name: string,
  elements: readonly (Element | null)[],
): PureType | { readonly kind: "option"; readonly element: Element } | null {
  const short = shortName(name);
  const [element, ...others] = elements;
  if (short === OPTION && element != null && others.length === 0) return { kind: "option", element };
  const struct = STRUCTS.find((known) => known === short);
  return struct !== undefined && elements.length === 0 ? { kind: "struct", name: struct } : null;
}

/** Fills in the type arguments of a call. Null if one of them is not a type of pure bytes. */
export function filledIn(type: OpenType, typeArguments: readonly string[]): PureType | null {
  if (type.kind === "parameter") return pureType(typeArguments[type.index] ?? "");
  if (type.kind === "primitive" || type.kind === "struct") return type;
  const element = filledIn(type.element, typeArguments);
  return element && { kind: type.kind, element };
}

/** Reads a type as a transaction names it. Null if it is not a type of pure bytes. */
export function pureType(name: string): PureType | null {
  try {
    return ofTag(TypeTagSerializer.parseFromStr(name), MAX_TYPE_DEPTH);
  } catch {
    return null;
  }
}

function ofTag(tag: TypeTag, depthLeft: number): PureType | null {
  if (depthLeft === 0) return null;
  if ("vector" in tag) {
    const element = ofTag(tag.vector, depthLeft - 1);
    return element && { kind: "vector", element };
  }
  if ("struct" in tag) {
    const { address, module, name, typeParams } = tag.struct;
    const elements = typeParams.map((element) => ofTag(element, depthLeft - 1));
    return structType(`${address}::${module}::${name}`, elements);
  }
  const name = PRIMITIVES.find((primitive) => primitive in tag);
  return name === undefined ? null : { kind: "primitive", name };
}

/** Writes a type in the form of JSON-RPC (sui-types, `to_sui_struct_tag_string`). */
export function typeText(type: PureType): string {
  switch (type.kind) {
    case "primitive":
    case "struct":
      return type.name;
    case "vector":
      return `vector<${typeText(type.element)}>`;
    case "option":
      return `${OPTION}<${typeText(type.element)}>`;
  }
}
