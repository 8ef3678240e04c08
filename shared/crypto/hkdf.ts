/**
 * HMAC-SHA-256 (RFC 2104) and HKDF-SHA-256 (RFC 5869), and what is common to all that seals with keys derived so.
 *
 * What is derived from is JavaScript bytes already: master keys come from the configuration, S from a session. So
 * nothing is gained by deriving inside WebCrypto, which takes a turn of the event loop for each step.
 */
import { createHmac, hkdfSync } from "node:crypto";

/** Of AES-GCM (NIST SP 800-38D): the nonce, always random, and the tag after the ciphertext. */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const AES_KEY_BYTES = 32;

/** What makes one derived key differ from another of the same secret. */
export interface HkdfInput {
  readonly salt: Uint8Array;
  /** At most 1,024 bytes. */
  readonly info: Uint8Array;
}

/** HMAC-SHA-256 (RFC 2104): 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(message).digest());
}

/** HKDF-SHA-256 (RFC 5869): `length` bytes, at most 8,160. */
export function hkdfBytes(secret: Uint8Array, { salt, info }: HkdfInput, length: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, salt, info, length));
}

/** An AES-256-GCM key, not extractable, of the 32 bytes that `hkdfBytes` gives. */
export async function hkdfAesKey(secret: Uint8Array, input: HkdfInput, usages: readonly string[]): Promise<CryptoKey> {
  const bytes = hkdfBytes(secret, input, AES_KEY_BYTES);
  try {
    return await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [...usages]);
  } finally {
    bytes.fill(0);
  }
}
