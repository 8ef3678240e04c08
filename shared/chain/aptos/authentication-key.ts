import { bcs } from "@mysten/bcs";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concatBytes } from "../../bytes.ts";
import { addressOfBytes } from "./address.ts";
import { type AccountAuthenticator, type AnyPublicKey, anyPublicKey } from "./authenticator.ts";
import { encodeBcs, vectorOf } from "./bcs.ts";
import { MAX_MULTI_KEYS } from "./limits.ts";

/**
 * The byte after the public key in the hashed text (aptos-core, `types/src/transaction/authenticator.rs`, `Scheme`).
 */
const SCHEMES = { Ed25519: 0, MultiEd25519: 1, SingleKey: 2, MultiKey: 3 } as const;

const multiKeyPublicKeys = bcs.struct("MultiKey", {
  publicKeys: vectorOf(anyPublicKey, MAX_MULTI_KEYS),
  signaturesRequired: bcs.u8(),
});

/**
 * Derives the signer's authentication key, `0x` and 64 hex digits. The chain accepts a signature for an account with
 * the same key.
 *
 * @returns null for keys that only a node can judge: keyless keys, whose rules change by governance, and abstraction.
 */
export function authenticationKeyOf(authenticator: AccountAuthenticator): string | null {
  const { Ed25519, MultiEd25519, SingleKey, MultiKey } = authenticator;
  if (Ed25519 !== undefined) return keyOf(Ed25519.publicKey, SCHEMES.Ed25519);
  if (MultiEd25519 !== undefined) return keyOf(MultiEd25519.publicKeys, SCHEMES.MultiEd25519);
  if (SingleKey !== undefined)
    return isKeyless(SingleKey.publicKey)
      ? null
      : keyOf(encodeBcs(anyPublicKey, SingleKey.publicKey), SCHEMES.SingleKey);
  if (MultiKey === undefined || MultiKey.publicKeys.some(isKeyless)) return null;
  const { publicKeys, signaturesRequired } = MultiKey;
  return keyOf(encodeBcs(multiKeyPublicKeys, { publicKeys, signaturesRequired }), SCHEMES.MultiKey);
}

function isKeyless({ $kind }: AnyPublicKey): boolean {
  return $kind === "Keyless" || $kind === "FederatedKeyless";
}

function keyOf(publicKey: Uint8Array, scheme: number): string {
  return addressOfBytes(sha3_256(concatBytes(publicKey, Uint8Array.of(scheme))));
}
