import { toBase64, toHex } from "@mysten/sui/utils";
import { blake2b256 } from "./hash.ts";
import { invalidArgument } from "./status.ts";

const ED25519_FLAG = 0x00;
const ED25519_SIGNATURE_BYTES = 64;
const ED25519_PUBLIC_KEY_BYTES = 32;
const SERIALIZED_BYTES = 1 + ED25519_SIGNATURE_BYTES + ED25519_PUBLIC_KEY_BYTES;
const SCHEMES: ReadonlyMap<number, string> = new Map([
  [1, "Secp256k1"],
  [2, "Secp256r1"],
  [3, "MultiSig"],
  [4, "Bls12381"],
  [5, "ZkLoginAuthenticator"],
  [6, "PasskeyAuthenticator"],
]);
/** Intent of a user transaction: scope TransactionData, version V0, app Sui (sui-types intent.rs). */
const TRANSACTION_INTENT = new Uint8Array([0, 0, 0]);
const MAX_CACHED_KEYS = 4_096;

const importedKeys = new Map<string, Promise<CryptoKey>>();

/** blake2b256(flag ‖ public key). */
export function ed25519Address(publicKey: Uint8Array): string {
  const preimage = new Uint8Array(1 + publicKey.length);
  preimage[0] = ED25519_FLAG;
  preimage.set(publicKey, 1);
  return `0x${toHex(blake2b256(preimage))}`;
}

/** The 32 bytes that a transaction's signature is made over: blake2b256(intent ‖ transaction bytes). */
export function signingDigest(transactionBytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(TRANSACTION_INTENT.length + transactionBytes.length);
  message.set(TRANSACTION_INTENT);
  message.set(transactionBytes, TRANSACTION_INTENT.length);
  return new Uint8Array(blake2b256(message));
}

/**
 * Checks that every signer signed the transaction exactly once, in whatever order.
 * @param signatures serialized as flag ‖ signature ‖ public key
 * @param signers distinct addresses: the sender and, when another address pays, the gas owner
 * @throws GrpcStatus `INVALID_ARGUMENT` "Invalid user signature: …"
 */
export async function verifySignatures(
  transactionBytes: Uint8Array,
  signatures: readonly Uint8Array[],
  signers: ReadonlySet<string>,
): Promise<void> {
  if (signatures.length !== signers.size) {
    throw badSignature(`Expect ${signers.size} signer signatures but got ${signatures.length}`);
  }
  const digest = signingDigest(transactionBytes);
  const parsed = signatures.map(parseSignature);
  const present = new Set(parsed.map(({ address }) => address));
  for (const signer of signers) {
    if (!present.has(signer)) {
      throw badSignature(`Required Signature from ${signer} is absent ${JSON.stringify([...present])}`);
    }
  }
  for (const { publicKey, signature, address } of parsed) {
    const key = await importPublicKey(publicKey).catch(() => undefined);
    if (key === undefined || !(await crypto.subtle.verify("Ed25519", key, signature, digest))) {
      throw badSignature(`Signature is not valid: Fail to verify user sig of ${address}`);
    }
  }
}

interface ParsedSignature {
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly address: string;
}

function parseSignature(serialized: Uint8Array): ParsedSignature {
  const flag = serialized[0];
  if (flag === undefined) throw badSignature("Signature is not valid: the signature is empty");
  if (flag !== ED25519_FLAG) {
    const scheme = SCHEMES.get(flag) ?? `flag ${flag}`;
    throw badSignature(`Signature is not valid: this development chain does not verify ${scheme} signatures`);
  }
  if (serialized.length !== SERIALIZED_BYTES) {
    throw badSignature(`Signature is not valid: ${serialized.length} bytes instead of ${SERIALIZED_BYTES}`);
  }
  const signature = new Uint8Array(serialized.slice(1, 1 + ED25519_SIGNATURE_BYTES));
  const publicKey = new Uint8Array(serialized.slice(1 + ED25519_SIGNATURE_BYTES));
  return { signature, publicKey, address: ed25519Address(publicKey) };
}

function importPublicKey(publicKey: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const name = toBase64(publicKey);
  const known = importedKeys.get(name);
  if (known) return known;
  if (importedKeys.size >= MAX_CACHED_KEYS) importedKeys.clear();
  const imported = crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  importedKeys.set(name, imported);
  return imported;
}

function badSignature(reason: string) {
  return invalidArgument(`Invalid user signature: ${reason}`);
}
