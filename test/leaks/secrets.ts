import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { concatBytes, equalBytes, lengthPrefixed, utf8 } from "../../shared/bytes.ts";
import type { VersionedSecrets } from "../../shared/config/secret-versions.ts";
import { hkdfBytes } from "../../shared/crypto/hkdf.ts";
import { plainMasterKeys } from "../../shared/crypto/master-keys.ts";
import type { SealedKey } from "../../shared/crypto/signer.ts";
import { done } from "../../shared/errors.ts";
import { type WalletRef, walletContext } from "../../shared/wallet/context.ts";
import { createSecretDeriver, type DerivedSecret, type ProjectDerivation } from "../../shared/wallet/derivation.ts";
import { openInner } from "../../shared/wallet/inner-layer.ts";
import { openRecord, type StoredWallet } from "../../shared/wallet/record.ts";
import { expectDone } from "../support/custody.ts";
import type { Needle } from "./search.ts";

/**
 * Every key that the service derives on its way from a secret to a signature, by the formats that are documented in
 * `shared/custody`. That they are the right ones shows: what they open is the private key of the stored public one.
 */
const SEED_BYTES = 32;
const MASTER_KEY_BYTES = 32;
const SEALED_SALT_END = 34;
const SEALED_NONCE_END = 46;

function derived(secret: Uint8Array, salt: Uint8Array, info: Uint8Array): Uint8Array {
  return hkdfBytes(secret, { salt, info }, MASTER_KEY_BYTES);
}

/** The seed of a private key as PKCS #8, once it has turned out to be that of the public key. */
function seedOf(pkcs8: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
  const made = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-publicKey.length);
  if (!equalBytes(made, publicKey)) throw new Error("not the private key of this public key");
  return pkcs8.slice(-SEED_BYTES);
}

/** S of an app's secret. */
export async function derivedSecret(secret: string, project: ProjectDerivation): Promise<DerivedSecret> {
  const deriver = createSecretDeriver(async (work) => done(await work()));
  return expectDone(await deriver(secret, project));
}

export async function walletSecrets(
  stored: StoredWallet,
  wallet: WalletRef,
  secret: DerivedSecret,
  masterKeys: VersionedSecrets,
): Promise<readonly Needle[]> {
  const context = walletContext(wallet);
  const { publicKey } = stored;
  const { inner, salt, masterKeyVersion } = expectDone(await openRecord(stored, wallet, plainMasterKeys(masterKeys)));
  const privateKey = expectDone(await openInner(inner, secret, { context, salt, publicKey }, "rewrap"));
  const exported = await crypto.subtle.exportKey("pkcs8", privateKey);
  if (!(exported instanceof ArrayBuffer)) throw new Error("no PKCS #8");
  const version = Uint8Array.of(masterKeyVersion >> 8, masterKeyVersion & 0xff);
  const masterKey = masterKeys.byVersion.get(masterKeyVersion) ?? new Uint8Array();
  const outerInfo = concatBytes(utf8("ivw1/outer"), version, context);
  const names = { name: `${wallet.chain} ${wallet.walletId}` };
  const all: readonly (readonly [string, Uint8Array])[] = [
    ["private key", seedOf(new Uint8Array(exported), publicKey)],
    ["derived secret", secret.bytes],
    ["inner key", await derived(secret.bytes, salt, concatBytes(utf8("ivw1/inner"), context))],
    ["check", await derived(secret.bytes, salt, concatBytes(utf8("ivw1/check"), context))],
    ["inner layer", inner],
    ["outer key", await derived(masterKey, salt, outerInfo)],
  ];
  return all.map(([what, bytes]) => ({ name: `${what} of ${names.name}`, bytes }));
}

export async function fundSecrets(
  { publicKey, sealedPrivateKey }: SealedKey,
  fundId: string,
  masterKeys: VersionedSecrets,
): Promise<readonly Needle[]> {
  const header = sealedPrivateKey.slice(0, SEALED_SALT_END);
  const masterKey = masterKeys.byVersion.get(header[1] ?? 0) ?? new Uint8Array();
  const bytes = await derived(masterKey, header.slice(2), utf8("gasworks/seal/v1/fund-key"));
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["decrypt"]);
  const iv = sealedPrivateKey.slice(SEALED_SALT_END, SEALED_NONCE_END);
  const additionalData = concatBytes(header, utf8(`fund-key\0${fundId}\0`), publicKey);
  const opened = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv, additionalData },
    key,
    sealedPrivateKey.slice(SEALED_NONCE_END),
  );
  return [
    { name: `sealing key of ${fundId}`, bytes },
    { name: `private key of ${fundId}`, bytes: seedOf(new Uint8Array(opened), publicKey) },
  ];
}

/** A token, its random half, and the key of the half that is stored. */
export async function tokenSecrets(
  token: string,
  projectId: string,
  masterKeys: VersionedSecrets,
): Promise<readonly Needle[]> {
  const raw = new Uint8Array(Buffer.from(token.slice("ivs_".length), "base64url"));
  const random = raw.slice(2, 2 + MASTER_KEY_BYTES);
  const masterKey = masterKeys.byVersion.get(raw[1] ?? 0) ?? new Uint8Array();
  const info = concatBytes(utf8("ivw1/session/key"), lengthPrefixed(projectId));
  return [
    { name: "a token", bytes: utf8(token) },
    { name: "a token's random bytes", bytes: random },
    { name: "a session's key", bytes: await derived(masterKey, random, info) },
  ];
}

/** Of `MASTER_KEYS` or `KEY_PEPPERS`. */
export function versionedNeedles(name: string, { byVersion }: VersionedSecrets): readonly Needle[] {
  return [...byVersion].map(([version, bytes]) => ({ name: `${name} ${version}`, bytes }));
}
