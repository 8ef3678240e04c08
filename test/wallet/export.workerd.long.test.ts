import { ed25519 } from "@noble/curves/ed25519.js";
import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../shared/bytes.ts";
import { addressOf } from "../../shared/chain/address.ts";
import { type WalletRef, walletContext } from "../../shared/wallet/context.ts";
import {
  createSecretDeriver,
  DERIVATION_LIMITS,
  type ProjectDerivation,
  type SecretDerivation,
} from "../../shared/wallet/derivation.ts";
import { exportWallet, importExport, type WalletExport, walletExportSchema } from "../../shared/wallet/export.ts";
import { sealInner } from "../../shared/wallet/inner-layer.ts";
import { createWallet, openWallet } from "../../shared/wallet/record.ts";
import { createThrottle } from "../../shared/wallet/throttle.ts";
import { ed25519Cases } from "../crypto/rfc-cases.ts";
import {
  alterations,
  bytesOf,
  endOf,
  expectDone,
  keyPairOf,
  masterKeys,
  randomBytes,
  randomSecret,
} from "../support/custody.ts";

const SECRET = "5a6b".repeat(16);
const SOURCE: WalletRef = { projectId: "prj_0000000000000000000a", chain: "sui", walletId: "user-42" };
const TARGET: WalletRef = { projectId: "prj_0000000000000000000b", chain: "sui", walletId: "ключ 🔑" };
const MESSAGE = utf8("a transaction");

const deriveSecret = createSecretDeriver(createThrottle(DERIVATION_LIMITS, Date.now));

function project(derivation: SecretDerivation = "hkdf"): ProjectDerivation {
  return { derivation, salt: randomBytes(32) };
}

async function exportedWallet(secretText = SECRET, from = project(), wallet = SOURCE) {
  const secret = expectDone(await deriveSecret(secretText, from));
  const stored = await createWallet(wallet, secret, masterKeys("1"), randomBytes);
  const exported = expectDone(await exportWallet(stored, wallet, secret, masterKeys("1"), from.salt));
  return { stored, secret, exported, salt: from.salt };
}

async function importing(exported: WalletExport, secret = SECRET, derivation = project(), wallet = TARGET) {
  const derived = await deriveSecret(secret, derivation);
  if (!derived.ok) return derived;
  const target = { wallet, secret: derived.value, masterKeys: masterKeys("2") };
  return importExport(exported, secret, target, deriveSecret, randomBytes);
}

describe("an export", () => {
  test("is JSON of the documented shape, without the secret, what derives from it, or the private key", async () => {
    const { exported, secret, stored } = await exportedWallet();
    const text = JSON.stringify(exported);
    expect(walletExportSchema.parse(JSON.parse(text))).toEqual(exported);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(toHex(secret.bytes));
    expect(bytesOf(exported.publicKey)).toEqual(stored.publicKey);
    expect(walletExportSchema.safeParse({ ...exported, version: 2 }).success).toBe(false);
    expect(walletExportSchema.safeParse({ ...exported, secret: SECRET }).success).toBe(false);
  });

  test("is given to nobody without the secret, and of no record that does not authenticate", async () => {
    const { stored, secret, salt } = await exportedWallet();
    const end = (wallet: WalletRef, from = secret) => endOf(exportWallet(stored, wallet, from, masterKeys("1"), salt));
    expect(await end(SOURCE)).toBe("done");
    expect(await end(SOURCE, randomSecret())).toBe("wrong_secret");
    expect(await end(TARGET)).toBe("corrupt_record");
  });
});

describe("an import", () => {
  test.each([
    { from: "hkdf", to: "hkdf" },
    { from: "scrypt", to: "hkdf" },
    { from: "hkdf", to: "scrypt" },
  ] as const)("from $from to $to is the same key under another project, id and master key", async ({ from, to }) => {
    const { stored, secret, exported } = await exportedWallet(SECRET, project(from));
    const target = project(to);
    const imported = expectDone(await importing(exported, SECRET, target));
    expect(imported.publicKey).toEqual(stored.publicKey);
    const targetSecret = expectDone(await deriveSecret(SECRET, target));
    const before = expectDone(await openWallet(stored, SOURCE, secret, masterKeys("1")));
    const after = expectDone(await openWallet(imported, TARGET, targetSecret, masterKeys("2")));
    expect(await after.sign(MESSAGE)).toEqual(await before.sign(MESSAGE));
    expect(await endOf(openWallet(imported, TARGET, secret, masterKeys("2")))).not.toBe("done");
  });

  test("with another secret is refused as such", async () => {
    const { exported } = await exportedWallet();
    expect(await endOf(importing(exported, "5b6c".repeat(16)))).toBe("wrong_secret");
    expect(await endOf(importing(exported, "correct horse", project("scrypt")))).toBe("wrong_secret");
  });

  test("into a project of random secrets is refused for any other secret", async () => {
    const { exported } = await exportedWallet("correct horse", project("scrypt"));
    expect(await endOf(importing(exported, "correct horse", project("hkdf")))).toBe("bad_params");
  });

  test("on another chain is refused", async () => {
    const { exported } = await exportedWallet();
    const aptos = { ...TARGET, chain: "aptos" } as const;
    expect(await endOf(importing(exported, SECRET, project(), aptos))).toBe("unconvertible_export");
    expect(await endOf(importing({ ...exported, chain: "aptos" }, SECRET, project(), aptos))).toBe("wrong_secret");
  });

  test("of anything altered is refused", async () => {
    const { exported } = await exportedWallet();
    for (const field of ["publicKey", "derivationSalt", "walletSalt", "innerLayer"] as const)
      for (const { at, altered } of alterations(bytesOf(exported[field]))) {
        const end = await endOf(importing({ ...exported, [field]: toHex(altered) }));
        const checked = field === "publicKey" || (field === "innerLayer" && (at < 1 || at > 32));
        expect(end, `${field}, byte ${at}`).toBe(checked ? "unconvertible_export" : "wrong_secret");
      }
    const { projectId, walletId } = TARGET;
    for (const change of [{ projectId }, { walletId }, { derivation: "scrypt" as const }])
      expect(await endOf(importing({ ...exported, ...change })), JSON.stringify(change)).not.toBe("done");
  });

  test("with a public key beside the key's own by a point of small order is refused", async () => {
    const [one] = ed25519Cases;
    if (one === undefined) throw new Error("no cases");
    const own = ed25519.Point.fromHex(one.publicKey);
    const smallOrder = ed25519.Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
    const from = project();
    const secret = expectDone(await deriveSecret(SECRET, from));
    const { exported } = await exportedWallet(SECRET, from);
    const { privateKey } = await keyPairOf(one);
    for (let times = 0n; times < 8n; times += 1n) {
      const publicKey = own.add(smallOrder.multiplyUnsafe(times)).toBytes();
      const binding = { context: walletContext(SOURCE), salt: randomBytes(32), publicKey };
      const innerLayer = toHex(await sealInner(privateKey, secret, binding, randomBytes(12)));
      const of = { publicKey: toHex(publicKey), address: addressOf("sui", publicKey), walletSalt: toHex(binding.salt) };
      const end = await endOf(importing({ ...exported, ...of, innerLayer }));
      expect(end, `${times}`).toBe(times === 0n ? "done" : "unconvertible_export");
    }
  });

  test("made by somebody of a private key that is not the one of its public key is refused", async () => {
    const [one, two] = ed25519Cases;
    if (one === undefined || two === undefined) throw new Error("no cases");
    const pair = await keyPairOf({ secret: one.secret, publicKey: two.publicKey });
    const from = project();
    const secret = expectDone(await deriveSecret(SECRET, from));
    const binding = { context: walletContext(SOURCE), salt: randomBytes(32), publicKey: pair.publicKey };
    const inner = await sealInner(pair.privateKey, secret, binding, randomBytes(12));
    const { exported } = await exportedWallet(SECRET, from);
    const made = { ...exported, publicKey: two.publicKey, walletSalt: toHex(binding.salt), innerLayer: toHex(inner) };
    expect(await endOf(importing(made))).toBe("unconvertible_export");
  });
});
