import { bcs } from "@mysten/sui/bcs";
import type { Signer } from "@mysten/sui/cryptography";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Secp256k1Keypair } from "@mysten/sui/keypairs/secp256k1";
import { Secp256r1Keypair } from "@mysten/sui/keypairs/secp256r1";
import { MultiSigPublicKey, MultiSigSigner } from "@mysten/sui/multisig";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_PACKAGE } from "./demo.ts";
import { fakePasskey } from "./fake-passkey.ts";
import { verifySignatures } from "./sui/signatures.ts";
import { decodeTransaction } from "./sui/transaction.ts";
import { signAll, startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const BUDGET = 10_000_000n;
/** The order of secp256r1 (FIPS 186-4). */
const SECP256R1_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const MULTISIG_FLAG = 0x03;
const PASSKEY_FLAG = 0x06;

/** Source: MystenLabs/sui-rust-sdk, crates/sui-crypto/src/passkey.rs (Apache-2.0). */
const BROWSER_PASSKEY = {
  transaction:
    "AAAAACdZawPnpJRjmVcwDu6xrIumtq5NLO+6GHbs0iGdCoD7AQ0T0TolicYERdSvyCRjSSduDZLbSpBsZBoib+lF48EBcgAAAAAAAAAgpQr/Mudl9BdzyBdkbqTlqBw4/aJ21kAD/jpJKa05im4nWWsD56SUY5lXMA7usayLprauTSzvuhh27NIhnQqA++gDAAAAAAAAgIQeAAAAAAAA",
  signature:
    "BiVJlg3liA6MaHQ0Fw9kdmBbj+SuuaKGMseZXPO6gx2XYx0AAAAAhgF7InR5cGUiOiJ3ZWJhdXRobi5nZXQiLCJjaGFsbGVuZ2UiOiJXellBZmVvbHcweU15bEFheDRvbzNjVC1rdEVaM0xmenZXcURqakxKZVRvIiwib3JpZ2luIjoiaHR0cDovL2xvY2FsaG9zdDo1MTczIiwiY3Jvc3NPcmlnaW4iOmZhbHNlfWICfOgpQ38QYao9Gj0/bqmWYNkuxvbuN3lz4uzFcXeVMEVivX41eC9H+tk+UnvUvKzThtf+uMLFzerU0zZLi8le4QJJsAUcyjsP/1UPAesax8UOC14M62FjAqtqaR46wR7jCg==",
};

/** Weights 1, 2 and 3 of 4: the last needs one of the two others, which do not do by themselves. */
function mixedCommittee() {
  const [k1, r1, ed25519] = [new Secp256k1Keypair(), new Secp256r1Keypair(), new Ed25519Keypair()];
  const committee = MultiSigPublicKey.fromPublicKeys({
    threshold: 4,
    publicKeys: [
      { publicKey: k1.getPublicKey(), weight: 1 },
      { publicKey: r1.getPublicKey(), weight: 2 },
      { publicKey: ed25519.getPublicKey(), weight: 3 },
    ],
  });
  return { committee, k1, r1, ed25519 };
}

function mixedMultisig(): Signer {
  const { committee, k1, r1, ed25519 } = mixedCommittee();
  return new MultiSigSigner(committee, [k1, r1, ed25519]);
}

const SCHEMES: readonly [string, () => Signer][] = [
  ["Ed25519", () => new Ed25519Keypair()],
  ["secp256k1", () => new Secp256k1Keypair()],
  ["secp256r1", () => new Secp256r1Keypair()],
  ["passkey", () => fakePasskey()],
  ["multisig of three schemes", mixedMultisig],
];

let chain: TestChain;

beforeEach(async () => {
  chain = await startChain();
});

async function coinOf(owner: string) {
  const coin = (await chain.client.listCoins({ owner })).objects[0];
  if (coin === undefined) throw new Error("no coin");
  return { objectId: coin.objectId, version: coin.version, digest: coin.digest };
}

/** A transaction of the user that the sponsor, who is given a coin for it, pays for. */
async function transactionOf(user: string, sponsor = user): Promise<Uint8Array> {
  await chain.fund(sponsor, SUI);
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
  transaction.setSender(user);
  transaction.setGasOwner(sponsor);
  transaction.setGasPayment([await coinOf(sponsor)]);
  transaction.setGasPrice(1_000n);
  transaction.setGasBudget(BUDGET);
  transaction.setExpiration({ None: true });
  return transaction.build();
}

const submit = (transaction: Uint8Array, signatures: string[]) =>
  chain.client.executeTransaction({ transaction, signatures });

async function expectRefusal(attempt: Promise<unknown>, message: string): Promise<void> {
  await expect(attempt).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(message) });
}

describe.each(SCHEMES)("%s", (_name, create) => {
  test("pays for its own transaction, and the chain shows the signature as it was given", async () => {
    const signer = create();
    const bytes = await transactionOf(signer.toSuiAddress());
    const signatures = await signAll(bytes, signer);
    const executed = await submit(bytes, signatures);
    expect(executed.Transaction?.signatures).toEqual(signatures);
    const found = await chain.client.getTransaction({ digest: executed.Transaction?.digest ?? "" });
    expect(found.Transaction?.signatures).toEqual(signatures);
  });

  test("serves as user and as sponsor beside another scheme, in either order", async () => {
    const other = new Ed25519Keypair();
    for (const [user, sponsor] of [
      [create(), other],
      [other, create()],
    ] as const) {
      for (const signers of [
        [user, sponsor],
        [sponsor, user],
      ]) {
        const bytes = await transactionOf(user.toSuiAddress(), sponsor.toSuiAddress());
        expect((await submit(bytes, await signAll(bytes, ...signers))).$kind).toBe("Transaction");
      }
    }
  });

  test("is refused when any byte of it is altered, and over any other transaction", async () => {
    const signer = create();
    const address = signer.toSuiAddress();
    const bytes = await transactionOf(address);
    const signers = new Set([address]);
    const signature = fromBase64((await signer.signTransaction(bytes)).signature);
    await expect(verifySignatures(bytes, [signature], signers)).resolves.toBeUndefined();

    const believed: number[] = [];
    for (let index = 0; index < signature.length; index++) {
      const altered = Uint8Array.from(signature, (byte, at) => (at === index ? byte ^ 1 : byte));
      await verifySignatures(bytes, [altered], signers).then(
        () => believed.push(index),
        (error: unknown) => expect(error).toMatchObject({ code: 3 }),
      );
    }
    expect(believed).toEqual([]);

    const other = Uint8Array.from(bytes, (byte, at) => (at === 5 ? byte ^ 1 : byte));
    await expect(verifySignatures(other, [signature], signers)).rejects.toMatchObject({ code: 3 });
  });

  test("is refused with a byte more or less, and nothing is executed", async () => {
    const signer = create();
    const bytes = await transactionOf(signer.toSuiAddress());
    const [signature] = await signAll(bytes, signer);
    const raw = fromBase64(signature ?? "");
    await expectRefusal(submit(bytes, [toBase64(new Uint8Array([...raw, 0]))]), "invalid signature: ");
    await expectRefusal(submit(bytes, [toBase64(raw.slice(0, -1))]), "invalid signature: ");
    const { balance } = await chain.client.getBalance({ owner: signer.toSuiAddress() });
    expect(balance.balance).toBe(String(SUI));
  });
});

describe("which signatures", () => {
  test("each distinct signer signs exactly once, whatever the schemes", async () => {
    const [user, sponsor] = [new Secp256k1Keypair(), fakePasskey()];
    const bytes = await transactionOf(user.toSuiAddress(), sponsor.toSuiAddress());
    const [byUser = "", bySponsor = ""] = await signAll(bytes, user, sponsor);
    const [byStranger = ""] = await signAll(bytes, new Secp256r1Keypair());
    await expectRefusal(submit(bytes, []), "Invalid user signature: Expect 2 signer signatures but got 0");
    await expectRefusal(submit(bytes, [byUser]), "Expect 2 signer signatures but got 1");
    await expectRefusal(submit(bytes, [byUser, bySponsor, bySponsor]), "Expect 2 signer signatures but got 3");
    await expectRefusal(submit(bytes, [byUser, byUser]), `Required Signature from ${sponsor.toSuiAddress()} is absent`);
    await expectRefusal(submit(bytes, [byUser, byStranger]), "Invalid user signature: Required Signature from");
    expect((await submit(bytes, [bySponsor, byUser])).$kind).toBe("Transaction");
  });

  test("one key is another account in each scheme", async () => {
    const key = new Secp256r1Keypair();
    const passkey = fakePasskey(undefined, key);
    const bytes = await transactionOf(passkey.toSuiAddress());
    await expectRefusal(submit(bytes, await signAll(bytes, key)), "Required Signature from");
    expect((await submit(bytes, await signAll(bytes, passkey))).$kind).toBe("Transaction");
  });

  test("zkLogin, BLS and unknown schemes are refused in the node's words", async () => {
    const user = new Ed25519Keypair();
    const bytes = await transactionOf(user.toSuiAddress());
    const [signature = ""] = await signAll(bytes, user);
    const flagged = (flag: number) => toBase64(new Uint8Array([flag, ...fromBase64(signature).slice(1)]));
    await expectRefusal(
      submit(bytes, [flagged(5)]),
      "Feature is not supported: zklogin is not enabled on this network",
    );
    await expectRefusal(submit(bytes, [flagged(4)]), "bls not supported for user signatures");
    await expectRefusal(submit(bytes, [flagged(7)]), "invalid signature scheme: 07");
    await expectRefusal(submit(bytes, [""]), "invalid signature: ");
  });

  test("a transaction that is final is not answered for other signatures than its own", async () => {
    const { committee, k1, r1, ed25519 } = mixedCommittee();
    const bytes = await transactionOf(committee.toSuiAddress());
    const [byTwo = ""] = await signAll(bytes, new MultiSigSigner(committee, [k1, ed25519]));
    const [byOthers = ""] = await signAll(bytes, new MultiSigSigner(committee, [r1, ed25519]));
    const first = await submit(bytes, [byTwo]);
    await expect(submit(bytes, [byOthers])).rejects.toMatchObject({
      code: "ABORTED",
      message: "The transaction is already finalized but with different user signatures",
    });
    expect((await submit(bytes, [byTwo])).Transaction?.digest).toBe(first.Transaction?.digest);
  });

  test("the high S that a secp256r1 signature also verifies with is refused", async () => {
    const user = new Secp256r1Keypair();
    const bytes = await transactionOf(user.toSuiAddress());
    const signature = fromBase64((await user.signTransaction(bytes)).signature);
    const s = BigInt(`0x${Buffer.from(signature.slice(33, 65)).toString("hex")}`);
    const high = Uint8Array.from(signature);
    high.set(Buffer.from((SECP256R1_ORDER - s).toString(16).padStart(64, "0"), "hex"), 33);
    await expectRefusal(submit(bytes, [toBase64(high)]), "Fail to verify user sig");
    expect((await submit(bytes, [toBase64(signature)])).$kind).toBe("Transaction");
  });
});

describe("multisig", () => {
  test("needs the threshold's weight, from whichever keys", async () => {
    const { committee, k1, r1, ed25519 } = mixedCommittee();
    for (const signers of [
      [k1, ed25519],
      [ed25519, r1],
      [k1, r1, ed25519],
    ] as const) {
      const bytes = await transactionOf(committee.toSuiAddress());
      // Put together without the SDK's signer, which would itself refuse too little weight.
      const combined = committee.combinePartialSignatures(await signAll(bytes, ...inOrder(signers)));
      expect((await submit(bytes, [combined])).$kind).toBe("Transaction");
    }
    const bytes = await transactionOf(committee.toSuiAddress());
    const tooLight = committee.combinePartialSignatures(await signAll(bytes, k1, r1));
    await expectRefusal(submit(bytes, [tooLight]), "Signature is not valid: Insufficient weight=3 threshold=4");

    function inOrder(signers: readonly Signer[]) {
      return [k1, r1, ed25519].filter((signer) => signers.includes(signer));
    }
  });

  test("takes a bitmap that names the keys of its signatures and no other", async () => {
    const { committee, k1, ed25519 } = mixedCommittee();
    const bytes = await transactionOf(committee.toSuiAddress());
    const multisig = await multisigOf(bytes, committee, [k1, ed25519]);
    expect(multisig.bitmap).toBe(0b101);
    const withBitmap = (bitmap: number) => submit(bytes, [serialize({ ...multisig, bitmap })]);
    await expectRefusal(withBitmap(0b011), "Signature is not valid: Invalid sig for pk=");
    await expectRefusal(withBitmap(0b111), "Signature is not valid: ");
    await expectRefusal(withBitmap(0b001), "Signature is not valid: ");
    await expectRefusal(withBitmap(0b1001), "Signature is not valid: Invalid public keys index");
    await expectRefusal(withBitmap(0b10000000001), "Signature is not valid: Invalid bitmap");
    expect((await withBitmap(0b101)).$kind).toBe("Transaction");
  });

  test("takes ten keys and not eleven, no weight of zero, no key twice and no threshold out of reach", async () => {
    const keys = Array.from({ length: 11 }, () => new Ed25519Keypair());
    const committeeOf = (signers: Ed25519Keypair[], threshold: number, weight = 1) => ({
      pk_map: signers.map((signer) => ({ pubKey: { ED25519: signer.getPublicKey().toRawBytes() }, weight })),
      threshold,
    });
    const ten = MultiSigPublicKey.fromPublicKeys({
      threshold: 10,
      publicKeys: keys.slice(0, 10).map((key) => ({ publicKey: key.getPublicKey(), weight: 1 })),
    });
    const bytes = await transactionOf(ten.toSuiAddress());
    const multisig = await multisigOf(bytes, ten, keys.slice(0, 10));
    const [first, second] = keys;
    if (first === undefined || second === undefined) throw new Error("no keys");
    for (const multisig_pk of [
      committeeOf(keys, 10),
      committeeOf([first, first], 1),
      committeeOf([first, second], 3),
      committeeOf([first, second], 0),
      committeeOf([first, second], 1, 0),
      committeeOf([], 1),
    ]) {
      await expectRefusal(submit(bytes, [serialize({ ...multisig, multisig_pk })]), "invalid MultisigCommittee");
    }
    expect((await submit(bytes, [serialize(multisig)])).$kind).toBe("Transaction");
  });

  test("takes a passkey as member, and no zkLogin", async () => {
    const [passkey, k1] = [fakePasskey(), new Secp256k1Keypair()];
    const committee = MultiSigPublicKey.fromPublicKeys({
      threshold: 2,
      publicKeys: [
        { publicKey: passkey.getPublicKey(), weight: 1 },
        { publicKey: k1.getPublicKey(), weight: 1 },
      ],
    });
    const bytes = await transactionOf(committee.toSuiAddress());
    const multisig = await multisigOf(bytes, committee, [passkey, k1]);
    const withZkLogin = serialize({
      ...multisig,
      sigs: [{ ZkLogin: new Uint8Array([5, 1]) }, ...multisig.sigs.slice(1)],
    });
    await expectRefusal(
      submit(bytes, [withZkLogin]),
      "Signature is not valid: zkLogin sig not supported inside multisig",
    );
    const [byOther = ""] = await signAll(bytes, fakePasskey());
    const withOther = serialize({ ...multisig, sigs: [{ Passkey: fromBase64(byOther) }, ...multisig.sigs.slice(1)] });
    await expectRefusal(submit(bytes, [withOther]), "Signature is not valid: Invalid sig for pk=");
    const executed = await submit(bytes, [serialize(multisig)]);
    const { response } = await chain.client.ledgerService.getTransaction({
      digest: executed.Transaction?.digest ?? "",
      readMask: { paths: ["signatures"] },
    });
    expect(response.transaction?.signatures[0]?.signature).toMatchObject({
      oneofKind: "multisig",
      multisig: { bitmap: 0b11, committee: { threshold: 2 }, signatures: [{ passkey: {} }, { scheme: 1 }] },
    });
  });
});

describe("passkey", () => {
  const clientData = (change: object) => (challenge: string) =>
    JSON.stringify({ type: "webauthn.get", challenge, origin: "http://wallet.test", ...change });

  test.each([
    ["made to register", clientData({ type: "webauthn.create" }), "invalid client data json"],
    ["without an origin", clientData({ origin: undefined }), "invalid client data json"],
    ["of another challenge", clientData({ challenge: "AAAA" }), "Signature is not valid: Invalid challenge"],
    [
      "with a padded challenge",
      (challenge: string) => clientData({ challenge: `${challenge}=` })(challenge),
      "invalid client data json",
    ],
    ["that is no JSON", (challenge: string) => `webauthn.get ${challenge}`, "invalid client data json"],
  ])("client data %s are refused though they are signed", async (_what, clientDataOf, message) => {
    const signer = fakePasskey(clientDataOf);
    const bytes = await transactionOf(signer.toSuiAddress());
    await expectRefusal(submit(bytes, await signAll(bytes, signer)), message);
  });

  test("a browser's real signature is accepted for its transaction and for no other", async () => {
    const bytes = fromBase64(BROWSER_PASSKEY.transaction);
    const signatures = [fromBase64(BROWSER_PASSKEY.signature)];
    const { sender } = decodeTransaction(bytes);
    await expect(verifySignatures(bytes, signatures, new Set([sender]))).resolves.toBeUndefined();
    const other = Uint8Array.from(bytes, (byte, at) => (at === bytes.length - 2 ? byte ^ 1 : byte));
    await expect(verifySignatures(other, signatures, new Set([sender]))).rejects.toThrow("Invalid challenge");
  });

  test("other authenticator data and another key's signature are refused", async () => {
    const signer = fakePasskey();
    const bytes = await transactionOf(signer.toSuiAddress());
    const [signature = ""] = await signAll(bytes, signer);
    const passkey = bcs.PasskeyAuthenticator.parse(fromBase64(signature).slice(1));
    const assembled = (change: object) =>
      toBase64(
        new Uint8Array([PASSKEY_FLAG, ...bcs.PasskeyAuthenticator.serialize({ ...passkey, ...change }).toBytes()]),
      );
    await expectRefusal(
      submit(bytes, [assembled({ authenticatorData: new Uint8Array(37) })]),
      "Signature is not valid: Fails to verify",
    );
    const k1 = Uint8Array.from(passkey.userSignature);
    k1[0] = 1;
    await expectRefusal(submit(bytes, [assembled({ userSignature: k1 })]), "expected passkey with secp256r1 signature");
    expect((await submit(bytes, [assembled({})])).$kind).toBe("Transaction");
  });
});

type MultisigInput = typeof bcs.MultiSig.$inferInput;

async function multisigOf(bytes: Uint8Array, committee: MultiSigPublicKey, signers: Signer[]) {
  const combined = committee.combinePartialSignatures(await signAll(bytes, ...signers));
  return bcs.MultiSig.parse(fromBase64(combined).slice(1));
}

function serialize(multisig: MultisigInput): string {
  return toBase64(new Uint8Array([MULTISIG_FLAG, ...bcs.MultiSig.serialize(multisig).toBytes()]));
}
