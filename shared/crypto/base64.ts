import { Buffer } from "node:buffer";

/** Canonical base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/**
 * The bytes of canonical base64; null for anything else. `Buffer` alone accepts white space, missing padding, the URL
 * alphabet and stray bits after the last byte, so that two texts could mean the same bytes.
 */
export function fromBase64(text: string): Uint8Array | null {
  // Copied out of the pool that Buffer shares among small ones: whoever sends the bytes on must send only them.
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  return toBase64(bytes) === text ? bytes : null;
}
