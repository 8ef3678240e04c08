import {
  AccountAddress,
  type AccountAuthenticator,
  AccountAuthenticatorAbstraction,
  AccountAuthenticatorEd25519,
  AccountAuthenticatorMultiEd25519,
  AccountAuthenticatorMultiKey,
  AccountAuthenticatorNoAccountAuthenticator,
  AccountAuthenticatorSingleKey,
  type AnyPublicKey,
  type AnySignature,
  Ed25519PublicKey,
  Ed25519Signature,
  FeePayerRawTransaction,
  generateSigningMessage,
  MultiAgentRawTransaction,
  Secp256k1PublicKey,
  Secp256k1Signature,
  Secp256r1PublicKey,
  WebAuthnSignature,
} from "@aptos-labs/ts-sdk";
import { verifyAbstraction } from "./abstraction.ts";
import { ZERO_ADDRESS } from "./address.ts";
import { fromHex } from "./hex.ts";
import { verifyPasskey } from "./passkey.ts";
import type { Signed } from "./signed.ts";

const RAW_TRANSACTION = "APTOS::RawTransaction";
const RAW_TRANSACTION_WITH_DATA = "APTOS::RawTransactionWithData";

/**
 * Verifies every signature of a transaction. A sender and the secondary signers of a sponsored transaction may have
 * signed before its fee payer was known, over the address 0x0 (AIP-53); the fee payer signs over its own.
 */
export async function verifySignatures(signed: Signed): Promise<boolean> {
  const { feePayer, senderAuthenticator, secondaries } = signed;
  const own = signingMessage(signed, feePayer?.address ?? ZERO_ADDRESS);
  const signers = [senderAuthenticator, ...secondaries.map(({ authenticator }) => authenticator)];
  if (feePayer === undefined) return all(signers, [own]);
  if (!(await signedAnyOf(feePayer.authenticator, [own]))) return false;
  return all(signers, [signingMessage(signed, ZERO_ADDRESS), own]);
}

async function all(authenticators: readonly AccountAuthenticator[], messages: readonly Uint8Array[]): Promise<boolean> {
  for (const authenticator of authenticators) {
    if (!(await signedAnyOf(authenticator, messages))) return false;
  }
  return true;
}

async function signedAnyOf(authenticator: AccountAuthenticator, messages: readonly Uint8Array[]): Promise<boolean> {
  for (const message of messages) {
    if (await verify(authenticator, message)) return true;
  }
  return false;
}

/** What the signatures are over; `feePayer` is the address that the fee payer's place is filled with. */
function signingMessage({ raw, form, secondaries }: Signed, feePayer: string): Uint8Array {
  if (form === "single_sender") return generateSigningMessage(raw.bcsToBytes(), RAW_TRANSACTION);
  const addresses = secondaries.map(({ address }) => AccountAddress.from(address));
  const withData =
    form === "multi_agent"
      ? new MultiAgentRawTransaction(raw, addresses)
      : new FeePayerRawTransaction(raw, addresses, AccountAddress.from(feePayer));
  return generateSigningMessage(withData.bcsToBytes(), RAW_TRANSACTION_WITH_DATA);
}

/** A scheme that is not verified here is refused, not waved through. */
async function verify(authenticator: AccountAuthenticator, message: Uint8Array): Promise<boolean> {
  if (authenticator instanceof AccountAuthenticatorEd25519) {
    return verifyEd25519(authenticator.public_key, authenticator.signature, message);
  }
  if (authenticator instanceof AccountAuthenticatorMultiEd25519) {
    return attempt(() => authenticator.public_key.verifySignature({ message, signature: authenticator.signature }));
  }
  if (authenticator instanceof AccountAuthenticatorSingleKey) {
    return verifyAny(authenticator.public_key, authenticator.signature, message);
  }
  if (authenticator instanceof AccountAuthenticatorMultiKey) return verifyMultiKey(authenticator, message);
  if (authenticator instanceof AccountAuthenticatorAbstraction)
    return verifyAbstraction(authenticator, message, verifyEd25519);
  return false;
}

async function verifyMultiKey(
  { public_keys: keys, signatures }: AccountAuthenticatorMultiKey,
  message: Uint8Array,
): Promise<boolean> {
  const signers = signatures.bitMapToSignerIndices();
  if (signers.length < keys.signaturesRequired || signers.length !== signatures.signatures.length) return false;
  for (const [index, signer] of signers.entries()) {
    const key = keys.publicKeys[signer];
    const signature = signatures.signatures[index];
    if (key === undefined || signature === undefined || !(await verifyAny(key, signature, message))) return false;
  }
  return true;
}

async function verifyAny(
  { publicKey }: AnyPublicKey,
  { signature }: AnySignature,
  message: Uint8Array,
): Promise<boolean> {
  if (publicKey instanceof Ed25519PublicKey && signature instanceof Ed25519Signature) {
    return verifyEd25519(publicKey, signature, message);
  }
  if (publicKey instanceof Secp256k1PublicKey && signature instanceof Secp256k1Signature) {
    return attempt(() => publicKey.verifySignature({ message, signature }));
  }
  if (publicKey instanceof Secp256r1PublicKey && signature instanceof WebAuthnSignature) {
    return verifyPasskey(publicKey, signature, message);
  }
  return false;
}

/** With WebCrypto, which is many times faster than the SDK's own arithmetic. */
async function verifyEd25519(
  publicKey: Ed25519PublicKey,
  signature: Ed25519Signature,
  message: Uint8Array,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey("raw", publicKey.toUint8Array(), "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature.toUint8Array(), message);
  } catch {
    return false;
  }
}

/** The SDK throws at some signatures and gives false for others. */
function attempt(verification: () => boolean): boolean {
  try {
    return verification();
  } catch {
    return false;
  }
}

export function isAbsent(authenticator: AccountAuthenticator): boolean {
  return authenticator instanceof AccountAuthenticatorNoAccountAuthenticator;
}

/** The authentication key that an authenticator proves, or undefined when it proves none. */
export function authenticationKey(authenticator: AccountAuthenticator): Uint8Array | undefined {
  if (
    authenticator instanceof AccountAuthenticatorEd25519 ||
    authenticator instanceof AccountAuthenticatorMultiEd25519
  ) {
    return keyOf(authenticator.public_key);
  }
  if (authenticator instanceof AccountAuthenticatorSingleKey) return keyOf(authenticator.public_key);
  if (authenticator instanceof AccountAuthenticatorMultiKey) return keyOf(authenticator.public_keys);
  return undefined;
}

function keyOf(publicKey: { authKey(): { toString(): string } }): Uint8Array {
  return fromHex(publicKey.authKey().toString());
}
