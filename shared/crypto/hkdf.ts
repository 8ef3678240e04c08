/**
 * HMAC-SHA-256 (RFC 2104), HKDF-SHA-256 (RFC 5869), and the constants of every seal with keys derived so.
 *
 * The derivation inputs are JavaScript bytes already. Master keys come from the configuration, S from a session.
 * WebCrypto would protect nothing here, and it takes a turn of the event loop for each step.
 */
import { createHmac, hkdfSync } from "node:crypto";

/** Lengths of AES-GCM (NIST SP 800-38D): the nonce, always random, and the tag after the ciphertext. */
export const NONCE_BYTES = 12;
/** The length of AES-GCM's tag. */
export const TAG_BYTES = 16;
const AES_KEY_BYTES = 32;

/** The input that separates the keys derived from one secret. */
export interface HkdfInput {
  readonly salt: Uint8Array;
  /** Limit: 1,024 bytes. */
  readonly info: Uint8Array;
}

/** Returns HMAC-SHA-256 (RFC 2104), 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(message).digest());
}

/** Returns `length` bytes of HKDF-SHA-256 (RFC 5869), at most 8,160. */
export function hkdfBytes(secret: Uint8Array, { salt, info }: HkdfInput, length: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, salt, info, length));
}

/** Derives an AES-256-GCM key from the 32 bytes of `hkdfBytes`. It is not extractable. */
export async function hkdfAesKey(secret: Uint8Array, input: HkdfInput, usages: readonly string[]): Promise<CryptoKey> {
  const bytes = hkdfBytes(secret, input, AES_KEY_BYTES);
  try {
    return await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [...usages]);
  } finally {
    bytes.fill(0);
  }
}
