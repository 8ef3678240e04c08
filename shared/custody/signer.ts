import type { VersionedSecrets } from "../config.ts";
import { openPrivateKey, type SealContext, sealPrivateKey } from "./sealing.ts";

/** An Ed25519 key (RFC 8032) whose private half stays inside WebCrypto. */
export interface Signer {
  readonly publicKey: Uint8Array;
  /** The 64-byte signature over the message, verified against the public key before it is returned. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** What an object stores of a key. Neither half is secret on its own store: the private one is sealed. */
export interface SealedKey {
  readonly publicKey: Uint8Array;
  readonly sealedPrivateKey: Uint8Array;
}

function contextOf(label: string, ownerId: string, publicKey: Uint8Array): SealContext {
  return { label, boundTo: new Uint8Array([...new TextEncoder().encode(`${ownerId}\0`), ...publicKey]) };
}

/**
 * Makes a new Ed25519 key and seals it for its owner.
 *
 * @param label what kind of key, for example `fund-key`; opens only under the same label.
 * @param ownerId id of the object that stores it.
 */
export async function createSealedKey(
  label: string,
  ownerId: string,
  masterKeys: VersionedSecrets,
  randomBytes: (length: number) => Uint8Array,
): Promise<SealedKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("the runtime made no Ed25519 key pair");
  const raw = await crypto.subtle.exportKey("raw", pair.publicKey);
  if (!(raw instanceof ArrayBuffer)) throw new Error("the runtime exported no raw public key");
  const publicKey = new Uint8Array(raw);
  const context = contextOf(label, ownerId, publicKey);
  return { publicKey, sealedPrivateKey: await sealPrivateKey(pair.privateKey, masterKeys, context, randomBytes) };
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
  masterKeys: VersionedSecrets,
): Promise<Signer> {
  const privateKey = await openPrivateKey(sealedPrivateKey, masterKeys, contextOf(label, ownerId, publicKey));
  const verifier = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  return {
    publicKey,
    sign: async (message) => {
      const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, message));
      // A faulty Ed25519 signature can reveal the key, so none leaves unverified.
      if (!(await crypto.subtle.verify("Ed25519", verifier, signature, message)))
        throw new Error("a signature of ours did not verify");
      return signature;
    },
  };
}
