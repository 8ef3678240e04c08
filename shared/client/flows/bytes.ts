/** Bytes, and their texts, without Node and without an SDK. Readers return null for a text that is not canonical. */

const ADDRESS_DIGITS = 64;
const CHUNK = 8_192;

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Joins byte arrays into a new one. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Returns true if both have the same bytes. */
export function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Writes bytes as `0x` and lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Reads `0x` and two hex digits a byte, in either case. Null for any other text. */
export function fromHex(text: string): Uint8Array | null {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return null;
  return Uint8Array.from({ length: text.length / 2 - 1 }, (_, index) =>
    Number.parseInt(text.slice(2 + 2 * index, 4 + 2 * index), 16),
  );
}

/** Reads an address: `0x` and 1 to 64 hex digits. Returns its 32 bytes, or null. */
export function addressBytes(text: string): Uint8Array | null {
  const digits = /^0x([0-9a-fA-F]{1,64})$/.exec(text)?.[1];
  return digits === undefined ? null : fromHex(`0x${digits.padStart(ADDRESS_DIGITS, "0")}`);
}

/** Writes bytes as base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** Reads base64 with padding. Null for a text that `toBase64` would not have written. */
export function fromBase64(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return toBase64(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Writes at least one byte as base58, as Sui writes digests. */
export function toBase58(bytes: Uint8Array): string {
  let value = BigInt(toHex(bytes));
  let text = "";
  for (; value > 0n; value /= 58n) text = `${BASE58[Number(value % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** Reports malformed bytes to `strictly`, which returns null. */
class Malformed extends Error {}

/** Reads BCS. Each method throws if the bytes do not hold its value. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) this.refuse();
    const taken = this.#bytes.slice(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Reads exactly these bytes. */
  expect(bytes: Uint8Array): void {
    if (!equal(this.take(bytes.length), bytes)) this.refuse();
  }

  integer(byteLength: number): bigint {
    return this.take(byteLength).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  }

  u8(): number {
    return Number(this.integer(1));
  }

  u64(): bigint {
    return this.integer(8);
  }

  /** Reads a ULEB128 length in its shortest form. */
  length(atMost: number): number {
    let value = 0;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if ((byte === 0 && shift > 0) || value > atMost) this.refuse();
      return value;
    }
    return this.refuse();
  }

  /** Reads an optional value. Null if it is absent. */
  option<Value>(read: () => Value): Value | null {
    const tag = this.u8();
    if (tag > 1) this.refuse();
    return tag === 1 ? read() : null;
  }

  refuse(): never {
    throw new Malformed();
  }

  /** Throws if bytes are left. */
  end(): void {
    if (this.#at !== this.#bytes.length) this.refuse();
  }
}

/** Reads all of some bytes. Null if they are malformed, or if bytes are left. */
export function strictly<Value>(bytes: Uint8Array, read: (reader: Reader) => Value): Value | null {
  const reader = new Reader(bytes);
  try {
    const value = read(reader);
    reader.end();
    return value;
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}
