import { Buffer } from "node:buffer";
import { concatBytes, equalBytes, lengthPrefixed, utf8 } from "../../bytes.ts";
import { hkdfAesKey, NONCE_BYTES } from "../../crypto/hkdf.ts";

/**
 * Seals the sponsor's signature while the user signs the same transaction. Only the workflow can open and submit it, so
 * the workflow counts every executed transaction.
 *
 *     key    HKDF-SHA-256(FLOWS_SECRET, no salt, "gasworks/flows/sponsorship/v1" ‖ LP(wallet id), 32)
 *     value  base64url(0x01 ‖ nonce(12) ‖ AES-256-GCM(key, signature, additional data = 0x01 ‖ digest))
 */
const FORMAT_VERSION = Uint8Array.of(1);
const MAX_SEALED_CHARACTERS = 1_024;

interface Sealing {
  /** 32 bytes. */
  readonly flowsSecret: Uint8Array;
  /** The wallet id of the user whose transaction is sponsored. */
  readonly walletId: string;
  /** The digest of the transaction. */
  readonly digest: string;
}

async function cipherOf({ flowsSecret, walletId, digest }: Sealing, nonce: Uint8Array) {
  const info = concatBytes(utf8("gasworks/flows/sponsorship/v1"), lengthPrefixed(walletId));
  const key = await hkdfAesKey(flowsSecret, { salt: new Uint8Array(), info }, ["encrypt", "decrypt"]);
  const additionalData = concatBytes(FORMAT_VERSION, utf8(digest));
  return { key, algorithm: { name: "AES-GCM", iv: new Uint8Array(nonce), additionalData } };
}

/** Seals a sponsor's signature. @returns base64url. */
export async function sealSponsorSignature(
  signature: string,
  sealing: Sealing,
  randomBytes: (length: number) => Uint8Array,
): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const { key, algorithm } = await cipherOf(sealing, nonce);
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, utf8(signature)));
  return Buffer.from(concatBytes(FORMAT_VERSION, nonce, sealed)).toString("base64url");
}

/** Opens a sealed signature. Null if it was not sealed for this user and transaction. */
export async function openSponsorSignature(sponsorship: string, sealing: Sealing): Promise<string | null> {
  if (sponsorship.length > MAX_SEALED_CHARACTERS) return null;
  const bytes = new Uint8Array(Buffer.from(sponsorship, "base64url"));
  const version = bytes.slice(0, FORMAT_VERSION.length);
  if (!equalBytes(version, FORMAT_VERSION)) return null;
  const sealedAt = FORMAT_VERSION.length + NONCE_BYTES;
  const { key, algorithm } = await cipherOf(sealing, bytes.slice(FORMAT_VERSION.length, sealedAt));
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.slice(sealedAt)));
  } catch {
    return null;
  }
}
