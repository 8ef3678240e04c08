import { sha3_256 } from "@noble/hashes/sha3.js";
import type { AccountAuthenticator, AnyPublicKey, AnySignature } from "./authenticator.ts";
import { ED25519_PUBLIC_KEY_BYTES, ED25519_SIGNATURE_BYTES } from "./limits.ts";

/**
 * Verifies account authenticators as nodes do (aptos-core, `types/src/transaction/authenticator.rs`): Ed25519 and
 * secp256k1, alone, in MultiEd25519 and in MultiKey. Leaves Keyless, WebAuthn and SLH-DSA signatures, and abstracted
 * accounts, to the node.
 */

export type Verdict = "verified" | "wrong" | "left_to_the_node";

/** A key and its signature, verified over one message. */
type Check = (message: Uint8Array) => Promise<boolean>;

/** The claims of an authenticator. `null` is a signature that only a node can judge. */
type Claim = readonly (Check | null)[] | "wrong";

/** Counts the signatures that the chain has to verify. */
export function signatureCount({ MultiEd25519, MultiKey }: AccountAuthenticator): number {
  if (MultiEd25519 !== undefined) return Math.floor(MultiEd25519.signatures.length / ED25519_SIGNATURE_BYTES);
  return MultiKey?.signatures.length ?? 1;
}

/** Returns true if every signature has a scheme that is verified here. */
export function isVerifiedHere(authenticator: AccountAuthenticator): boolean {
  const claim = claimOf(authenticator);
  return claim === "wrong" || claim.every((check) => check !== null);
}

/**
 * Verifies an authenticator against the first message that all checkable signatures match.
 *
 * @param messages each makes its message, which is needed only if those before it do not match.
 * @returns `verified` if all were checked and match. `wrong` if a checkable signature matches no message. Otherwise
 * `left_to_the_node` if one cannot be checked here.
 */
export async function verifyAuthenticator(
  authenticator: AccountAuthenticator,
  messages: readonly (() => Uint8Array)[],
): Promise<Verdict> {
  const claim = claimOf(authenticator);
  if (claim === "wrong") return "wrong";
  const checks = claim.filter((check) => check !== null);
  for (const messageOf of messages)
    if (await allHold(checks, messageOf())) return checks.length === claim.length ? "verified" : "left_to_the_node";
  return "wrong";
}

async function allHold(checks: readonly Check[], message: Uint8Array): Promise<boolean> {
  for (const check of checks) if (!(await check(message))) return false;
  return true;
}

function claimOf({ Ed25519, MultiEd25519, SingleKey, MultiKey }: AccountAuthenticator): Claim {
  if (Ed25519 !== undefined) return [ed25519(Ed25519.publicKey, Ed25519.signature)];
  if (SingleKey !== undefined) return pairsOf([[SingleKey.publicKey, SingleKey.signature]]);
  if (MultiEd25519 !== undefined) return multiEd25519(MultiEd25519);
  return MultiKey === undefined ? [null] : multiKey(MultiKey);
}

type MultiEd25519 = NonNullable<AccountAuthenticator["MultiEd25519"]>;

function multiEd25519({ publicKeys, signatures }: MultiEd25519): Claim {
  const count = Math.floor(signatures.length / ED25519_SIGNATURE_BYTES);
  const signers = bitsOf(signatures.subarray(count * ED25519_SIGNATURE_BYTES));
  const keys = Math.floor(publicKeys.length / ED25519_PUBLIC_KEY_BYTES);
  const threshold = publicKeys.at(-1) ?? 0;
  if (signers.length < threshold || signers.some((signer) => signer >= keys)) return "wrong";
  return signers.map((signer, index) =>
    ed25519(part(publicKeys, signer, ED25519_PUBLIC_KEY_BYTES), part(signatures, index, ED25519_SIGNATURE_BYTES)),
  );
}

function part(bytes: Uint8Array, index: number, size: number): Uint8Array {
  return bytes.subarray(index * size, (index + 1) * size);
}

type MultiKey = NonNullable<AccountAuthenticator["MultiKey"]>;

function multiKey({ publicKeys, signaturesRequired, signatures, signaturesBitmap }: MultiKey): Claim {
  const signers = bitsOf(signaturesBitmap);
  if (signers.length === 0 || signers.length !== signatures.length || signers.length < signaturesRequired)
    return "wrong";
  const pairs: [AnyPublicKey, AnySignature][] = [];
  for (const [index, signer] of signers.entries()) {
    const [key, signature] = [publicKeys[signer], signatures[index]];
    if (key === undefined || signature === undefined) return "wrong";
    pairs.push([key, signature]);
  }
  return pairsOf(pairs);
}

function pairsOf(pairs: readonly (readonly [AnyPublicKey, AnySignature])[]): Claim {
  const checks: (Check | null)[] = [];
  for (const [key, signature] of pairs) {
    const check = pairOf(key, signature);
    if (check === "wrong") return "wrong";
    checks.push(check);
  }
  return checks;
}

/**
 * The chain accepts only a signature of a key's own scheme. Governance changes the signatures that keyless keys accept.
 */
function pairOf(key: AnyPublicKey, signature: AnySignature): Check | null | "wrong" {
  switch (key.$kind) {
    case "Ed25519":
      return signature.Ed25519 === undefined ? "wrong" : ed25519(key.Ed25519, signature.Ed25519);
    case "Secp256k1Ecdsa":
      return signature.Secp256k1Ecdsa === undefined ? "wrong" : secp256k1(key.Secp256k1Ecdsa, signature.Secp256k1Ecdsa);
    case "Secp256r1Ecdsa":
      return signature.WebAuthn === undefined ? "wrong" : null;
    case "SlhDsa":
      return signature.SlhDsa === undefined ? "wrong" : null;
    case "Keyless":
    case "FederatedKeyless":
      return null;
  }
}

/** Returns the positions of the set bits, from the first byte's highest bit on. */
function bitsOf(bitmap: Uint8Array): number[] {
  const positions: number[] = [];
  for (const [index, byte] of bitmap.entries())
    for (let bit = 0; bit < 8; bit++) if ((byte & (0x80 >> bit)) !== 0) positions.push(index * 8 + bit);
  return positions;
}

function ed25519(publicKey: Uint8Array, signature: Uint8Array): Check {
  return async (message) => {
    try {
      const key = await crypto.subtle.importKey("raw", Uint8Array.from(publicKey), "Ed25519", false, ["verify"]);
      return await crypto.subtle.verify("Ed25519", key, Uint8Array.from(signature), Uint8Array.from(message));
    } catch {
      // The key is not a point of the curve.
      return false;
    }
  };
}

/** The chain hashes with SHA3-256 and refuses a high `s` (aptos-crypto, `secp256k1_ecdsa.rs`). */
function secp256k1(publicKey: Uint8Array, signature: Uint8Array): Check {
  return async (message) => {
    // Loaded on first use, because few senders have such a key.
    const { secp256k1: curve } = await import("../secp256k1.ts");
    try {
      return curve.verify(signature, sha3_256(message), publicKey, { prehash: false, lowS: true, format: "compact" });
    } catch {
      // The key is not a point of the curve.
      return false;
    }
  };
}
