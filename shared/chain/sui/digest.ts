import { fromBase58, toBase58 } from "@mysten/sui/utils";

const DIGEST_BYTES = 32;
/** The form of each text that names 32 bytes. A decoder's error takes longer than this check. */
const BASE58_DIGEST = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Returns true if a text is a digest of the chain: base58 of 32 bytes. */
export function isDigest(text: string): boolean {
  return digestBytes(text) !== null;
}

/** Reads the 32 bytes of a digest. Null if the text is not a digest. `digestText` returns the same text again. */
export function digestBytes(text: string): Uint8Array<ArrayBuffer> | null {
  if (!BASE58_DIGEST.test(text)) return null;
  const bytes = fromBase58(text);
  return bytes.length === DIGEST_BYTES ? bytes : null;
}

/** Writes 32 bytes as a digest. @throws RangeError for another length. */
export function digestText(bytes: Uint8Array): string {
  if (bytes.length !== DIGEST_BYTES) throw new RangeError(`a digest has ${DIGEST_BYTES} bytes, not ${bytes.length}`);
  return toBase58(bytes);
}
