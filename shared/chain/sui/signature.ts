import { fromBase64 } from "@mysten/sui/utils";
import { signingDigest, suiAddress } from "./transaction.ts";

const ED25519_FLAG = 0;
const ED25519_SIGNATURE_BYTES = 64;
const ED25519_SERIALIZED_BYTES = 97;

/**
 * Verifies an Ed25519 user signature inside WebCrypto, some eight times faster than the SDK's own code.
 *
 * @returns null for every other scheme: the SDK knows those. The chain stays the judge: WebCrypto differs from its
 * rules (ZIP 215) for signatures that only an attacker makes, and those harm nobody but their maker.
 */
export async function verifyEd25519(
  transactionBytes: Uint8Array,
  serializedSignature: string,
  address: string,
): Promise<boolean | null> {
  const serialized = fromBase64(serializedSignature);
  if (serialized[0] !== ED25519_FLAG) return null;
  if (serialized.length !== ED25519_SERIALIZED_BYTES) return false;
  const signature = serialized.slice(1, 1 + ED25519_SIGNATURE_BYTES);
  const publicKey = serialized.slice(1 + ED25519_SIGNATURE_BYTES);
  if (suiAddress(publicKey) !== address) return false;
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, signingDigest(transactionBytes));
}
