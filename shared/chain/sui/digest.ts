import { fromBase58, toBase58 } from "@mysten/sui/utils";

const DIGEST_BYTES = 32;

/** Returns true if a text is a digest of the chain: base58 of 32 bytes. */
export function isDigest(text: string): boolean {
  return digestBytes(text) !== null;
}

/** Reads the 32 bytes of a digest. Null if the text is not a digest. `digestText` returns the same text again. */
export function digestBytes(text: string): Uint8Array | null {
  try {
    const bytes = fromBase58(text);
    return bytes.length === DIGEST_BYTES ? bytes : null;
  } catch {
    return null;
  }
}

/** Writes 32 bytes as a digest. */
export function digestText(bytes: Uint8Array): string {
  return toBase58(bytes);
}
