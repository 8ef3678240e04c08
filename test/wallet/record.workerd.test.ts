import { describe, expect, test } from "vitest";
import { equalBytes, toHex, utf8 } from "../../shared/bytes.ts";
import { plainMasterKeys } from "../../shared/crypto/master-keys.ts";
import { BAD_SESSION_TOKEN, rpcErrorOf } from "../../shared/errors.ts";
import { isWalletId, type WalletRef, walletContext } from "../../shared/wallet/context.ts";
import type { DerivedSecret } from "../../shared/wallet/derivation.ts";
import { INNER_LAYER_BYTES, openInner } from "../../shared/wallet/inner-layer.ts";
import {
  createWallet,
  openRecord,
  openWallet,
  resealWallet,
  type StoredWallet,
  sealWallet,
  WALLET_RECORD_BYTES,
} from "../../shared/wallet/record.ts";
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

const WALLET: WalletRef = { projectId: "prj_0000000000000000000a", chain: "sui", walletId: "user-42" };
const MESSAGE = utf8("a transaction");
const BEFORE_VERSION = 5;
const AFTER_VERSION = 7;

async function wallet(ref = WALLET, keys = masterKeys("1")) {
  const secret = randomSecret();
  return { secret, stored: await createWallet(ref, secret, keys, randomBytes) };
}

function opening(stored: StoredWallet, secret: DerivedSecret, ref = WALLET, keys = masterKeys("1")): Promise<string> {
  return endOf(openWallet(stored, ref, secret, keys));
}

function without(stored: StoredWallet, ref = WALLET, keys = masterKeys("1")): Promise<string> {
  return endOf(openRecord(stored, ref, keys));
}

async function verifies(publicKey: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, MESSAGE);
}

describe("a wallet record", () => {
  test("opens with its secret, and signs what its public key verifies", async () => {
    const { secret, stored } = await wallet();
    expect(stored.record).toHaveLength(WALLET_RECORD_BYTES);
    const signer = expectDone(await openWallet(stored, WALLET, secret, masterKeys("1")));
    expect(signer.publicKey).toEqual(stored.publicKey);
    expect(await verifies(stored.publicKey, await signer.sign(MESSAGE))).toBe(true);
  });

  test("opens for any other secret as wrong_secret, which is neither a bad token nor a fault", async () => {
    const { stored } = await wallet();
    const refused = await openWallet(stored, WALLET, randomSecret(), masterKeys("1"));
    if (refused.ok) throw new Error("it opened");
    const { code, data } = rpcErrorOf(refused.error);
    expect({ code, reason: data.reason }).toEqual({ code: -32602, reason: "wrong_secret" });
    expect(JSON.stringify(data)).not.toContain(BAD_SESSION_TOKEN);
  });

  test("with any byte altered is a corrupt record, an internal error, also for the right secret", async () => {
    const { secret, stored } = await wallet();
    for (const { at, altered } of alterations(stored.record)) {
      const record = { ...stored, record: altered };
      const expected = at >= BEFORE_VERSION && at < AFTER_VERSION ? "UnopenableSealError" : "corrupt_record";
      expect(await opening(record, secret), `byte ${at}`).toBe(expected);
      expect(await without(record), `byte ${at}`).toBe(expected);
    }
    const refused = await openRecord({ ...stored, record: stored.record.toReversed() }, WALLET, masterKeys("1"));
    if (refused.ok) throw new Error("it opened");
    expect(rpcErrorOf(refused.error)).toMatchObject({ code: -32603, data: { reason: "corrupt_record" } });
  });

  test("cut short or prolonged is corrupt", async () => {
    const { secret, stored } = await wallet();
    for (let length = 0; length < WALLET_RECORD_BYTES; length += 1)
      expect(await opening({ ...stored, record: stored.record.slice(0, length) }, secret)).toBe("corrupt_record");
    expect(await opening({ ...stored, record: Uint8Array.of(...stored.record, 0) }, secret)).toBe("corrupt_record");
  });

  test("opens for its own wallet id, chain and project only, with or without the secret", async () => {
    const { secret, stored } = await wallet();
    const others: readonly Partial<WalletRef>[] = [
      { walletId: "user-43" },
      { walletId: "User-42" },
      { walletId: "user-42 " },
      { chain: "aptos" },
      { projectId: "prj_0000000000000000000b" },
      { projectId: "prj_0000000000000000000", walletId: "auser-42" },
    ];
    for (const other of others) {
      const ref = { ...WALLET, ...other };
      expect(await opening(stored, secret, ref), JSON.stringify(other)).toBe("corrupt_record");
      expect(await without(stored, ref), JSON.stringify(other)).toBe("corrupt_record");
    }
  });

  test("does not open in the place of another wallet of the same secret, nor under another public key", async () => {
    const secret = randomSecret();
    const other = { ...WALLET, walletId: "user-43" };
    const mine = await createWallet(WALLET, secret, masterKeys("1"), randomBytes);
    const theirs = await createWallet(other, secret, masterKeys("1"), randomBytes);
    expect(await opening(theirs, secret, other)).toBe("done");
    expect(await opening(theirs, secret)).toBe("corrupt_record");
    expect(await opening({ ...mine, publicKey: theirs.publicKey }, secret)).toBe("corrupt_record");
    expect(await without({ ...mine, publicKey: theirs.publicKey })).toBe("corrupt_record");
  });

  test("that has opened still opens for its own wallet, public key and master keys only", async () => {
    const keys = masterKeys("1");
    const { secret, stored } = await wallet(WALLET, keys);
    expect(await opening(stored, secret, WALLET, keys)).toBe("done");
    expect(await without(stored, { ...WALLET }, keys)).toBe("done");
    for (const other of [
      { projectId: "prj_0000000000000000000b" },
      { chain: "aptos" },
      { walletId: "user-43" },
    ] as const)
      expect(await without(stored, { ...WALLET, ...other }, keys)).toBe("corrupt_record");
    expect(await without({ ...stored, publicKey: randomBytes(32) }, WALLET, keys)).toBe("corrupt_record");
    expect(
      await without(stored, WALLET, plainMasterKeys({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) })),
    ).toBe("corrupt_record");
    expect(await opening(stored, randomSecret(), WALLET, keys)).toBe("wrong_secret");
  });

  test("needs the very master key: a missing version is a fault that names it, another key of the version is not enough", async () => {
    const { secret, stored } = await wallet();
    await expect(openWallet(stored, WALLET, secret, masterKeys("2"))).rejects.toThrow(
      "master key version 1 is not configured",
    );
    expect(await without(stored, WALLET, masterKeys("2"))).toBe("UnopenableSealError");
    const imitation = plainMasterKeys({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) });
    expect(await opening(stored, secret, WALLET, imitation)).toBe("corrupt_record");
  });

  test("of one version that claims the other does not open", async () => {
    const { secret, stored } = await wallet();
    const record = Uint8Array.from(stored.record);
    record[AFTER_VERSION - 1] = 2;
    expect(await opening({ ...stored, record }, secret, WALLET, masterKeys("1", "2"))).toBe("corrupt_record");
  });

  test("is another one each time", async () => {
    const secret = randomSecret();
    const [first, second] = await Promise.all(
      [1, 2].map(() => createWallet(WALLET, secret, masterKeys("1"), randomBytes)),
    );
    expect(first?.publicKey).not.toEqual(second?.publicKey);
    expect(first?.record.slice(AFTER_VERSION)).not.toEqual(second?.record.slice(AFTER_VERSION));
  });

  test("is not made of halves that do not belong together", async () => {
    const [one, two] = ed25519Cases;
    if (one === undefined || two === undefined) throw new Error("no cases");
    const pair = await keyPairOf({ secret: one.secret, publicKey: two.publicKey });
    await expect(sealWallet(pair, WALLET, randomSecret(), masterKeys("1"), randomBytes)).rejects.toThrow(
      "did not verify",
    );
  });
});

describe("the inner layer", () => {
  async function innerOf() {
    const { secret, stored } = await wallet();
    const { inner, salt } = expectDone(await openRecord(stored, WALLET, masterKeys("1")));
    return { secret, inner, binding: { context: walletContext(WALLET), salt, publicKey: stored.publicKey } };
  }

  test("gives a private key that nothing gets out of WebCrypto", async () => {
    const { secret, inner, binding } = await innerOf();
    const key = expectDone(await openInner(inner, secret, binding, "sign"));
    expect(key.extractable).toBe(false);
    expect(key.usages).toEqual(["sign"]);
    for (const format of ["pkcs8", "jwk", "raw"]) await expect(crypto.subtle.exportKey(format, key)).rejects.toThrow();
    const aes = { name: "AES-GCM", length: 256 };
    const wrapper = await crypto.subtle.generateKey(aes, true, ["wrapKey"]);
    if (!(wrapper instanceof CryptoKey)) throw new Error("no key");
    const wrapping = { name: "AES-GCM", iv: randomBytes(12) };
    await expect(crypto.subtle.wrapKey("pkcs8", key, wrapper, wrapping)).rejects.toThrow();
  });

  test("with any byte altered is refused, even for one who has the master key", async () => {
    const { secret, inner, binding } = await innerOf();
    expect(inner).toHaveLength(INNER_LAYER_BYTES);
    for (const { at, altered } of alterations(inner)) {
      const expected = at >= 1 && at <= 32 ? "wrong_secret" : "corrupt_record";
      expect(await endOf(openInner(altered, secret, binding, "sign")), `byte ${at}`).toBe(expected);
    }
  });

  test("is bound to wallet, salt, public key and derivation by itself", async () => {
    const { secret, inner, binding } = await innerOf();
    const end = (changed: object) => endOf(openInner(inner, secret, { ...binding, ...changed }, "sign"));
    expect(await end({})).toBe("done");
    expect(await end({ context: walletContext({ ...WALLET, chain: "aptos" }) })).toBe("wrong_secret");
    expect(await end({ salt: randomBytes(32) })).toBe("wrong_secret");
    expect(await end({ publicKey: randomBytes(32) })).toBe("corrupt_record");
    expect(await endOf(openInner(inner, { ...secret, derivation: "scrypt" }, binding, "sign"))).toBe("corrupt_record");
  });
});

describe("re-sealing", () => {
  test("moves a record to the current master key without any secret, and the old key can go", async () => {
    const { secret, stored } = await wallet();
    const before = expectDone(await openRecord(stored, WALLET, masterKeys("1")));
    const record = expectDone(await resealWallet(stored, WALLET, masterKeys("1", "2"), randomBytes));
    const resealed = { ...stored, record };
    const after = expectDone(await openRecord(resealed, WALLET, masterKeys("2")));
    expect(after).toEqual({ ...before, masterKeyVersion: 2 });
    expect(await opening(resealed, secret, WALLET, masterKeys("2"))).toBe("done");
    expect(await opening(resealed, randomSecret(), WALLET, masterKeys("2"))).toBe("wrong_secret");
    expect(await opening(resealed, secret)).toBe("UnopenableSealError");
    expect(await opening(stored, secret, WALLET, masterKeys("1", "2"))).toBe("done");
  });

  test("leaves a record under the current master key as it is", async () => {
    const { stored } = await wallet();
    const record = expectDone(await resealWallet(stored, WALLET, masterKeys("1"), randomBytes));
    expect(equalBytes(record, stored.record)).toBe(true);
  });

  test("never turns a corrupt record, or one of another wallet, into a good one", async () => {
    const { stored } = await wallet();
    const reseal = (changed: StoredWallet, ref = WALLET) =>
      endOf(resealWallet(changed, ref, masterKeys("1", "2"), randomBytes));
    for (const { at, altered } of alterations(stored.record).filter(({ at }) => at % 8 === 7))
      expect(await reseal({ ...stored, record: altered }), `byte ${at}`).toBe("corrupt_record");
    expect(await reseal(stored, { ...WALLET, walletId: "user-43" })).toBe("corrupt_record");
    expect(await endOf(resealWallet(stored, WALLET, masterKeys("2"), randomBytes))).toBe("UnopenableSealError");
  });
});

describe.each(ed25519Cases)("RFC 8032 $name", ({ secret, publicKey, message, signature }) => {
  test("is what a wallet of this key signs", async () => {
    const derived = randomSecret();
    const stored = await sealWallet(
      await keyPairOf({ secret, publicKey }),
      WALLET,
      derived,
      masterKeys("1"),
      randomBytes,
    );
    const signer = expectDone(await openWallet(stored, WALLET, derived, masterKeys("1")));
    expect(toHex(await signer.sign(bytesOf(message)))).toBe(signature);
  });
});

describe("a wallet id", () => {
  test("has 1 to 256 bytes of well-formed UTF-8", () => {
    for (const good of ["a", " ", "\0", "x".repeat(256), "é".repeat(128), "🔑".repeat(64)])
      expect(isWalletId(good), good).toBe(true);
    for (const bad of ["", "x".repeat(257), "é".repeat(129), "🔑".repeat(64).concat("x"), "\ud83d", "a\udd11"])
      expect(isWalletId(bad), bad).toBe(false);
    expect(() => walletContext({ ...WALLET, walletId: "\ud83d" })).toThrow(RangeError);
  });

  test("is not normalised: what only looks the same is another wallet", () => {
    const contexts = ["é", "e\u0301", "É"].map((walletId) => toHex(walletContext({ ...WALLET, walletId })));
    expect(new Set(contexts).size).toBe(3);
  });
});
