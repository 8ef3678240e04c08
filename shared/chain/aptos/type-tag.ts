import { type BcsType, bcs } from "@mysten/bcs";
import { address, bounded, excludingVariants, refusing, vectorOf } from "./bcs.ts";
import { MAX_IDENTIFIER_BYTES, MAX_TYPE_TAG_NESTING } from "./limits.ts";

/** Move's names and types in BCS: move-core-types of aptos-core, `identifier.rs` and `language_storage.rs`. */

const IDENTIFIER = /^(?:[a-zA-Z][a-zA-Z0-9_$]*|[_$][a-zA-Z0-9_$]+)$/;

/** Returns true if a module, a function or a struct can have this name. */
export function isIdentifier(name: string): boolean {
  return name.length <= MAX_IDENTIFIER_BYTES && IDENTIFIER.test(name);
}

/** The BCS codec of a name. The chain reads any text and then does not find the name; this codec refuses the text. */
export const identifier = bounded(bcs.string({ name: "Identifier" }), isIdentifier, "a name must be a Move identifier");

/** The BCS codec of a module's name: its address and its identifier. */
export const moduleId = bcs.struct("ModuleId", { address, name: identifier });

type Plain =
  | "Bool"
  | "U8"
  | "U64"
  | "U128"
  | "Address"
  | "Signer"
  | "U16"
  | "U32"
  | "U256"
  | "I8"
  | "I16"
  | "I32"
  | "I64"
  | "I128"
  | "I256";

/** The type of a struct. Its address has full length. */
export interface StructTag {
  readonly address: string;
  readonly module: string;
  readonly name: string;
  readonly typeArguments: readonly TypeTag[];
}

/** A Move type. Function types are not supported. */
export type TypeTag =
  | { readonly [Name in Plain]: { readonly $kind: Name } & { readonly [Key in Name]: true } }[Plain]
  | { readonly $kind: "Vector"; readonly Vector: TypeTag }
  | { readonly $kind: "Struct"; readonly Struct: StructTag };

function tagOf(vectorElement: BcsType<TypeTag, TypeTag>, struct: BcsType<StructTag, StructTag>) {
  const anyTag = bcs.enum("TypeTag", {
    Bool: null,
    U8: null,
    U64: null,
    U128: null,
    Address: null,
    Signer: null,
    Vector: vectorElement,
    Struct: struct,
    U16: null,
    U32: null,
    U256: null,
    Function: null,
    I8: null,
    I16: null,
    I32: null,
    I64: null,
    I128: null,
    I256: null,
  });
  return excludingVariants(anyTag, {
    // Two programs read these bytes differently, so they are not signed.
    Function: "type tag 11 is a function type on chain, but i8 in client libraries: leave it out",
  });
}

function structOf(typeArgument: BcsType<TypeTag, TypeTag>): BcsType<StructTag, StructTag> {
  return bcs
    .struct("StructTag", { address, module: identifier, name: identifier, typeArguments: vectorOf(typeArgument) })
    .transform({ input: (value: StructTag) => value, output: (value): StructTag => value });
}

/** Makes a type of its own for each level, so that the nesting ends at the chain's own limit. */
function typeTagWithin(nesting: number): BcsType<TypeTag, TypeTag> {
  const tooDeep = `types are nested deeper than ${MAX_TYPE_TAG_NESTING}`;
  if (nesting === 0) return tagOf(refusing("TypeTag", tooDeep), refusing("StructTag", tooDeep));
  const inner = typeTagWithin(nesting - 1);
  return tagOf(inner, structOf(inner));
}

/** The BCS codec of a Move type, at most `MAX_TYPE_TAG_NESTING` levels deep. */
export const typeTag = typeTagWithin(MAX_TYPE_TAG_NESTING);
