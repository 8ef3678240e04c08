import { bcs } from "@mysten/sui/bcs";
import type { GrpcTypes } from "@mysten/sui/grpc";
import { concatBytes } from "@noble/hashes/utils.js";
import { ASCII_TYPE, encodeUleb, optionElement, STRING_TYPE, vectorElement } from "./move/pure.ts";
import type { InputUse } from "./resolve-uses.ts";
import { invalidArgument } from "./status.ts";
import { parseAddress } from "./transaction.ts";

type Literal = NonNullable<GrpcTypes.Input["literal"]>;

/** Sizes of the unsigned integers, in bytes. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ["u8", 1],
  ["u16", 2],
  ["u32", 4],
  ["u64", 8],
  ["u128", 16],
  ["u256", 32],
]);

/** The BCS of a literal, as the commands that use it need it (sui-rpc-api: simulate/resolve/literal.rs). */
export function resolveLiteral(literal: Literal, uses: readonly InputUse[]): Uint8Array {
  return encode(literalType(uses), literal);
}

function literalType(uses: readonly InputUse[]): string {
  const types = new Set(uses.map(useType));
  const [type] = types;
  if (type === undefined) throw invalidArgument("unable to determine type of literal");
  if (types.size > 1) {
    throw invalidArgument("unable to resolve literal as it is used as multiple different types across commands");
  }
  return type;
}

function useType(use: InputUse): string {
  if (use.kind === "object") throw invalidArgument("invalid use of literal");
  if (use.type === undefined) throw invalidArgument("unable to resolve literal as an unknown type");
  return use.type;
}

function encode(type: string, { kind }: Literal): Uint8Array {
  const option = optionElement(type);
  if (option !== undefined) {
    if (kind.oneofKind === "nullValue") return encodeUleb(0);
    if (kind.oneofKind === "structValue") throw invalidArgument("literal cannot be resolved into Option");
    return concatBytes(encodeUleb(1), encode(option, { kind }));
  }
  const element = vectorElement(type);
  if (element !== undefined) {
    if (kind.oneofKind !== "listValue") throw unresolvable(type);
    const { values } = kind.listValue;
    return concatBytes(encodeUleb(values.length), ...values.map((value) => encode(element, value)));
  }
  const size = NUMBERS.get(type);
  if (size !== undefined) return encodeNumber(type, size, kind);
  if (kind.oneofKind === "boolValue" && type === "bool") return bcs.bool().serialize(kind.boolValue).toBytes();
  if (kind.oneofKind !== "stringValue") throw unresolvable(type);
  return encodeText(type, kind.stringValue);
}

function encodeText(type: string, text: string): Uint8Array {
  switch (type) {
    case "bool":
      if (text !== "true" && text !== "false") throw unresolvable(type);
      return bcs
        .bool()
        .serialize(text === "true")
        .toBytes();
    case "address":
      return bcs.Address.serialize(parseAddress("literal", text)).toBytes();
    case STRING_TYPE:
    case ASCII_TYPE:
      return bcs.string().serialize(text).toBytes();
    default:
      throw unresolvable(type);
  }
}

function encodeNumber(type: string, size: number, kind: Literal["kind"]): Uint8Array {
  const text = numberText(kind);
  if (text === undefined || !/^\d{1,78}$/.test(text)) throw unresolvable(type);
  let rest = BigInt(text);
  const bytes = new Uint8Array(size);
  for (let index = 0; index < size; index++) {
    bytes[index] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  if (rest !== 0n) throw unresolvable(type);
  return bytes;
}

function numberText(kind: Literal["kind"]): string | undefined {
  if (kind.oneofKind === "numberValue") return String(Math.trunc(kind.numberValue));
  return kind.oneofKind === "stringValue" ? kind.stringValue : undefined;
}

function unresolvable(type: string) {
  return invalidArgument(`literal cannot be resolved into type ${type}`);
}
