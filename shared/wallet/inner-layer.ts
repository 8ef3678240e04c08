/**
 * The inner layer of a wallet is its private key, encrypted under the app's secret. It has 109 bytes:
 *
 *     offset  bytes  field
 *          0      1  derivation   how S comes from the app's secret (2 scrypt, 3 hkdf)
 *          1     32  check        HKDF-SHA-256(S, salt, "ivw1/check" ‖ context)
 *         33     12  nonce
 *         45     64  AES-256-GCM of the private key as PKCS #8 (48 bytes, RFC 8410), and the tag (NIST SP 800-38D)
 *
 * The key is HKDF-SHA-256(S, salt, "ivw1/inner" ‖ context), the additional data "ivw1/in" ‖ derivation ‖ context ‖
 * public key(32). Salt (32 random bytes, new for every wallet) and public key are stored beside the layer.
 *
 * The check distinguishes a wrong secret from damage. It also commits to the secret, which AES-GCM alone does not. A
 * holder of the check can try secrets, so it is stored only under the outer layer.
 */
import { timingSafeEqual } from "node:crypto";
import { concatBytes, utf8 } from "../bytes.ts";
import { hkdfAesKey, hkdfBytes, NONCE_BYTES } from "../crypto/hkdf.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { DERIVED_SECRET_BYTES, type DerivedSecret, derivationId } from "./derivation.ts";

/** Length of the random salt of a wallet. No two wallets share a key, even with equal secrets. */
export const WALLET_SALT_BYTES = 32;
const CHECK_END = 1 + DERIVED_SECRET_BYTES;
const NONCE_END = CHECK_END + NONCE_BYTES;
const WRAPPED_KEY_BYTES = 64;
/** Length of an inner layer. */
export const INNER_LAYER_BYTES = NONCE_END + WRAPPED_KEY_BYTES;

/** The values that open an inner layer together with the secret. */
export interface InnerBinding {
  readonly context: Uint8Array;
  readonly salt: Uint8Array;
  readonly publicKey: Uint8Array;
}

function checkOf({ bytes }: DerivedSecret, { context, salt }: InnerBinding): Uint8Array {
  return hkdfBytes(bytes, { salt, info: concatBytes(utf8("ivw1/check"), context) }, DERIVED_SECRET_BYTES);
}

function innerKey({ bytes }: DerivedSecret, { context, salt }: InnerBinding): Promise<CryptoKey> {
  const info = concatBytes(utf8("ivw1/inner"), context);
  return hkdfAesKey(bytes, { salt, info }, ["wrapKey", "unwrapKey"]);
}

function wrapping(derivation: number, nonce: Uint8Array, { context, publicKey }: InnerBinding) {
  const additionalData = concatBytes(utf8("ivw1/in"), Uint8Array.of(derivation), context, publicKey);
  return { name: "AES-GCM", iv: nonce, additionalData };
}

/** Seals a private key. @param privateKey extractable, because it is wrapped inside WebCrypto. */
export async function sealInner(
  privateKey: CryptoKey,
  secret: DerivedSecret,
  binding: InnerBinding,
  nonce: Uint8Array,
): Promise<Uint8Array> {
  const id = derivationId(secret.derivation);
  const key = await innerKey(secret, binding);
  const wrapped = await crypto.subtle.wrapKey("pkcs8", privateKey, key, wrapping(id, nonce, binding));
  return concatBytes(Uint8Array.of(id), checkOf(secret, binding), nonce, new Uint8Array(wrapped));
}

/**
 * Opens the private key for signing. Its bytes never become a JavaScript value.
 *
 * @param use with `rewrap` the key can also be wrapped again. Otherwise WebCrypto never exports it.
 * @returns the key; `wrong_secret`; `corrupt_record` for a layer that this secret cannot have sealed for this wallet.
 */
export async function openInner(
  inner: Uint8Array,
  secret: DerivedSecret,
  binding: InnerBinding,
  use: "sign" | "rewrap",
): Promise<Outcome<CryptoKey>> {
  const id = derivationId(secret.derivation);
  if (inner.length !== INNER_LAYER_BYTES || inner[0] !== id) return corruptRecord();
  if (!timingSafeEqual(checkOf(secret, binding), inner.subarray(1, CHECK_END))) return wrongSecret();
  const key = await innerKey(secret, binding);
  const unwrapping = wrapping(id, inner.subarray(CHECK_END, NONCE_END), binding);
  try {
    const wrapped = inner.subarray(NONCE_END);
    const extractable = use === "rewrap";
    return done(await crypto.subtle.unwrapKey("pkcs8", wrapped, key, unwrapping, "Ed25519", extractable, ["sign"]));
  } catch {
    return corruptRecord();
  }
}

/** Refuses a secret other than the one that sealed the whole record. */
export function wrongSecret(): ReturnType<typeof refuse> {
  return refuse(
    "wrong_secret",
    "this wallet was created with another secret than that of this session: create a session with that secret",
  );
}

/** Refuses stored bytes that differ from the sealed ones, or that were sealed for another wallet. */
export function corruptRecord(): ReturnType<typeof refuse> {
  return refuse(
    "corrupt_record",
    "the stored record of this wallet does not authenticate: have the operator restore a backup",
  );
}
