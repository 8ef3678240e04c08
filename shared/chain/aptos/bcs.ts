import { BcsReader, BcsType, bcs } from "@mysten/bcs";
import { done, type Outcome, refuse } from "../../errors.ts";
import { addressBytes, addressOfBytes } from "./address.ts";

/**
 * BCS as the chain's nodes read it (crate `bcs`): one encoding for each value, and no bytes after it. The parser of
 * `@mysten/bcs` alone ignores bytes after a value. If its input is a part of a longer buffer, it reads past it.
 */

const MAX_U32 = 0xffff_ffff;
const MAX_ULEB_BYTES = 5;

type UnreadableReason = "non_canonical_bytes" | "unsupported_transaction";

/** Reports unreadable bytes to the start of the reading. The library's types offer no other way. */
class Unreadable extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

class CanonicalReader extends BcsReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  override shift(bytes: number): this {
    this.#position += bytes;
    return super.shift(bytes);
  }

  override readBytes(length: number): Uint8Array {
    if (length > this.remaining) throw new RangeError("past the end");
    const start = this.#position;
    this.shift(length);
    return this.#bytes.slice(start, start + length);
  }

  /** Reads a length or a variant index: at most `u32::MAX`, in its shortest form. */
  override readULEB(): number {
    let value = 0;
    for (let index = 0; index < MAX_ULEB_BYTES; index++) {
      const byte = this.read8();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte >= 0x80) continue;
      if (byte === 0 && index > 0)
        throw new Unreadable(
          "non_canonical_bytes",
          "a length or a variant takes more bytes than it needs: encode it again",
        );
      if (value <= MAX_U32) return value;
    }
    throw new Unreadable("unsupported_transaction", "a length or a variant is larger than u32: encode it again");
  }
}

/**
 * Reads one value that takes all of the bytes.
 *
 * @returns refuses with `non_canonical_bytes` (bytes after the value, a padded length) or `unsupported_transaction`
 * (cut off, unknown or excluded variant, value out of bounds). Never throws, for any bytes.
 */
export function decodeBcs<T, Input>(type: BcsType<T, Input>, bytes: Uint8Array, maxBytes: number): Outcome<T> {
  if (bytes.length > maxBytes)
    return refuse("unsupported_transaction", `${bytes.length} bytes: ${type.name} must have at most ${maxBytes}`);
  const unreadable = (reason: UnreadableReason, why: string) => refuse(reason, `not the BCS of ${type.name}: ${why}`);
  const reader = new CanonicalReader(bytes);
  try {
    const value = type.read(reader);
    if (reader.remaining === 0) return done(value);
    return unreadable(
      "non_canonical_bytes",
      `followed by ${reader.remaining} bytes that are no part of it: leave them out`,
    );
  } catch (error) {
    if (error instanceof Unreadable) return unreadable(error.reason, error.message);
    // The RangeErrors are a DataView past its end, and the library's unknown variant, bad bool and bad UTF-8.
    if (error instanceof RangeError) return unreadable("unsupported_transaction", "it ends too early: encode it again");
    if (error instanceof TypeError) return unreadable("unsupported_transaction", error.message);
    throw error;
  }
}

/** @throws for a value out of its type's bounds, which is a fault of ours. */
export function encodeBcs<T, Input>(type: BcsType<T, Input>, value: Input): Uint8Array {
  return type.serialize(value).toBytes();
}

/** A type whose values have a bound that BCS itself does not know, in both directions. */
export function bounded<T>(type: BcsType<T, T>, holds: (value: T) => boolean, otherwise: string): BcsType<T, T> {
  const check = (value: T) => {
    if (!holds(value)) throw new Unreadable("unsupported_transaction", otherwise);
    return value;
  };
  return type.transform({ input: check, output: check });
}

/** A type that refuses every value. */
export function refusing<T>(name: string, why: string): BcsType<T, T> {
  const refuseValue = (): never => {
    throw new Unreadable("unsupported_transaction", why);
  };
  return new BcsType<T, T>({ name, read: refuseValue, write: refuseValue });
}

/**
 * An enum without some variants, which are known and always refused.
 *
 * @param type has those variants without content. The bytes after such a variant are not read.
 * @param why by variant.
 */
export function excludingVariants<Input, T extends Input & { readonly $kind: string }, Kind extends T["$kind"]>(
  type: BcsType<T, Input>,
  why: Readonly<Record<Kind, string>>,
): BcsType<Exclude<T, { readonly $kind: Kind }>, Exclude<T, { readonly $kind: Kind }>> {
  const reasons = new Map<string, string>(Object.entries(why));
  const isTaken = (value: T): value is Exclude<T, { readonly $kind: Kind }> => !reasons.has(value.$kind);
  return type.transform({
    input: (value: Exclude<T, { readonly $kind: Kind }>): Input => value,
    output: (value) => {
      if (isTaken(value)) return value;
      throw new Unreadable("unsupported_transaction", `${reasons.get(value.$kind)}`);
    },
  });
}

/**
 * A vector with a bound on its elements. The library's own vector first allocates for the elements that a length
 * claims: 256 MB for a few bytes.
 */
export function vectorOf<T, Input>(type: BcsType<T, Input>, maxLength = MAX_U32): BcsType<T[], readonly Input[]> {
  return new BcsType<T[], readonly Input[]>({
    name: `vector<${type.name}>`,
    read: (reader) => {
      const length = reader.readULEB();
      if (length > maxLength)
        throw new Unreadable("unsupported_transaction", `${length} elements: at most ${maxLength} are possible`);
      const elements: T[] = [];
      while (elements.length < length) elements.push(type.read(reader));
      return elements;
    },
    write: (elements, writer) => {
      if (elements.length > maxLength) throw new RangeError(`at most ${maxLength} elements`);
      writer.writeULEB(elements.length);
      for (const element of elements) type.write(element, writer);
    },
  });
}

const toBigInt = { input: (value: bigint): bigint | string | number => value, output: (text: string) => BigInt(text) };
/** The BCS codec of a u64, decoded as a bigint. */
export const u64 = bcs.u64().transform(toBigInt);
/** The BCS codec of a u128, decoded as a bigint. */
export const u128 = bcs.u128().transform(toBigInt);
/** The BCS codec of a u256, decoded as a bigint. */
export const u256 = bcs.u256().transform(toBigInt);

const sameBytes = { input: (value: Uint8Array): Iterable<number> => value };
/** Bytes after their length. */
export const bytes = bcs.byteVector().transform(sameBytes);

/** A fixed number of bytes, without a length before them. */
export function fixedBytes(size: number): BcsType<Uint8Array, Uint8Array> {
  return bcs.bytes(size).transform(sameBytes);
}

/** A fixed number of bytes after their length, which is the form of keys and signatures. */
export function keyBytes(name: string, size: number): BcsType<Uint8Array, Uint8Array> {
  return bounded(bytes, (value) => value.length === size, `${name} must have ${size} bytes`);
}

/** The BCS codec of an address: 32 bytes, decoded as `0x` and 64 hex digits. */
export const address = bcs
  .bytes(32)
  .transform({ input: (value: string): Iterable<number> => addressBytes(value), output: addressOfBytes });

/** All remaining bytes. Only `decodeBcs` knows where they end. */
export const restBytes = new BcsType<Uint8Array>({
  name: "the rest",
  read: (reader) => {
    if (!(reader instanceof CanonicalReader)) throw new TypeError("the end of these bytes is not known");
    return reader.readBytes(reader.remaining);
  },
  write: (value, writer) => {
    writer.writeBytes(value);
  },
});
