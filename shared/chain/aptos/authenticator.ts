import { bcs, type InferBcsType } from "@mysten/bcs";
import { toHex } from "../../bytes.ts";
import { type Outcome, refuse } from "../../errors.ts";
import { address, bounded, bytes, decodeBcs, encodeBcs, excludingVariants, keyBytes, vectorOf } from "./bcs.ts";
import { federatedKeylessPublicKey, keylessPublicKey, keylessSignature } from "./keyless.ts";
import {
  ED25519_PUBLIC_KEY_BYTES,
  ED25519_SIGNATURE_BYTES,
  MAX_BITMAP_BYTES,
  MAX_MULTI_KEYS,
  MAX_SIGNATURES,
  MAX_TRANSACTION_BYTES,
  SLH_DSA_PUBLIC_KEY_BYTES,
  SLH_DSA_SIGNATURE_BYTES,
} from "./limits.ts";
import { identifier } from "./type-tag.ts";
import { ecdsaPublicKey, ecdsaSignature, webAuthn } from "./web-authn.ts";

/**
 * The signature of one account: aptos-core, `types/src/transaction/authenticator.rs`,
 * `crates/aptos-crypto/src/multi_ed25519.rs`, AIP-55, AIP-104 and AIP-113 (abstraction), AIP-137 (SLH-DSA). A valid
 * format does not make a valid signature, which is verified only with its message.
 */

const ed25519PublicKey = keyBytes("an Ed25519 public key", ED25519_PUBLIC_KEY_BYTES);
const ed25519Signature = keyBytes("an Ed25519 signature", ED25519_SIGNATURE_BYTES);
const slhDsaPublicKey = keyBytes("an SLH-DSA public key", SLH_DSA_PUBLIC_KEY_BYTES);
const slhDsaSignature = keyBytes("an SLH-DSA signature", SLH_DSA_SIGNATURE_BYTES);

/** The BCS codec of one Ed25519 key's authenticator: the public key and its signature. */
export const ed25519 = bcs.struct("Ed25519Authenticator", {
  publicKey: ed25519PublicKey,
  signature: ed25519Signature,
});

const MULTI_ED25519_BITMAP_BYTES = 4;

/** Returns true if 1 to 32 parts of a size, and then some other bytes, can have this length. */
function isSeries(length: number, partBytes: number, tailBytes: number): boolean {
  const parts = (length - tailBytes) / partBytes;
  return Number.isInteger(parts) && parts >= 1 && parts <= MAX_SIGNATURES;
}

function bitsOf(bitmap: Uint8Array): number {
  return bitmap.reduce((bits, byte) => bits + byte.toString(2).replaceAll("0", "").length, 0);
}

/**
 * The BCS codec of a k-of-n Ed25519 authenticator. It refuses lengths, thresholds and bitmaps that contradict each
 * other.
 */
export const multiEd25519 = bcs.struct("MultiEd25519Authenticator", {
  /** Public keys, then the threshold in one byte. */
  publicKeys: bounded(
    bytes,
    (keys) => {
      const threshold = keys.at(-1) ?? 0;
      return (
        isSeries(keys.length, ED25519_PUBLIC_KEY_BYTES, 1) &&
        threshold >= 1 &&
        threshold <= (keys.length - 1) / ED25519_PUBLIC_KEY_BYTES
      );
    },
    "MultiEd25519 public keys must be 1 to 32 keys and a threshold",
  ),
  /** Signatures, then a bitmap that names their keys, first key first. */
  signatures: bounded(
    bytes,
    (signatures) =>
      isSeries(signatures.length, ED25519_SIGNATURE_BYTES, MULTI_ED25519_BITMAP_BYTES) &&
      bitsOf(signatures.slice(-MULTI_ED25519_BITMAP_BYTES)) ===
        (signatures.length - MULTI_ED25519_BITMAP_BYTES) / ED25519_SIGNATURE_BYTES,
    "MultiEd25519 signatures must be 1 to 32 signatures and a bitmap of as many bits",
  ),
});

/** The BCS codec of a public key of any scheme that a single-key or multi-key account may have (AIP-55). */
export const anyPublicKey = bcs.enum("AnyPublicKey", {
  Ed25519: ed25519PublicKey,
  Secp256k1Ecdsa: ecdsaPublicKey,
  Secp256r1Ecdsa: ecdsaPublicKey,
  Keyless: keylessPublicKey,
  FederatedKeyless: federatedKeylessPublicKey,
  SlhDsa: slhDsaPublicKey,
});

/** A decoded public key, by scheme. */
export type AnyPublicKey = InferBcsType<typeof anyPublicKey>;

const anySignature = bcs.enum("AnySignature", {
  Ed25519: ed25519Signature,
  Secp256k1Ecdsa: ecdsaSignature,
  WebAuthn: webAuthn,
  Keyless: keylessSignature,
  SlhDsa: slhDsaSignature,
});

/** A decoded signature, by scheme. */
export type AnySignature = InferBcsType<typeof anySignature>;

const multiKey = bcs.struct("MultiKeyAuthenticator", {
  publicKeys: vectorOf(anyPublicKey, MAX_MULTI_KEYS),
  signaturesRequired: bcs.u8(),
  signatures: vectorOf(anySignature, MAX_SIGNATURES),
  signaturesBitmap: bounded(
    bytes,
    ({ length }) => length <= MAX_BITMAP_BYTES,
    `a signature bitmap must have at most ${MAX_BITMAP_BYTES} bytes`,
  ),
});

/**
 * The data for a Move function that judges the signature. An account has chosen the function, or its address derives
 * from the function and the public key. Only a node can run the function.
 */
const abstraction = bcs.struct("AbstractAuthenticator", {
  functionInfo: bcs.struct("FunctionInfo", { address, module: identifier, function: identifier }),
  data: bcs.enum("AbstractAuthenticationData", {
    V1: bcs.struct("AbstractV1", { signingMessageDigest: bytes, authenticator: bytes }),
    DerivableV1: bcs.struct("DerivableV1", { signingMessageDigest: bytes, signature: bytes, publicKey: bytes }),
  }),
});

/** The BCS codec of one account's authenticator. It refuses those without a signature. */
export const accountAuthenticator = excludingVariants(
  bcs.enum("AccountAuthenticator", {
    Ed25519: ed25519,
    MultiEd25519: multiEd25519,
    SingleKey: bcs.struct("SingleKeyAuthenticator", { publicKey: anyPublicKey, signature: anySignature }),
    MultiKey: multiKey,
    NoAccountAuthenticator: null,
    Abstraction: abstraction,
  }),
  {
    NoAccountAuthenticator: "it holds no signature: sign the transaction",
  },
);

/** A decoded authenticator of one account. Its signature is not verified. */
export type AccountAuthenticator = InferBcsType<typeof accountAuthenticator>;

/**
 * Decodes the signature of one account.
 *
 * @returns refuses with `bad_signature` unless the bytes are exactly one authenticator.
 */
export function decodeAccountAuthenticator(bytes: Uint8Array): Outcome<AccountAuthenticator> {
  const decoded = decodeBcs(accountAuthenticator, bytes, MAX_TRANSACTION_BYTES);
  return decoded.ok ? decoded : refuse("bad_signature", decoded.error.details);
}

/** Encodes the BCS AccountAuthenticator of an Ed25519 key, which is a wallet's signature on the wire. */
export function ed25519Authenticator(publicKey: Uint8Array, signature: Uint8Array): Uint8Array {
  return encodeBcs(accountAuthenticator, { $kind: "Ed25519", Ed25519: { publicKey, signature } });
}

/** A signature of one Ed25519 key, as nodes write it in JSON. Both values are hex that begins with `0x`. */
export interface JsonEd25519Signature {
  readonly type: "ed25519_signature";
  readonly public_key: string;
  readonly signature: string;
}

/** Writes an authenticator of one Ed25519 key as nodes do in JSON. @throws if it is of another scheme. */
export function jsonSignatureOf(authenticator: Uint8Array): JsonEd25519Signature {
  const decoded = decodeAccountAuthenticator(authenticator);
  if (!decoded.ok || decoded.value.$kind !== "Ed25519") throw new Error("not an authenticator of one Ed25519 key");
  const { publicKey, signature } = decoded.value.Ed25519;
  return { type: "ed25519_signature", public_key: `0x${toHex(publicKey)}`, signature: `0x${toHex(signature)}` };
}
