import { Buffer } from "node:buffer";

/** Returns true if both have the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Joins byte arrays into a new one. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

const FIRST_BYTES = 1_024;

/** Collects pieces of bytes in one buffer. A kept piece could otherwise retain a whole page for one byte. */
export class ByteSink {
  #buffer = new Uint8Array(FIRST_BYTES);
  #length = 0;

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#buffer.length));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.slice(0, this.#length);
  }
}

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Encodes a text as its length (u16, big-endian) and its UTF-8, so that joined texts can be separated again. */
export function lengthPrefixed(text: string): Uint8Array {
  const bytes = utf8(text);
  if (bytes.length > 0xffff) throw new RangeError("a length-prefixed text has at most 65,535 bytes");
  return concatBytes(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Writes bytes as lower-case hex without a prefix. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Reads an even number of hex digits, in either case and without a prefix. Null for any other text. */
export function parseHex(digits: string): Uint8Array | null {
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) return null;
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index++)
    bytes[index] = nibble(digits.charCodeAt(2 * index)) * 16 + nibble(digits.charCodeAt(2 * index + 1));
  return bytes;
}

/**
 * Returns the value of a hex digit by its character code. Does not check it. Letters of either case differ from digits,
 * and from each other, by their low bits.
 */
export function nibble(code: number): number {
  return (code & 0x0f) + (code > 0x40 ? 9 : 0);
}

/** Reads hex digits. @throws RangeError when the text is not two hex digits a byte. */
export function fromHex(text: string): Uint8Array {
  const bytes = parseHex(text);
  if (bytes === null) throw new RangeError("not the hex digits of whole bytes");
  return bytes;
}
