import { fromBase64 } from "@mysten/sui/utils";
import type { SuiServices } from "./grpc/services.ts";
import type { SignatureVerdict } from "./node.ts";
import { signingDigest, suiAddress } from "./transaction.ts";

const ED25519_FLAG = 0;
const ED25519_SIGNATURE_BYTES = 64;
const ED25519_SERIALIZED_BYTES = 97;
const ZKLOGIN_FLAG = 5;
/** Flags of secp256k1, secp256r1, multisig, zkLogin and passkey signatures. */
const SDK_FLAGS: readonly number[] = [1, 2, 3, 5, 6];

/**
 * Judges an Ed25519 user signature inside WebCrypto, some eight times faster than the SDK's own code.
 *
 * @returns null for every other scheme, which the SDK judges. The chain makes the final decision. WebCrypto differs
 * from its rules (ZIP 215) for signatures that only an attacker makes. Those harm only their maker.
 */
export async function verifyEd25519(
  transactionBytes: Uint8Array,
  serializedSignature: string,
  address: string,
): Promise<SignatureVerdict | null> {
  const serialized = fromBase64(serializedSignature);
  if (serialized[0] !== ED25519_FLAG) return null;
  if (serialized.length !== ED25519_SERIALIZED_BYTES) return "invalid";
  const signature = serialized.slice(1, 1 + ED25519_SIGNATURE_BYTES);
  const publicKey = serialized.slice(1 + ED25519_SIGNATURE_BYTES);
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  if (!(await crypto.subtle.verify("Ed25519", key, signature, signingDigest(transactionBytes)))) return "invalid";
  return suiAddress(publicKey) === address ? "valid" : "unjudged";
}

/**
 * Judges a user signature of any scheme except Ed25519, by the SDK.
 *
 * @param services are called about zkLogin, because only the chain's validators can judge such a signature.
 * @throws if the node does not answer.
 */
export async function verifyOtherSchemes(
  transactionBytes: Uint8Array,
  serializedSignature: string,
  address: string,
  services: SuiServices,
): Promise<SignatureVerdict> {
  const [flag = -1] = fromBase64(serializedSignature);
  if (!SDK_FLAGS.includes(flag)) return "unjudged";
  const {
    isValidTransactionSignature,
    MultiSigPublicKey,
    parsePartialSignatures,
    parseSerializedSignature,
    publicKeyFromRawBytes,
    zkLoginJudge,
  } = await import("./sdk-signatures.ts");
  const client = zkLoginJudge(services);
  const read = () => {
    const parsed = parseSerializedSignature(serializedSignature);
    if (parsed.signatureScheme !== "MultiSig")
      return {
        publicKey: publicKeyFromRawBytes(parsed.signatureScheme, parsed.publicKey, { client }),
        parts: [],
        isWhole: true,
      };
    const { multisig } = parsed;
    const parts = parsePartialSignatures(multisig, { client });
    const publicKey = new MultiSigPublicKey(multisig.multisig_pk);
    const weight = parts.reduce((sum, part) => sum + part.weight, 0);
    const isWhole = weight >= publicKey.getThreshold() && parts.length > 0;
    return { publicKey, parts, isWhole };
  };
  const signed = attempt(read);
  if (signed === null || !signed.isWhole) return "invalid";
  const { publicKey, parts } = signed;
  // The SDK verifies no multisig with a zkLogin member's signature. The others' signatures must be valid.
  if (parts.some((part) => part.signatureScheme === "ZkLogin")) {
    const known = parts.filter((part) => part.signatureScheme !== "ZkLogin");
    for (const part of known)
      if (!(await holds(part.publicKey.verifyTransaction(transactionBytes, part.signature)))) return "invalid";
    return "unjudged";
  }
  const verified = isValidTransactionSignature(transactionBytes, serializedSignature, { client });
  if (!(await (flag === ZKLOGIN_FLAG ? verified : holds(verified)))) return "invalid";
  return publicKey.verifyAddress(address) ? "valid" : "unjudged";
}

/** The SDK throws for some signatures that are cut short. If no node is called, an error can have no other cause. */
function holds(verified: Promise<boolean>): Promise<boolean> {
  return verified.catch(() => false);
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
