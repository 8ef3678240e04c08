import { createCipheriv, createHmac, createPrivateKey, hkdfSync, type KeyObject, scryptSync, sign } from "node:crypto";
import { writeFile } from "node:fs/promises";

/**
 * Known answers for the formats of `shared/custody`, computed from their descriptions with OpenSSL's primitives: nothing
 * here is imported from there. `vectors.json` was written once, and what it holds must open for ever:
 *
 *     node --experimental-strip-types test/crypto/make-vectors.ts
 *
 * A test compares the file with what this computes.
 */
const bytes = (byte: number, length: number) => Buffer.alloc(length, byte);
const text = (label: string) => Buffer.from(label, "utf8");

function u16(value: number): Buffer {
  const out = Buffer.alloc(2);
  out.writeUInt16BE(value);
  return out;
}

function u32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}

function u64(value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64BE(BigInt(value));
  return out;
}

function prefixed(value: string): Buffer {
  return Buffer.concat([u16(text(value).length), text(value)]);
}

function hkdf(secret: Buffer, salt: Buffer, info: readonly Buffer[], length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, Buffer.concat(info), length));
}

function seal(key: Buffer, nonce: Buffer, additional: readonly Buffer[], plaintext: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.concat(additional));
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

const PROJECT_ID = "prj_00010203040506070809";
const PROJECT_SALT = bytes(0xa0, 32);
const MASTER_KEYS = new Map([
  [1, bytes(0x11, 32)],
  [2, bytes(0x22, 32)],
]);
/** RFC 8032, section 7.1, TEST 1: a key that protects nothing. */
const SEED = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
const PUBLIC_KEY = Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex");
const PKCS8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), SEED]);
const PRIVATE_KEY: KeyObject = createPrivateKey({ key: PKCS8, format: "der", type: "pkcs8" });
const [WALLET_SALT, INNER_NONCE, OUTER_NONCE, RESEAL_NONCE] = [
  bytes(0xb0, 32),
  bytes(0xc0, 12),
  bytes(0xd0, 12),
  bytes(0xe0, 12),
];

const DERIVATIONS = [
  { derivation: "scrypt", id: 2, secret: "correct horse battery staple" },
  {
    derivation: "hkdf",
    id: 3,
    secret: Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString("base64url"),
  },
] as const;

function derivedSecret({ derivation, id, secret }: (typeof DERIVATIONS)[number]): Buffer {
  const pre = createHmac("sha256", PROJECT_SALT).update("ivw1/secret").update(secret, "utf8").digest();
  const salt = Buffer.concat([text("ivw1/kdf"), Buffer.of(id), PROJECT_SALT]);
  if (derivation === "hkdf") return hkdf(pre, salt, [text("ivw1/kdf")], 32);
  return scryptSync(pre, salt, 32, { N: 16_384, r: 8, p: 5, maxmem: 64 * 1024 * 1024 });
}

function masterKey(version: number): Buffer {
  const key = MASTER_KEYS.get(version);
  if (key === undefined) throw new Error(`no master key ${version}`);
  return key;
}

function recordOf(inner: Buffer, version: number, nonce: Buffer, context: Buffer): Buffer {
  const header = Buffer.concat([text("IVW1"), Buffer.of(1), u16(version), WALLET_SALT]);
  const key = hkdf(masterKey(version), WALLET_SALT, [text("ivw1/outer"), u16(version), context], 32);
  return Buffer.concat([header, nonce, seal(key, nonce, [header, context, PUBLIC_KEY], inner)]);
}

function walletVector(chain: "sui" | "aptos", walletId: string, from: (typeof DERIVATIONS)[number]) {
  const chainId = { aptos: 1, sui: 2 }[chain];
  const context = Buffer.concat([text("ivw1/ctx"), prefixed(PROJECT_ID), Buffer.of(chainId, 0), prefixed(walletId)]);
  const secret = derivedSecret(from);
  const id = Buffer.of(from.id);
  const key = hkdf(secret, WALLET_SALT, [text("ivw1/inner"), context], 32);
  const check = hkdf(secret, WALLET_SALT, [text("ivw1/check"), context], 32);
  const sealed = seal(key, INNER_NONCE, [text("ivw1/in"), id, context, PUBLIC_KEY], PKCS8);
  const inner = Buffer.concat([id, check, INNER_NONCE, sealed]);
  const signed = `hello from ${chain}`;
  return {
    chain,
    walletId,
    derivation: from.derivation,
    context: context.toString("hex"),
    inner: inner.toString("hex"),
    record: recordOf(inner, 1, OUTER_NONCE, context).toString("hex"),
    resealed: recordOf(inner, 2, RESEAL_NONCE, context).toString("hex"),
    signed,
    signature: sign(null, text(signed), PRIVATE_KEY).toString("hex"),
  };
}

function sessionVector(from: (typeof DERIVATIONS)[number]) {
  const [random, nonce] = [bytes(0x44, 32), bytes(0x55, 12)];
  const [accessKeyId, epoch, issuedAtMs] = ["99aabbccddeeff001122", 7, 1_750_000_000_123];
  const expiresAtMs = issuedAtMs + 600_000;
  const names = hkdf(masterKey(1), random, [text("ivw1/session/names"), prefixed(PROJECT_ID)], 20);
  const key = hkdf(masterKey(1), random, [text("ivw1/session/key"), prefixed(PROJECT_ID)], 32);
  const header = Buffer.concat([Buffer.of(1), u64(issuedAtMs), u64(expiresAtMs)]);
  const secret = derivedSecret(from);
  const plaintext = Buffer.concat([Buffer.of(from.id), secret, Buffer.from(accessKeyId, "hex"), u32(epoch)]);
  return {
    derivation: from.derivation,
    accessKeyId: `key_${accessKeyId}`,
    epoch,
    issuedAtMs,
    expiresAtMs,
    random: random.toString("hex"),
    nonce: nonce.toString("hex"),
    token: `ivs_${Buffer.concat([Buffer.of(1, 1), random, names.subarray(16)]).toString("base64url")}`,
    storeKey: `s1:${names.subarray(0, 16).toString("base64url")}`,
    storeValue: Buffer.concat([header, nonce, seal(key, nonce, [header], plaintext)]).toString("hex"),
  };
}

export function makeVectors() {
  const [scrypt, hkdfDerivation] = DERIVATIONS;
  return {
    projectId: PROJECT_ID,
    projectSalt: PROJECT_SALT.toString("hex"),
    masterKeys: Object.fromEntries([...MASTER_KEYS].map(([version, key]) => [version, key.toString("hex")])),
    seed: SEED.toString("hex"),
    publicKey: PUBLIC_KEY.toString("hex"),
    walletSalt: WALLET_SALT.toString("hex"),
    innerNonce: INNER_NONCE.toString("hex"),
    outerNonce: OUTER_NONCE.toString("hex"),
    resealNonce: RESEAL_NONCE.toString("hex"),
    secrets: DERIVATIONS.map((from) => ({
      derivation: from.derivation,
      secret: from.secret,
      derived: derivedSecret(from).toString("hex"),
    })),
    wallets: [walletVector("sui", "user-42", scrypt), walletVector("aptos", "ключ 🔑", hkdfDerivation)],
    sessions: [sessionVector(scrypt), sessionVector(hkdfDerivation)],
  };
}

if (import.meta.main)
  await writeFile(`${import.meta.dirname}/vectors.json`, `${JSON.stringify(makeVectors(), null, 2)}\n`);
