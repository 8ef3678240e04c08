import { Buffer } from "node:buffer";

/** Returns canonical base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/**
 * Returns the bytes of canonical base64. Null for any other text. `Buffer` alone accepts white space, missing padding,
 * the URL alphabet and stray bits after the last byte. Two texts could then mean the same bytes.
 */
export function fromBase64(text: string): Uint8Array | null {
  // The bytes are copied out of the pool that small Buffers share. A consumer of the underlying buffer must get only
  // them.
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  return toBase64(bytes) === text ? bytes : null;
}
