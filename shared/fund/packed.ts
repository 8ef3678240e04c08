import { Buffer } from "node:buffer";
import { nibble } from "../bytes.ts";
import { digestBytes, digestText } from "../chain/sui/digest.ts";

/** A packed text: bytes for the usual forms, and the text itself for any other. It needs a column of the type `ANY`. */
export type Packed = Uint8Array | string;

const BYTES = 32;
/** The longest base58 of 32 bytes. A longer text is no digest, and takes long to decode. */
const MAX_DIGEST_CHARACTERS = 44;
/** First bytes of packed hex, which is a byte longer than a packed digest. They are part of the stored format. */
const WITH_PREFIX = 0;
const WITHOUT_PREFIX = 1;

const HEX_WITH_PREFIX = /^0x[0-9a-f]{64}$/;
const HEX = /^[0-9a-f]{64}$/;

/**
 * Packs a text that names 32 bytes into half the space: a digest of Sui, an address or a hash with `0x`, or 64 hex
 * digits. Each text has one packed form. So two packed texts are equal exactly if the texts are.
 */
export function pack(text: string): Packed {
  if (text.length > MAX_DIGEST_CHARACTERS) {
    if (HEX_WITH_PREFIX.test(text)) return packedHex(WITH_PREFIX, text, 2);
    return HEX.test(text) ? packedHex(WITHOUT_PREFIX, text, 0) : text;
  }
  return digestOf(text) ?? text;
}

/** The digest that was packed last. The rows of one transition name one digest several times. */
let lastDigest: { readonly text: string; readonly bytes: Uint8Array } | null = null;

function digestOf(text: string): Uint8Array | null {
  if (lastDigest?.text === text) return lastDigest.bytes;
  const bytes = digestBytes(text);
  if (bytes !== null) lastDigest = { text, bytes };
  return bytes;
}

/** Reads a packed text. @throws if the stored bytes have another form. */
export function unpack(stored: ArrayBuffer | string): string {
  if (typeof stored === "string") return stored;
  const bytes = Buffer.from(stored);
  if (bytes.length === BYTES) return digestText(bytes);
  if (bytes.length === BYTES + 1 && bytes[0] === WITH_PREFIX) return `0x${bytes.toString("hex", 1)}`;
  if (bytes.length === BYTES + 1 && bytes[0] === WITHOUT_PREFIX) return bytes.toString("hex", 1);
  throw new Error(`no packed text has these ${bytes.length} bytes`);
}

function packedHex(form: number, text: string, from: number): Uint8Array {
  const packed = new Uint8Array(BYTES + 1);
  packed[0] = form;
  readDigits(text, from, packed, 1);
  return packed;
}

const DASH = 0x2d;

/** Reads checked hex digits into the rest of some bytes. Skips dashes. Each row has several, and `Buffer` takes longer. */
function readDigits(text: string, from: number, into: Uint8Array, at: number): void {
  for (let index = from, place = at; place < into.length; index += 2, place += 1) {
    if (text.charCodeAt(index) === DASH) index += 1;
    into[place] = nibble(text.charCodeAt(index)) * 16 + nibble(text.charCodeAt(index + 1));
  }
}

const U64_BYTES = 8;

/** Writes a number below 2^64 as eight bytes, which sort as the numbers do. */
export function sortableU64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(U64_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** Reads the result of `sortableU64`. */
export function u64Of(stored: ArrayBuffer): bigint {
  return new DataView(stored).getBigUint64(0);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The places of the dashes of a UUID, counted in its digits. */
const UUID_PARTS = [0, 8, 12, 16, 20, 32] as const;
const UUID_BYTES = 16;

/** Packs a UUID into 16 bytes. Leaves any other text unchanged. */
export function packUuid(text: string): Packed {
  if (!UUID.test(text)) return text;
  const packed = new Uint8Array(UUID_BYTES);
  readDigits(text, 0, packed, 0);
  return packed;
}

/** Reads the result of `packUuid`. */
export function unpackUuid(stored: ArrayBuffer | string): string {
  if (typeof stored === "string") return stored;
  if (stored.byteLength !== UUID_BYTES) throw new Error(`no packed UUID has ${stored.byteLength} bytes`);
  const digits = Buffer.from(stored).toString("hex");
  return UUID_PARTS.slice(1)
    .map((end, index) => digits.slice(UUID_PARTS[index], end))
    .join("-");
}
