/**
 * The stored record of a wallet is its inner layer, encrypted under the service's master key. The inner layer
 * (`inner-layer.ts`) is the private key under the app's secret. The record has 176 bytes:
 *
 *     offset  bytes  field
 *          0      4  "IVW1"
 *          4      1  format version, 1
 *          5      2  master key version, big-endian
 *          7     32  salt, of this wallet and of both layers
 *         39     12  nonce
 *         51    125  AES-256-GCM of the inner layer (109 bytes), and the tag (NIST SP 800-38D)
 *
 * The key is HKDF-SHA-256(master key, salt, "ivw1/outer" ‖ master key version(2) ‖ context), the additional data the 39
 * bytes before the nonce ‖ context ‖ public key(32). The context (`context.ts`) is project, chain and wallet id.
 *
 * Both layers are needed. A stolen store without the master key gives nothing, not even a way to try secrets. The
 * service itself cannot sign without the app's secret. One key made of both would not suffice, because the master key
 * must be replaceable without a secret. A record in another record's place does not open. An older record of the same
 * wallet opens, and holds the same key.
 */

import { concatBytes, equalBytes, utf8 } from "../bytes.ts";
import { hkdfAesKey, NONCE_BYTES, TAG_BYTES } from "../crypto/hkdf.ts";
import type { MasterKeys } from "../crypto/master-keys.ts";
import { masterKeyOf } from "../crypto/sealing.ts";
import { generateKeyPair, type KeyPair, type Signer, signSelfTest, verifyingSigner } from "../crypto/signer.ts";
import { done, type Outcome } from "../errors.ts";
import { type WalletRef, walletContext } from "./context.ts";
import type { DerivedSecret } from "./derivation.ts";
import { corruptRecord, INNER_LAYER_BYTES, openInner, sealInner, WALLET_SALT_BYTES } from "./inner-layer.ts";

const FORMAT = concatBytes(utf8("IVW1"), Uint8Array.of(1));
const VERSION_END = FORMAT.length + 2;
const HEADER_BYTES = VERSION_END + WALLET_SALT_BYTES;
const NONCE_END = HEADER_BYTES + NONCE_BYTES;
/** Length of a stored record. */
export const WALLET_RECORD_BYTES = NONCE_END + INNER_LAYER_BYTES + TAG_BYTES;

/** The data that an object stores of a wallet. */
export interface StoredWallet {
  /** 32 bytes. Only a record that opens with it authenticates it. */
  readonly publicKey: Uint8Array;
  /** 176 bytes. */
  readonly record: Uint8Array;
}

/** A record without its outer layer. Its contents are useless without the app's secret. */
export interface OpenedRecord {
  /** The value that both layers are bound to. */
  readonly context: Uint8Array;
  readonly masterKeyVersion: number;
  readonly salt: Uint8Array;
  readonly inner: Uint8Array;
}

type RandomBytes = (length: number) => Uint8Array;

function versionBytes(version: number): Uint8Array {
  return Uint8Array.of(version >> 8, version & 0xff);
}

async function outerKey(masterKeys: MasterKeys, version: number, salt: Uint8Array, context: Uint8Array) {
  const info = concatBytes(utf8("ivw1/outer"), versionBytes(version), context);
  return hkdfAesKey(await masterKeyOf(masterKeys, version), { salt, info }, ["encrypt", "decrypt"]);
}

function outerCipher(header: Uint8Array, nonce: Uint8Array, context: Uint8Array, publicKey: Uint8Array) {
  return { name: "AES-GCM", iv: nonce, additionalData: concatBytes(header, context, publicKey) };
}

async function sealOuter(
  { context, salt, inner }: Omit<OpenedRecord, "masterKeyVersion">,
  publicKey: Uint8Array,
  masterKeys: MasterKeys,
  nonce: Uint8Array,
): Promise<Uint8Array> {
  const version = masterKeys.current;
  const header = concatBytes(FORMAT, versionBytes(version), salt);
  const key = await outerKey(masterKeys, version, salt, context);
  const sealed = await crypto.subtle.encrypt(outerCipher(header, nonce, context, publicKey), key, inner);
  return concatBytes(header, nonce, new Uint8Array(sealed));
}

/** Returns the master key version that a record claims. Null if the bytes are not a record. */
export function recordMasterKeyVersion(record: Uint8Array): number | null {
  if (record.length !== WALLET_RECORD_BYTES || !equalBytes(record.subarray(0, FORMAT.length), FORMAT)) return null;
  return new DataView(record.buffer, record.byteOffset).getUint16(FORMAT.length);
}

/** The inputs that opened a record, and its contents. */
interface Opening {
  readonly publicKey: Uint8Array;
  readonly wallet: WalletRef;
  readonly masterKeys: MasterKeys;
  readonly opened: OpenedRecord;
}

/**
 * Records that have opened, by their bytes in memory, for the lifetime of those bytes. The same memory holds the master
 * key, so sealing the contents there would not make them safer.
 */
const openings = new WeakMap<Uint8Array, Opening>();

function knownOpening({ publicKey, record }: StoredWallet, wallet: WalletRef, masterKeys: MasterKeys) {
  const known = openings.get(record);
  if (known === undefined || known.publicKey !== publicKey || known.masterKeys !== masterKeys) return null;
  const { projectId, chain, walletId } = known.wallet;
  const isOfWallet = wallet.projectId === projectId && wallet.chain === chain && wallet.walletId === walletId;
  return isOfWallet ? known.opened : null;
}

/**
 * Opens the outer layer, for which no secret is needed. Opening authenticates the public key and thereby the address.
 * Access to the store alone cannot make a wallet show another's address. The same bytes in memory open once for the
 * same wallet, public key and master keys. Callers must change neither them nor the contents.
 *
 * @returns `corrupt_record` for bytes that were not sealed for this wallet and public key.
 * @throws UnopenableSealError when the master key version is not configured.
 */
export async function openRecord(
  stored: StoredWallet,
  wallet: WalletRef,
  masterKeys: MasterKeys,
): Promise<Outcome<OpenedRecord>> {
  const known = knownOpening(stored, wallet, masterKeys);
  if (known !== null) return done(known);
  const { publicKey, record } = stored;
  const masterKeyVersion = recordMasterKeyVersion(record);
  if (masterKeyVersion === null) return corruptRecord();
  const context = walletContext(wallet);
  const header = record.subarray(0, HEADER_BYTES);
  const salt = header.subarray(VERSION_END);
  const key = await outerKey(masterKeys, masterKeyVersion, salt, context);
  const cipher = outerCipher(header, record.subarray(HEADER_BYTES, NONCE_END), context, publicKey);
  try {
    const inner = new Uint8Array(await crypto.subtle.decrypt(cipher, key, record.subarray(NONCE_END)));
    const opened = { context, masterKeyVersion, salt, inner };
    openings.set(record, { publicKey, wallet, masterKeys, opened });
    return done(opened);
  } catch {
    return corruptRecord();
  }
}

/** Makes a new key and its record. The private key is never a JavaScript value. */
export async function createWallet(
  wallet: WalletRef,
  secret: DerivedSecret,
  masterKeys: MasterKeys,
  randomBytes: RandomBytes,
): Promise<StoredWallet> {
  return sealWallet(await generateKeyPair(), wallet, secret, masterKeys, randomBytes);
}

/**
 * Seals a key into a record under the current master key. Opens the record once and signs with it before it returns. So
 * an address is given out only for a key that works.
 *
 * @param pair its private key is extractable.
 */
export async function sealWallet(
  { privateKey, publicKey }: KeyPair,
  wallet: WalletRef,
  secret: DerivedSecret,
  masterKeys: MasterKeys,
  randomBytes: RandomBytes,
): Promise<StoredWallet> {
  const context = walletContext(wallet);
  const salt = randomBytes(WALLET_SALT_BYTES);
  const inner = await sealInner(privateKey, secret, { context, salt, publicKey }, randomBytes(NONCE_BYTES));
  const record = await sealOuter({ context, salt, inner }, publicKey, masterKeys, randomBytes(NONCE_BYTES));
  const stored = { publicKey, record };
  const opened = await openWallet(stored, wallet, secret, masterKeys);
  if (!opened.ok) throw new Error("a new wallet record did not open");
  await signSelfTest(opened.value);
  return stored;
}

/**
 * Opens a wallet for signing, with a key that cannot be exported.
 *
 * @returns `wrong_secret`; `corrupt_record` as `openRecord`, or if the two layers do not belong together.
 * @throws UnopenableSealError when the master key version is not configured.
 */
export async function openWallet(
  stored: StoredWallet,
  wallet: WalletRef,
  secret: DerivedSecret,
  masterKeys: MasterKeys,
): Promise<Outcome<Signer>> {
  const { publicKey } = stored;
  const opened = await openRecord(stored, wallet, masterKeys);
  if (!opened.ok) return opened;
  const { context, inner, salt } = opened.value;
  const privateKey = await openInner(inner, secret, { context, salt, publicKey }, "sign");
  return privateKey.ok ? done(await verifyingSigner({ privateKey: privateKey.value, publicKey })) : privateKey;
}

/**
 * Seals the same inner layer and salt under the current master key. Needs no secret. Returns the given record if it is
 * already under that key. Opens the new record once, because it replaces the only copy of a key.
 *
 * @returns `corrupt_record` as `openRecord`.
 * @throws UnopenableSealError when the master key version is not configured.
 */
export async function resealWallet(
  stored: StoredWallet,
  wallet: WalletRef,
  masterKeys: MasterKeys,
  randomBytes: RandomBytes,
): Promise<Outcome<Uint8Array>> {
  const { publicKey } = stored;
  const opened = await openRecord(stored, wallet, masterKeys);
  if (!opened.ok) return opened;
  if (opened.value.masterKeyVersion === masterKeys.current) return done(stored.record);
  const { inner } = opened.value;
  const nonce = randomBytes(NONCE_BYTES);
  const record = await sealOuter(opened.value, publicKey, masterKeys, nonce);
  const again = await openRecord({ publicKey, record }, wallet, masterKeys);
  if (!again.ok || !equalBytes(again.value.inner, inner)) throw new Error("a re-sealed wallet record did not open");
  return done(record);
}
