/**
 * Exports a wallet from this service, and imports one from another. The export is JSON. It holds the inner layer as
 * stored (`inner-layer.ts`), and everything else that opens it but the secret. The app can get the key without this
 * service and its operator. `open-export.mjs` does it with Node alone.
 *
 * An export is only as safe as its secret is hard to guess.
 */

import { Buffer } from "node:buffer";
import * as z from "zod";
import { toHex } from "../bytes.ts";
import { addressOf } from "../chain/address.ts";
import type { MasterKeys } from "../crypto/master-keys.ts";
import { type KeyPair, signSelfTest, verifyingSigner } from "../crypto/signer.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { chains } from "../networks.ts";
import { isWalletId, type WalletRef, walletContext } from "./context.ts";
import { type DerivedSecret, PROJECT_SALT_BYTES, type ProjectDerivation, secretDerivations } from "./derivation.ts";
import { INNER_LAYER_BYTES, openInner, WALLET_SALT_BYTES } from "./inner-layer.ts";
import { openRecord, type StoredWallet, sealWallet } from "./record.ts";

function hexOf(bytes: number) {
  return z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `must be ${bytes} bytes in lower-case hex`);
}

/** The export, version 1. A change of the fields or of their meaning needs a new version. */
export const walletExportSchema = z.strictObject(
  {
    format: z.literal("gasworks-wallet-export"),
    version: z.literal(1),
    chain: z.enum(chains),
    /** The address is for people only. It follows from the public key. */
    address: z.string().regex(/^0x[0-9a-f]{64}$/, "must be 0x and 64 lower-case hex digits"),
    publicKey: hexOf(32),
    /** The project of the export, and the wallet's id in it. The inner layer is bound to both. */
    projectId: z.string().regex(/^prj_[0-9a-f]{20}$/, "must be a project's id"),
    walletId: z.string().refine(isWalletId, "must be a wallet's id"),
    derivation: z.enum(secretDerivations),
    derivationSalt: hexOf(PROJECT_SALT_BYTES),
    walletSalt: hexOf(WALLET_SALT_BYTES),
    innerLayer: hexOf(INNER_LAYER_BYTES),
  },
  // The default text would repeat the names of unknown fields, which have no bound.
  {
    error: ({ code }) =>
      code === "unrecognized_keys"
        ? "has a field that no export has: send it as it was exported"
        : "must be a wallet export",
  },
);
/** An export of one wallet. */
export type WalletExport = z.infer<typeof walletExportSchema>;

/**
 * Exports a wallet to a caller with a session of its secret.
 *
 * @param derivationSalt salt of the project, 32 bytes.
 * @returns the export, or `wrong_secret` or `corrupt_record`.
 * @throws UnopenableSealError when the master key version is not configured.
 */
export async function exportWallet(
  stored: StoredWallet,
  wallet: WalletRef,
  secret: DerivedSecret,
  masterKeys: MasterKeys,
  derivationSalt: Uint8Array,
): Promise<Outcome<WalletExport>> {
  const { publicKey } = stored;
  const opened = await openRecord(stored, wallet, masterKeys);
  if (!opened.ok) return opened;
  const { context, inner, salt: walletSalt } = opened.value;
  const key = await openInner(inner, secret, { context, salt: walletSalt, publicKey }, "sign");
  if (!key.ok) return key;
  return done({
    format: "gasworks-wallet-export",
    version: 1,
    chain: wallet.chain,
    address: addressOf(wallet.chain, publicKey),
    publicKey: toHex(publicKey),
    projectId: wallet.projectId,
    walletId: wallet.walletId,
    derivation: secret.derivation,
    derivationSalt: toHex(derivationSalt),
    walletSalt: toHex(walletSalt),
    innerLayer: toHex(inner),
  });
}

/** The wallet that an import makes. */
export interface ImportTarget {
  readonly wallet: WalletRef;
  /** S of the wallet's project. The caller overwrites it. */
  readonly secret: DerivedSecret;
  readonly masterKeys: MasterKeys;
}

/**
 * Seals the key of an export anew under the same secret, for another wallet id of this or another project. The private
 * key is never a JavaScript value.
 *
 * @param secret the app's own secret. The secret of the export derives from it under the salt of its project.
 * @returns `wrong_secret`, also if only the secret could show that the export was altered; `unconvertible_export` for
 * another chain's wallet and for an inconsistent export; refusals of `deriveSecret`.
 */
export async function importExport(
  exported: WalletExport,
  secret: string,
  { wallet, secret: targetSecret, masterKeys }: ImportTarget,
  deriveSecret: (secret: string, project: ProjectDerivation) => Promise<Outcome<DerivedSecret>>,
  randomBytes: (length: number) => Uint8Array,
): Promise<Outcome<StoredWallet>> {
  if (exported.chain !== wallet.chain)
    return refuse(
      "unconvertible_export",
      `this export is a wallet on ${exported.chain}: import it on ${exported.chain}, not on ${wallet.chain}`,
    );
  const source = { derivation: exported.derivation, salt: bytesOf(exported.derivationSalt) };
  const sourceSecret = await deriveSecret(secret, source);
  // A secret that the derivation refuses cannot belong to a wallet.
  if (!sourceSecret.ok) return sourceSecret.error.reason === "bad_params" ? wrongSecretOfExport() : sourceSecret;
  const pair = await openExport(exported, sourceSecret.value);
  sourceSecret.value.bytes.fill(0);
  if (!pair.ok) return pair;
  // Otherwise a reader of the export would take this wallet for another one.
  if (addressOf(wallet.chain, pair.value.publicKey) !== exported.address)
    return refuse("unconvertible_export", "this export's address does not belong to its key: send the original export");
  return done(await sealWallet(pair.value, wallet, targetSecret, masterKeys, randomBytes));
}

/**
 * Proves that the keys of an export belong together. Any holder of a secret can make an export. The runtime signs with
 * the public key that it derives itself. It hashes that key into the signature (RFC 8032, 5.1.6). Verification with
 * another public key, whatever its order, hashes another key. Deriving the public key here would turn the private key
 * into a JavaScript value.
 */
async function openExport(exported: WalletExport, secret: DerivedSecret): Promise<Outcome<KeyPair>> {
  const publicKey = bytesOf(exported.publicKey);
  const binding = { context: walletContext(exported), salt: bytesOf(exported.walletSalt), publicKey };
  const privateKey = await openInner(bytesOf(exported.innerLayer), secret, binding, "rewrap");
  if (!privateKey.ok) {
    if (privateKey.error.reason === "wrong_secret") return wrongSecretOfExport();
    return refuse("unconvertible_export", "this export was altered: send the original");
  }
  const pair = { publicKey, privateKey: privateKey.value };
  try {
    await signSelfTest(await verifyingSigner(pair));
    return done(pair);
  } catch {
    return refuse(
      "unconvertible_export",
      "this export's private key does not belong to its public key: send the original export",
    );
  }
}

function wrongSecretOfExport() {
  return refuse(
    "wrong_secret",
    "the secret does not open this export, or the export was altered: send the wallet's secret and the original export",
  );
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}
