import { describe, expect, test } from "vitest";
import { type MasterKeys, plainMasterKeys } from "../../shared/crypto/master-keys.ts";
import { sealPrivateKey, UnopenableSealError } from "../../shared/crypto/sealing.ts";
import { createSealedKey, openSigner, type SealedKey } from "../../shared/crypto/signer.ts";
import { bytesOf, keyPairOf, randomBytes } from "../support/custody.ts";
import { ed25519Cases } from "./rfc-cases.ts";

const LABEL = "fund-key";
const OWNER = "fund_000000000000000000a1";
const MESSAGE = new TextEncoder().encode("a transaction");
const FORMAT_BYTES = 2;

function masterKeys(...versions: readonly number[]): MasterKeys {
  const byVersion = new Map(versions.map((version) => [version, new Uint8Array(32).fill(version)]));
  return plainMasterKeys({ current: Math.max(...versions), byVersion });
}

function sealedKey(keys = masterKeys(1)): Promise<SealedKey> {
  return createSealedKey(LABEL, OWNER, keys, randomBytes);
}

describe("a sealed key", () => {
  test("opens for its owner, and signs what its public key verifies", async () => {
    const key = await sealedKey();
    const signer = await openSigner(key, LABEL, OWNER, masterKeys(1));
    const signature = await signer.sign(MESSAGE);
    const verifier = await crypto.subtle.importKey("raw", key.publicKey, "Ed25519", false, ["verify"]);
    expect(await crypto.subtle.verify("Ed25519", verifier, signature, MESSAGE)).toBe(true);
    expect(signer.publicKey).toEqual(key.publicKey);
  });

  test("opens under its own label, owner and public key only", async () => {
    const key = await sealedKey();
    const { publicKey } = await sealedKey();
    await expect(openSigner(key, "wallet-key", OWNER, masterKeys(1))).rejects.toThrow();
    await expect(openSigner(key, LABEL, "fund_000000000000000000a2", masterKeys(1))).rejects.toThrow();
    await expect(openSigner(key, LABEL, `${OWNER}\0`, masterKeys(1))).rejects.toThrow();
    await expect(openSigner({ ...key, publicKey }, LABEL, OWNER, masterKeys(1))).rejects.toThrow();
  });

  test("does not open with any byte of it altered, nor cut short, nor prolonged", async () => {
    const key = await sealedKey();
    const open = (sealedPrivateKey: Uint8Array) =>
      openSigner({ ...key, sealedPrivateKey }, LABEL, OWNER, masterKeys(1, 2));
    await open(key.sealedPrivateKey);
    for (let at = 0; at < key.sealedPrivateKey.length; at += 1)
      for (const bit of [0x01, 0x80]) {
        const altered = Uint8Array.from(key.sealedPrivateKey);
        altered[at] = (altered[at] ?? 0) ^ bit;
        await expect(open(altered), `byte ${at}`).rejects.toThrow();
      }
    for (let length = 0; length < key.sealedPrivateKey.length; length += 1)
      await expect(open(key.sealedPrivateKey.slice(0, length)), `${length} bytes`).rejects.toThrow();
    await expect(open(Uint8Array.of(...key.sealedPrivateKey, 0))).rejects.toThrow();
  });

  test("does not open under another master key of the same version", async () => {
    const key = await sealedKey();
    const other = plainMasterKeys({ current: 1, byVersion: new Map([[1, new Uint8Array(32).fill(9)]]) });
    await expect(openSigner(key, LABEL, OWNER, other)).rejects.toThrow();
  });

  test("is sealed under the current master key, and opens after a rotation as long as its version is configured", async () => {
    const old = await sealedKey(masterKeys(1));
    expect((await sealedKey(masterKeys(1, 2))).sealedPrivateKey[1]).toBe(2);
    await openSigner(old, LABEL, OWNER, masterKeys(1, 2));
    const missing = openSigner(old, LABEL, OWNER, masterKeys(2));
    await expect(missing).rejects.toThrow("master key version 1 is not configured");
    await expect(openSigner(old, LABEL, OWNER, masterKeys(2))).rejects.toBeInstanceOf(UnopenableSealError);
  });

  test("of a format that is not known says so", async () => {
    const key = await sealedKey();
    const sealedPrivateKey = Uint8Array.from(key.sealedPrivateKey);
    sealedPrivateKey[0] = 9;
    await expect(openSigner({ ...key, sealedPrivateKey }, LABEL, OWNER, masterKeys(1))).rejects.toThrow(
      UnopenableSealError,
    );
    await expect(
      openSigner({ ...key, sealedPrivateKey: new Uint8Array() }, LABEL, OWNER, masterKeys(1)),
    ).rejects.toThrow(UnopenableSealError);
  });

  test("is another one each time, and never sealed twice with the same bytes", async () => {
    const [first, second] = [await sealedKey(), await sealedKey()];
    expect(first.publicKey).not.toEqual(second.publicKey);
    expect(first.sealedPrivateKey.slice(FORMAT_BYTES, 46)).not.toEqual(second.sealedPrivateKey.slice(FORMAT_BYTES, 46));
  });
});

describe.each(ed25519Cases)("RFC 8032 $name", ({ secret, publicKey, message, signature }) => {
  async function signerOf(claimedPublicKey: Uint8Array) {
    const { privateKey } = await keyPairOf({ secret, publicKey });
    // What `createSealedKey` binds a key to.
    const boundTo = Uint8Array.of(...new TextEncoder().encode(`${OWNER}\0`), ...claimedPublicKey);
    const context = { label: LABEL, boundTo };
    const sealedPrivateKey = await sealPrivateKey(privateKey, masterKeys(1), context, randomBytes);
    return openSigner({ publicKey: claimedPublicKey, sealedPrivateKey }, LABEL, OWNER, masterKeys(1));
  }

  test("is what the signer signs", async () => {
    const signer = await signerOf(bytesOf(publicKey));
    expect(await signer.sign(bytesOf(message))).toEqual(bytesOf(signature));
  });

  test("a signature that the public key does not verify never leaves", async () => {
    const { publicKey: foreign } = await sealedKey();
    const signer = await signerOf(foreign);
    await expect(signer.sign(bytesOf(message))).rejects.toThrow("did not verify");
  });
});
