import { fromBase58 } from "@mysten/sui/utils";

const DIGEST_BYTES = 32;

/** Tells whether a text is a digest of the chain: base58 of 32 bytes. */
export function isDigest(text: string): boolean {
  try {
    return fromBase58(text).length === DIGEST_BYTES;
  } catch {
    return false;
  }
}
