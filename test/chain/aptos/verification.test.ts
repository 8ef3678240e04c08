import {
  AbstractedAccount,
  Account,
  AccountAddress,
  type AccountAuthenticator,
  AccountAuthenticatorMultiEd25519,
  AccountAuthenticatorMultiKey,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  ChainId,
  DerivableAbstractedAccount,
  Ed25519PrivateKey,
  Ed25519Signature,
  EntryFunction,
  KeylessPublicKey,
  MultiEd25519Account,
  MultiEd25519PublicKey,
  MultiEd25519Signature,
  MultiKey,
  MultiKeyAccount,
  MultiKeySignature,
  RawTransaction,
  Secp256k1Signature,
  SigningSchemeInput,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { describe, expect, test } from "vitest";
import { isLeftToNode, verifyCoSignatures } from "../../../shared/chain/aptos/fee-payer.ts";

const PAYER = `0x${"a1".repeat(32)}`;
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const legacy = Account.generate();
const single = Account.generate({ scheme: SigningSchemeInput.Ed25519, legacy: false });
const secp256k1 = Account.generate({ scheme: SigningSchemeInput.Secp256k1Ecdsa });
const seeds = [Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()] as const;
const ofSeeds = new MultiEd25519PublicKey({ publicKeys: seeds.map((seed) => seed.publicKey()), threshold: 2 });
const multiEd25519 = new MultiEd25519Account({ publicKey: ofSeeds, signers: [seeds[0], seeds[2]] });
const keyless = new AnyPublicKey(new KeylessPublicKey("https://issuer.test", new Uint8Array(32)));
const mixedKey = new MultiKey({
  publicKeys: [single.publicKey, secp256k1.publicKey, new AnyPublicKey(legacy.publicKey)],
  signaturesRequired: 2,
});
const mixed = new MultiKeyAccount({ multiKey: mixedKey, signers: [secp256k1, legacy] });

const raw = new RawTransaction(
  AccountAddress.ONE,
  0n,
  new TransactionPayloadEntryFunction(EntryFunction.build("0x1::aptos_account", "batch_transfer", [], [])),
  10_000n,
  100n,
  1_900_000_000n,
  new ChainId(4),
);
const sponsored = { rawTransaction: raw.bcsToBytes(), secondaryAddresses: [] as string[], feePayer: PAYER };

function signatureOf(account: Account, payer = PAYER): Uint8Array {
  const transaction = new SimpleTransaction(raw, AccountAddress.from(payer));
  return account.signTransactionWithAuthenticator(transaction).bcsToBytes();
}

/** Null: not refused. */
async function refusedWith(sender: Uint8Array | AccountAuthenticator): Promise<string | null> {
  const bytes = sender instanceof Uint8Array ? sender : sender.bcsToBytes();
  const refused = await verifyCoSignatures(sponsored, { sender: bytes, secondary: [] });
  return refused === null || refused.ok ? null : refused.error.reason;
}

const accounts = { legacy, single, secp256k1, multiEd25519, mixed } as Record<string, Account>;

describe.each(Object.entries(accounts))("a sender's %s account", (_, account) => {
  test.each([PAYER, "0x0"])("is proved by its signature over fee payer %s, and by nothing else", async (payer) => {
    const signature = signatureOf(account, payer);
    expect(await refusedWith(signature)).toBe(null);
    expect(isLeftToNode(signature)).toBe(false);
    expect(await refusedWith(signatureOf(account, "0x2"))).toBe("bad_signature");
  });

  test("is not proved by a signature of which any byte differs", async () => {
    const signature = signatureOf(account);
    const message = signatureOf(account, "0x2");
    const differing = [...signature.keys()].filter((index) => signature[index] !== message[index]);
    for (const index of [differing[0], differing.at(-1)]) {
      if (index === undefined) throw new Error("two signatures are the same");
      const garbled = Uint8Array.from(signature);
      garbled[index] = (garbled[index] ?? 0) ^ 1;
      expect(await refusedWith(garbled)).toBe("bad_signature");
    }
  });
});

describe("refused as the chain refuses it:", () => {
  const over = (account: Account) => account.signTransaction(new SimpleTransaction(raw, AccountAddress.from(PAYER)));
  const zeros = new Ed25519Signature(new Uint8Array(64));

  test("fewer signatures than an account demands, and a signature of a key that it has not", async () => {
    const bySeed = (index: 0 | 1 | 2) => over(Account.fromPrivateKey({ privateKey: seeds[index] })) as Ed25519Signature;
    const multi = (bits: number[], signatures: Ed25519Signature[]) =>
      new AccountAuthenticatorMultiEd25519(ofSeeds, new MultiEd25519Signature({ signatures, bitmap: bits }));
    expect(await refusedWith(multi([0, 1], [bySeed(0), bySeed(1)]))).toBe(null);
    expect(await refusedWith(multi([0, 2], [bySeed(0), bySeed(1)]))).toBe("bad_signature");
    expect(await refusedWith(multi([0], [bySeed(0)]))).toBe("bad_signature");
    expect(await refusedWith(multi([0, 3], [bySeed(0), bySeed(1)]))).toBe("bad_signature");
    const one = new MultiKeySignature({ signatures: [over(secp256k1) as AnySignature], bitmap: [1] });
    expect(await refusedWith(new AccountAuthenticatorMultiKey(mixedKey, one))).toBe("bad_signature");
    const none = new MultiKeySignature({ signatures: [], bitmap: new Uint8Array(4) });
    expect(await refusedWith(new AccountAuthenticatorMultiKey(mixedKey, none))).toBe("bad_signature");
  });

  test("a secp256k1 signature with a high s, and one of another scheme than its key's", async () => {
    const signature = (over(secp256k1) as AnySignature).signature.toUint8Array();
    const low = BigInt(`0x${Buffer.from(signature.subarray(32)).toString("hex")}`);
    const high = Buffer.from((CURVE_ORDER - low).toString(16).padStart(64, "0"), "hex");
    const malleated = new Secp256k1Signature(Buffer.concat([signature.subarray(0, 32), high]));
    const by = (other: Secp256k1Signature | Ed25519Signature) =>
      new AccountAuthenticatorSingleKey(secp256k1.publicKey, new AnySignature(other));
    expect(await refusedWith(by(malleated))).toBe("bad_signature");
    expect(await refusedWith(by(zeros))).toBe("bad_signature");
  });

  test("more than 32 signatures of all signers together", async () => {
    const keys = Array.from({ length: 20 }, () => legacy.publicKey);
    const multiKey = new MultiKey({ publicKeys: keys, signaturesRequired: 1 });
    const many = new MultiKeySignature({
      signatures: keys.map(() => over(single) as AnySignature),
      bitmap: [...keys.keys()],
    });
    const bytes = new AccountAuthenticatorMultiKey(multiKey, many).bcsToBytes();
    const secondaryAddresses = [`0x${"b2".repeat(32)}`];
    const refused = await verifyCoSignatures(
      { ...sponsored, secondaryAddresses },
      { sender: bytes, secondary: [bytes] },
    );
    expect(refused).toMatchObject({ error: { details: expect.stringContaining("at most 32") } });
  });
});

test("a keyless signature is left to the node, and what is made up beside one is not", async () => {
  const zeros = new AnySignature(new Ed25519Signature(new Uint8Array(64)));
  const alone = new AccountAuthenticatorSingleKey(keyless, zeros);
  expect(await refusedWith(alone)).toBe(null);
  expect(isLeftToNode(alone.bcsToBytes())).toBe(true);
  const multiKey = new MultiKey({ publicKeys: [keyless, single.publicKey], signaturesRequired: 1 });
  const beside = new AccountAuthenticatorMultiKey(
    multiKey,
    new MultiKeySignature({ signatures: [zeros], bitmap: [1] }),
  );
  expect(await refusedWith(beside)).toBe("bad_signature");
  expect(isLeftToNode(beside.bcsToBytes())).toBe(true);
});

describe("the SDK's signature is left to the node", () => {
  const signer = () => new Uint8Array(64);
  const authenticationFunction = "0x1::auth::verify";

  test.each([
    [
      "an abstracted account",
      new AbstractedAccount({ signer, accountAddress: AccountAddress.TWO, authenticationFunction }),
    ],
    [
      "a derivable account",
      new DerivableAbstractedAccount({ signer, authenticationFunction, abstractPublicKey: new Uint8Array(32) }),
    ],
  ])("of %s", async (_, account) => {
    const sender = signatureOf(account);
    expect(await verifyCoSignatures(sponsored, { sender, secondary: [] })).toBeNull();
    expect(isLeftToNode(sender)).toBe(true);
  });
});

describe("of SLH-DSA, which the SDK does not know,", () => {
  const SLH_DSA_KEY = [5, 32, ...new Uint8Array(32)];
  const slhDsaSignature = [4, 0xb0, 0x3d, ...new Uint8Array(7_856)];
  const ed25519Signature = [0, 64, ...new Uint8Array(64)];
  const ed25519Key = [...new AnyPublicKey(legacy.publicKey).bcsToBytes()];

  test("a signature is left to the node, and one of another scheme is wrong", async () => {
    const refusedOf = (sender: Uint8Array) => verifyCoSignatures(sponsored, { sender, secondary: [] });
    const alone = Uint8Array.from([2, ...SLH_DSA_KEY, ...slhDsaSignature]);
    expect(await refusedOf(alone)).toBeNull();
    expect(isLeftToNode(alone)).toBe(true);
    for (const wrong of [
      [2, ...SLH_DSA_KEY, ...ed25519Signature],
      [2, ...ed25519Key, ...slhDsaSignature],
    ])
      expect(await refusedOf(Uint8Array.from(wrong))).toMatchObject({ error: { reason: "bad_signature" } });
  });

  test("signatures that are too long together for the chain are refused before they are decoded", async () => {
    const alone = Uint8Array.from([2, ...SLH_DSA_KEY, ...slhDsaSignature]);
    const refusedOf = (count: number) => {
      const secondaryAddresses = Array.from(
        { length: count },
        (_, index) => `0x${String(index + 1).padStart(64, "0")}`,
      );
      return verifyCoSignatures(
        { ...sponsored, secondaryAddresses },
        { sender: alone, secondary: secondaryAddresses.map(() => alone) },
      );
    };
    expect(await refusedOf(7)).toBeNull();
    const details = `the signatures have ${9 * alone.length} bytes: send at most 65536`;
    expect(await refusedOf(8)).toMatchObject({ error: { reason: "bad_signature", details } });
  });

  test("a key beside others leaves to the node what it signs, and not what the others sign", async () => {
    const bytes = (signature: number[], bitmap: number) =>
      Uint8Array.from([3, 2, ...ed25519Key, ...SLH_DSA_KEY, 1, 1, ...signature, 1, bitmap]);
    expect(isLeftToNode(bytes(slhDsaSignature, 0x40))).toBe(true);
    const byTheOther = bytes(ed25519Signature, 0x80);
    expect(isLeftToNode(byTheOther)).toBe(false);
    expect(await verifyCoSignatures(sponsored, { sender: byTheOther, secondary: [] })).toMatchObject({
      error: { reason: "bad_signature" },
    });
  });
});
