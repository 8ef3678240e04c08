import { parseAddress } from "./address.ts";
import { isIdentifier, type TypeTag } from "./type-tag.ts";

/** Move's types as text: `u64`, `vector<u8>`, `0x…::coin::Coin<…>`. */

const PLAIN: ReadonlyMap<string, TypeTag> = new Map(
  (
    [
      { $kind: "Bool", Bool: true },
      { $kind: "U8", U8: true },
      { $kind: "U16", U16: true },
      { $kind: "U32", U32: true },
      { $kind: "U64", U64: true },
      { $kind: "U128", U128: true },
      { $kind: "U256", U256: true },
      { $kind: "I8", I8: true },
      { $kind: "I16", I16: true },
      { $kind: "I32", I32: true },
      { $kind: "I64", I64: true },
      { $kind: "I128", I128: true },
      { $kind: "I256", I256: true },
      { $kind: "Address", Address: true },
      { $kind: "Signer", Signer: true },
    ] satisfies TypeTag[]
  ).map((tag) => [typeText(tag), tag]),
);

/** A type parameter in a node's description of a function. */
const PARAMETER = /^T(\d{1,3})$/;

/** A type parameter that has no type argument. */
export const UNKNOWN_PARAMETER = "unknown_parameter";

/** The types that a text may name. */
export interface TypeTextOptions {
  /** The depth limit of nested vectors and structs. */
  readonly maxNesting: number;
  /** The type arguments for `T0`, `T1`, … Null if the text may name no parameter. */
  readonly typeArguments: readonly TypeTag[] | null;
}

/** Writes a type as Move does, with addresses in full length. */
export function typeText(tag: TypeTag): string {
  switch (tag.$kind) {
    case "Vector":
      return `vector<${typeText(tag.Vector)}>`;
    case "Struct": {
      const { address: account, module, name, typeArguments } = tag.Struct;
      const generics = typeArguments.length === 0 ? "" : `<${typeArguments.map(typeText).join(", ")}>`;
      return `${account}::${module}::${name}${generics}`;
    }
    default:
      return tag.$kind.toLowerCase();
  }
}

/**
 * Reads a type as the chain's SDK does: plain types in any case, and addresses as `parseAddress` reads them.
 *
 * @returns null for a text that is not such a type; `unknown_parameter` for a parameter without a type argument.
 */
export function parseTypeTag(text: string, options: TypeTextOptions): TypeTag | typeof UNKNOWN_PARAMETER | null {
  const words = text.match(/[<>,]|[^<>,\s]+/g) ?? [];
  const reader = new TypeReader(words, options.typeArguments);
  const tag = reader.type(options.maxNesting);
  return reader.isAtEnd ? tag : null;
}

type Read = ReturnType<typeof parseTypeTag>;

class TypeReader {
  readonly #words: readonly string[];
  readonly #typeArguments: TypeTextOptions["typeArguments"];
  #position = 0;

  constructor(words: readonly string[], typeArguments: TypeTextOptions["typeArguments"]) {
    this.#words = words;
    this.#typeArguments = typeArguments;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#words.length;
  }

  type(nestingLeft: number): Read {
    const name = this.#words[this.#position++] ?? "";
    const inner = this.#takes("<") ? this.#list(nestingLeft - 1) : [];
    return typeof inner === "object" && inner !== null ? this.#named(name, inner, nestingLeft) : inner;
  }

  #list(nestingLeft: number): readonly TypeTag[] | Exclude<Read, TypeTag> {
    if (nestingLeft < 0) return null;
    const tags: TypeTag[] = [];
    do {
      const tag = this.type(nestingLeft);
      if (tag === null || tag === UNKNOWN_PARAMETER) return tag;
      tags.push(tag);
    } while (this.#takes(","));
    return this.#takes(">") ? tags : null;
  }

  #named(name: string, inner: readonly TypeTag[], nestingLeft: number): Read {
    const plain = PLAIN.get(name.toLowerCase()) ?? this.#argumentOf(name);
    if (plain !== null) return inner.length === 0 ? plain : null;
    if (nestingLeft === 0) return null;
    if (name.toLowerCase() === "vector") {
      const [element, ...others] = inner;
      return element === undefined || others.length > 0 ? null : { $kind: "Vector", Vector: element };
    }
    return structNamed(name, inner);
  }

  /** Returns null if the name is not a parameter, or if the text may name none. */
  #argumentOf(name: string): Exclude<Read, null> | null {
    const [, index] = PARAMETER.exec(name) ?? [];
    if (index === undefined || this.#typeArguments === null) return null;
    return this.#typeArguments[Number(index)] ?? UNKNOWN_PARAMETER;
  }

  #takes(word: string): boolean {
    if (this.#words[this.#position] !== word) return false;
    this.#position += 1;
    return true;
  }
}

function structNamed(text: string, typeArguments: readonly TypeTag[]): TypeTag | null {
  const [written = "", module = "", name = "", ...others] = text.split("::");
  const address = parseAddress(written);
  if (address === null || others.length > 0 || !isIdentifier(module) || !isIdentifier(name)) return null;
  return { $kind: "Struct", Struct: { address, module, name, typeArguments } };
}
