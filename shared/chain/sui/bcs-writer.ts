import { fromHex, utf8 } from "../../bytes.ts";
import { digestBytes } from "./digest.ts";

const FIRST_BYTES = 1_024;
const U64_BYTES = 8;
const MAX_U16 = 0xffff;
/** Short addresses, which are not in the form of the chain, are filled up with zeros. */
const ADDRESS = /^(?:0x)?([0-9a-f]{1,64})$/i;
const ADDRESS_DIGITS = 64;

/** Writes BCS, as `BcsCursor` reads it. Throws RangeError for a value that its type does not have. */
export class BcsWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #at = 0;

  /** Returns the bytes that were written. */
  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }

  byte(value: number): void {
    const at = this.#room(1);
    this.#bytes[at] = value;
  }

  flag(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  u16(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value > MAX_U16) throw new RangeError(`${value} is not a u16`);
    this.byte(value & 0xff);
    this.byte(value >> 8);
  }

  u64(value: bigint): void {
    if (value !== BigInt.asUintN(64, value)) throw new RangeError(`${value} is not a u64`);
    const at = this.#room(U64_BYTES);
    new DataView(this.#bytes.buffer).setBigUint64(at, value, true);
  }

  /** Writes a length as ULEB128, in its shortest form. */
  length(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  /** Writes bytes without their length. */
  put(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  bytes(bytes: Uint8Array): void {
    this.length(bytes.length);
    this.put(bytes);
  }

  text(text: string): void {
    this.bytes(utf8(text));
  }

  address(text: string): void {
    const digits = ADDRESS.exec(text)?.[1];
    if (digits === undefined) throw new RangeError("not an address");
    this.put(fromHex(digits.padStart(ADDRESS_DIGITS, "0")));
  }

  digest(text: string): void {
    const bytes = digestBytes(text);
    if (bytes === null) throw new RangeError("not a digest");
    this.bytes(bytes);
  }

  /** Null is the absent value. */
  option<T>(value: T | null, write: (value: T) => void): void {
    this.flag(value !== null);
    if (value !== null) write(value);
  }

  list<T>(values: readonly T[], write: (value: T) => void): void {
    this.length(values.length);
    for (const value of values) write(value);
  }

  /** Returns the place of the next bytes. There is room for them then, perhaps in another buffer. */
  #room(length: number): number {
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#at, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    return at;
  }
}
