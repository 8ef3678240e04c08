import { concatBytes, utf8 } from "../bytes.ts";
import { hkdfAesKey, NONCE_BYTES } from "./hkdf.ts";
import { KeyServiceError } from "./key-service.ts";
import type { MasterKeys } from "./master-keys.ts";

/**
 * Sealed values, version 1:
 *
 *     0x01 ‖ master key version(1) ‖ salt(32) ‖ nonce(12) ‖ AES-256-GCM(ciphertext ‖ tag)
 *
 * The key is HKDF-SHA-256(master key, salt, "gasworks/seal/v1/" ‖ label) (RFC 5869). One label never opens a value
 * sealed under another. Each value has its own key, so a nonce cannot repeat under one key. The header and the context
 * are authenticated. A sealed value that is moved to another owner does not open.
 */
const FORMAT_VERSION = 1;
const SALT_BYTES = 32;
const HEADER_BYTES = 2 + SALT_BYTES;

/** The facts that a sealed value is bound to. It opens only with the same ones. */
export interface SealContext {
  /** The kind of the sealed value, for example `fund-key`. */
  readonly label: string;
  /** The owner of the value, and every fact that must not be exchanged without notice. */
  readonly boundTo: Uint8Array;
}

/** The master key version that a sealed value needs is not configured, or the bytes are not a sealed value. */
export class UnopenableSealError extends Error {
  override readonly name = "UnopenableSealError";
}

/**
 * Returns false for an opening that failed.
 *
 * @throws UnopenableSealError or KeyServiceError if it was not even tried.
 */
export function notOpened(error: unknown): false {
  if (error instanceof UnopenableSealError || error instanceof KeyServiceError) throw error;
  return false;
}

/**
 * Returns the master key of a version.
 *
 * @throws UnopenableSealError when this version is not configured; KeyServiceError as `MasterKeys.bytesOf`.
 */
export async function masterKeyOf(masterKeys: MasterKeys, version: number): Promise<Uint8Array> {
  const masterKey = await masterKeys.bytesOf(version);
  if (masterKey === null) throw new UnopenableSealError(`master key version ${version} is not configured`);
  return masterKey;
}

function sealingKey(masterKey: Uint8Array, salt: Uint8Array, label: string): Promise<CryptoKey> {
  const info = utf8(`gasworks/seal/v1/${label}`);
  return hkdfAesKey(masterKey, { salt, info }, ["wrapKey", "unwrapKey", "encrypt", "decrypt"]);
}

function parametersOf(header: Uint8Array, nonce: Uint8Array, context: SealContext): SubtleCryptoEncryptAlgorithm {
  return {
    name: "AES-GCM",
    iv: nonce,
    additionalData: concatBytes(header, utf8(`${context.label}\0`), context.boundTo),
  };
}

/** Makes the first bytes of a new sealed value, and a key that seals nothing else. */
async function newSeal(masterKeys: MasterKeys, { label }: SealContext, randomBytes: (length: number) => Uint8Array) {
  const masterKey = await masterKeyOf(masterKeys, masterKeys.current);
  const salt = new Uint8Array(randomBytes(SALT_BYTES));
  const nonce = new Uint8Array(randomBytes(NONCE_BYTES));
  const header = concatBytes(Uint8Array.of(FORMAT_VERSION, masterKeys.current), salt);
  return { header, nonce, key: await sealingKey(masterKey, salt, label) };
}

/**
 * Seals a private key inside WebCrypto. Its bytes never become a JavaScript value.
 *
 * @param privateKey extractable.
 */
export async function sealPrivateKey(
  privateKey: CryptoKey,
  masterKeys: MasterKeys,
  context: SealContext,
  randomBytes: (length: number) => Uint8Array,
): Promise<Uint8Array> {
  const { key, header, nonce } = await newSeal(masterKeys, context, randomBytes);
  const ciphertext = await crypto.subtle.wrapKey("pkcs8", privateKey, key, parametersOf(header, nonce, context));
  return concatBytes(header, nonce, new Uint8Array(ciphertext));
}

/** Seals a secret that is used as bytes, such as a webhook's. The format is that of a private key. */
export async function sealBytes(
  secret: Uint8Array,
  masterKeys: MasterKeys,
  context: SealContext,
  randomBytes: (length: number) => Uint8Array,
): Promise<Uint8Array> {
  const { key, header, nonce } = await newSeal(masterKeys, context, randomBytes);
  const ciphertext = await crypto.subtle.encrypt(parametersOf(header, nonce, context), key, new Uint8Array(secret));
  return concatBytes(header, nonce, new Uint8Array(ciphertext));
}

/**
 * Opens the bytes that `sealBytes` has sealed.
 *
 * @throws as `openPrivateKey`.
 */
export async function openBytes(sealed: Uint8Array, masterKeys: MasterKeys, context: SealContext): Promise<Uint8Array> {
  const { masterKey, salt, header, nonce, ciphertext } = await partsOf(sealed, masterKeys);
  const key = await sealingKey(masterKey, salt, context.label);
  return new Uint8Array(await crypto.subtle.decrypt(parametersOf(header, nonce, context), key, ciphertext));
}

async function partsOf(sealed: Uint8Array, masterKeys: MasterKeys) {
  const masterKey = await masterKeyOf(masterKeys, masterKeyVersionOf(sealed));
  return {
    masterKey,
    header: sealed.slice(0, HEADER_BYTES),
    salt: new Uint8Array(sealed.slice(2, HEADER_BYTES)),
    nonce: new Uint8Array(sealed.slice(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)),
    ciphertext: new Uint8Array(sealed.slice(HEADER_BYTES + NONCE_BYTES)),
  };
}

async function unwrap(
  sealed: Uint8Array,
  masterKeys: MasterKeys,
  context: SealContext,
  extractable: boolean,
): Promise<CryptoKey> {
  const { masterKey, salt, header, nonce, ciphertext } = await partsOf(sealed, masterKeys);
  const key = await sealingKey(masterKey, salt, context.label);
  const parameters = parametersOf(header, nonce, context);
  return crypto.subtle.unwrapKey("pkcs8", ciphertext, key, parameters, "Ed25519", extractable, ["sign"]);
}

/**
 * Returns the master key version that a sealed value claims. Only opening proves it.
 *
 * @throws UnopenableSealError when it is no sealed value.
 */
export function masterKeyVersionOf(sealed: Uint8Array): number {
  const [format, masterKeyVersion] = sealed;
  if (format !== FORMAT_VERSION || masterKeyVersion === undefined)
    throw new UnopenableSealError("unknown sealed format");
  return masterKeyVersion;
}

/**
 * Opens a sealed private key into a key that can sign and cannot be exported.
 *
 * @throws UnopenableSealError when the format or the master key version is unknown; the WebCrypto error when it does
 *   not authenticate.
 */
export function openPrivateKey(sealed: Uint8Array, masterKeys: MasterKeys, context: SealContext): Promise<CryptoKey> {
  return unwrap(sealed, masterKeys, context, false);
}

/**
 * Seals the same private key anew under the current master key, with another salt and nonce. Its bytes never become a
 * JavaScript value.
 *
 * @throws as `openPrivateKey`.
 */
export async function resealPrivateKey(
  sealed: Uint8Array,
  masterKeys: MasterKeys,
  context: SealContext,
  randomBytes: (length: number) => Uint8Array,
): Promise<Uint8Array> {
  return sealPrivateKey(await unwrap(sealed, masterKeys, context, true), masterKeys, context, randomBytes);
}
