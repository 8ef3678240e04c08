import { concatBytes, utf8 } from "../bytes.ts";
import type { MasterKeys } from "./master-keys.ts";
import { masterKeyVersionOf, openPrivateKey, resealPrivateKey, type SealContext, sealPrivateKey } from "./sealing.ts";

/** An Ed25519 key (RFC 8032) whose private half stays inside WebCrypto. */
export interface Signer {
  readonly publicKey: Uint8Array;
  /** Returns the 64-byte signature over the message, verified against the public key. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** The stored halves of a key. A store alone reveals no secret, because the private half is sealed. */
export interface SealedKey {
  readonly publicKey: Uint8Array;
  readonly sealedPrivateKey: Uint8Array;
}

/** A new Ed25519 key. */
export interface KeyPair {
  readonly publicKey: Uint8Array;
  /** Extractable, so that WebCrypto can wrap it. */
  readonly privateKey: CryptoKey;
}

/** Makes a new Ed25519 key (RFC 8032). @throws Error if the runtime makes none. */
export async function generateKeyPair(): Promise<KeyPair> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("the runtime made no Ed25519 key pair");
  const raw = await crypto.subtle.exportKey("raw", pair.publicKey);
  if (!(raw instanceof ArrayBuffer)) throw new Error("the runtime exported no raw public key");
  return { publicKey: new Uint8Array(raw), privateKey: pair.privateKey };
}

function contextOf(label: string, ownerId: string, publicKey: Uint8Array): SealContext {
  return { label, boundTo: concatBytes(utf8(`${ownerId}\0`), publicKey) };
}

/**
 * Makes a new Ed25519 key and seals it for its owner.
 *
 * @param label kind of the key, for example `fund-key`. The key opens only under the same label.
 * @param ownerId id of the object that stores it.
 */
export async function createSealedKey(
  label: string,
  ownerId: string,
  masterKeys: MasterKeys,
  randomBytes: (length: number) => Uint8Array,
): Promise<SealedKey> {
  const { publicKey, privateKey } = await generateKeyPair();
  const context = contextOf(label, ownerId, publicKey);
  return { publicKey, sealedPrivateKey: await sealPrivateKey(privateKey, masterKeys, context, randomBytes) };
}

/**
 * Opens a sealed key for signing.
 *
 * @throws when the sealed bytes do not authenticate for this label, owner and public key.
 */
export async function openSigner(
  { publicKey, sealedPrivateKey }: SealedKey,
  label: string,
  ownerId: string,
  masterKeys: MasterKeys,
): Promise<Signer> {
  const privateKey = await openPrivateKey(sealedPrivateKey, masterKeys, contextOf(label, ownerId, publicKey));
  return verifyingSigner({ publicKey, privateKey });
}

/**
 * Seals the same key under the current master key. Returns the given one if it is under that key already. The new one
 * has signed once, because it replaces the only copy of a key.
 *
 * @throws as `openSigner`; UnopenableSealError when the master key version is not configured.
 */
export async function resealKey(
  key: SealedKey,
  label: string,
  ownerId: string,
  masterKeys: MasterKeys,
  randomBytes: (length: number) => Uint8Array,
): Promise<SealedKey> {
  const { publicKey, sealedPrivateKey } = key;
  if (masterKeyVersionOf(sealedPrivateKey) === masterKeys.current) return key;
  const context = contextOf(label, ownerId, publicKey);
  const resealed = {
    publicKey,
    sealedPrivateKey: await resealPrivateKey(sealedPrivateKey, masterKeys, context, randomBytes),
  };
  await signSelfTest(await openSigner(resealed, label, ownerId, masterKeys));
  return resealed;
}

/** Imported verification keys by public key bytes, kept as long as those bytes. */
const verifiers = new WeakMap<Uint8Array, CryptoKey>();

async function verifierOf(publicKey: Uint8Array): Promise<CryptoKey> {
  const known = verifiers.get(publicKey);
  if (known !== undefined) return known;
  const verifier = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  verifiers.set(publicKey, verifier);
  return verifier;
}

/** Creates a signer. @param privateKey can sign. The first signature proves whether it belongs to the public key. */
export async function verifyingSigner({
  publicKey,
  privateKey,
}: {
  readonly publicKey: Uint8Array;
  readonly privateKey: CryptoKey;
}): Promise<Signer> {
  const verifier = await verifierOf(publicKey);
  return {
    publicKey,
    sign: async (message) => {
      const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, message));
      // A faulty Ed25519 signature can reveal the key. So every signature is verified.
      if (!(await crypto.subtle.verify("Ed25519", verifier, signature, message)))
        throw new Error("a signature of ours did not verify");
      return signature;
    },
  };
}

/** Neither chain executes this text. They sign a hash, or bytes that begin with one. */
const SELF_TEST = utf8("gasworks/self-test");

/** Signs the self-test. @throws when the two halves of the signer's key do not belong together. */
export async function signSelfTest(signer: Signer): Promise<void> {
  await signer.sign(SELF_TEST);
}
