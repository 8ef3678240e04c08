import {
  AccountAuthenticatorEd25519,
  AccountAuthenticatorMultiEd25519,
  AccountAuthenticatorMultiKey,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  Ed25519PublicKey,
  Ed25519Signature,
  EphemeralCertificate,
  EphemeralCertificateVariant,
  EphemeralPublicKey,
  EphemeralSignature,
  FederatedKeylessPublicKey,
  Groth16Zkp,
  KeylessPublicKey,
  KeylessSignature,
  MultiEd25519PublicKey,
  MultiEd25519Signature,
  MultiKey,
  MultiKeySignature,
  type AccountAuthenticator as SdkAuthenticator,
  SignedTransaction as SdkSignedTransaction,
  Secp256k1PublicKey,
  Secp256k1Signature,
  Secp256r1PublicKey,
  TransactionAuthenticatorEd25519,
  TransactionAuthenticatorFeePayer,
  TransactionAuthenticatorMultiAgent,
  TransactionAuthenticatorMultiEd25519,
  TransactionAuthenticatorSingleSender,
  WebAuthnSignature,
  ZeroKnowledgeSig,
  ZkProof,
  ZkpVariant,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { concatBytes } from "../../../shared/bytes.ts";
import type { AccountAuthenticator } from "../../../shared/chain/aptos/authenticator.ts";
import type { SignedTransaction } from "../../../shared/chain/aptos/signed-transaction.ts";
import { anyAddress, anyTransaction, type Both, bytesOf, listOf, optional, someBytes } from "./generated.ts";

type Variant<Kind extends AccountAuthenticator["$kind"]> = Extract<AccountAuthenticator, { $kind: Kind }>;
type OurKey = Variant<"SingleKey">["SingleKey"]["publicKey"];
type OurSignature = Variant<"SingleKey">["SingleKey"]["signature"];

const BITMAP_BYTES = 4;

const ed25519 = fc.record({ publicKey: bytesOf(32), signature: bytesOf(64) }).map(({ publicKey, signature }) => ({
  ours: { publicKey, signature },
  sdk: { key: new Ed25519PublicKey(publicKey), signature: new Ed25519Signature(signature) },
}));

/** Which keys of so many sign, in ascending order, and the bitmap of them. */
const someOf = (keys: number, atLeast: number) =>
  fc.subarray([...Array(keys).keys()], { minLength: atLeast }).map((chosen) => {
    const bitmap = new Uint8Array(BITMAP_BYTES);
    for (const index of chosen) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (0x80 >> (index & 7));
    return { chosen, bitmap };
  });

const multiEd25519 = fc
  .array(bytesOf(32), { minLength: 2, maxLength: 32 })
  .chain((keys) => fc.tuple(fc.constant(keys), fc.integer({ min: 1, max: keys.length }), someOf(keys.length, 1)))
  .chain(([keys, threshold, { chosen, bitmap }]) =>
    fc.array(bytesOf(64), { minLength: chosen.length, maxLength: chosen.length }).map((signatures) => ({
      ours: {
        publicKeys: concatBytes(...keys, Uint8Array.of(threshold)),
        signatures: concatBytes(...signatures, bitmap),
      },
      sdk: {
        keys: new MultiEd25519PublicKey({ publicKeys: keys.map((key) => new Ed25519PublicKey(key)), threshold }),
        signature: new MultiEd25519Signature({
          signatures: signatures.map((signature) => new Ed25519Signature(signature)),
          bitmap,
        }),
      },
    })),
  );

const keylessKey = fc.record({ issuer: fc.string(), idCommitment: bytesOf(32) }).map(({ issuer, idCommitment }) => ({
  ours: { issuer, idCommitment },
  sdk: new KeylessPublicKey(issuer, idCommitment),
}));

const anyKey: fc.Arbitrary<Both<OurKey, AnyPublicKey>> = fc.oneof(
  bytesOf(32).map((key) => ({
    ours: { $kind: "Ed25519" as const, Ed25519: key },
    sdk: new AnyPublicKey(new Ed25519PublicKey(key)),
  })),
  bytesOf(65).map((key) => ({
    ours: { $kind: "Secp256k1Ecdsa" as const, Secp256k1Ecdsa: key },
    sdk: new AnyPublicKey(new Secp256k1PublicKey(key)),
  })),
  bytesOf(65).map((key) => ({
    ours: { $kind: "Secp256r1Ecdsa" as const, Secp256r1Ecdsa: key },
    sdk: new AnyPublicKey(new Secp256r1PublicKey(key)),
  })),
  keylessKey.map(({ ours, sdk }) => ({
    ours: { $kind: "Keyless" as const, Keyless: ours },
    sdk: new AnyPublicKey(sdk),
  })),
  fc.tuple(anyAddress, keylessKey).map(([jwk, key]) => ({
    ours: { $kind: "FederatedKeyless" as const, FederatedKeyless: { jwkAddress: jwk.ours, publicKey: key.ours } },
    sdk: new AnyPublicKey(new FederatedKeylessPublicKey(jwk.sdk, key.sdk)),
  })),
);

const ephemeralSignature = bytesOf(64).map((signature) => ({
  ours: { $kind: "Ed25519" as const, Ed25519: signature },
  sdk: new EphemeralSignature(new Ed25519Signature(signature)),
}));

const text = fc.string({ unit: "grapheme" }).map((value) => ({ ours: value, sdk: value }));
const seconds = fc.maxSafeNat();

const zeroKnowledge = fc
  .record({
    proof: fc.record({ a: bytesOf(32), b: bytesOf(64), c: bytesOf(32) }),
    horizon: seconds,
    extraField: optional(text),
    audience: optional(text),
    trainingWheels: optional(ephemeralSignature),
  })
  .map(({ proof, horizon, extraField, audience, trainingWheels }) => ({
    ours: {
      proof: { $kind: "Groth16" as const, Groth16: proof },
      expirationHorizonSeconds: BigInt(horizon),
      extraField: extraField.ours,
      overrideAudience: audience.ours,
      trainingWheelsSignature: trainingWheels.ours,
    },
    sdk: new ZeroKnowledgeSig({
      proof: new ZkProof(new Groth16Zkp(proof), ZkpVariant.Groth16),
      expHorizonSecs: horizon,
      ...(extraField.sdk === undefined ? {} : { extraField: extraField.sdk }),
      ...(audience.sdk === undefined ? {} : { overrideAudVal: audience.sdk }),
      ...(trainingWheels.sdk === undefined ? {} : { trainingWheelsSignature: trainingWheels.sdk }),
    }),
  }));

const keyless = fc
  .record({
    proof: zeroKnowledge,
    header: fc.string(),
    expiry: seconds,
    key: bytesOf(32),
    signature: ephemeralSignature,
  })
  .map(({ proof, header, expiry, key, signature }) => ({
    ours: {
      $kind: "Keyless" as const,
      Keyless: {
        certificate: { $kind: "ZeroKnowledgeSig" as const, ZeroKnowledgeSig: proof.ours },
        jwtHeaderJson: header,
        expirationSeconds: BigInt(expiry),
        ephemeralPublicKey: { $kind: "Ed25519" as const, Ed25519: key },
        ephemeralSignature: signature.ours,
      },
    },
    sdk: new AnySignature(
      new KeylessSignature({
        jwtHeader: header,
        ephemeralCertificate: new EphemeralCertificate(proof.sdk, EphemeralCertificateVariant.ZkProof),
        expiryDateSecs: expiry,
        ephemeralPublicKey: new EphemeralPublicKey(new Ed25519PublicKey(key)),
        ephemeralSignature: signature.sdk,
      }),
    ),
  }));

const anySignature: fc.Arbitrary<Both<OurSignature, AnySignature>> = fc.oneof(
  bytesOf(64).map((signature) => ({
    ours: { $kind: "Ed25519" as const, Ed25519: signature },
    sdk: new AnySignature(new Ed25519Signature(signature)),
  })),
  bytesOf(64).map((signature) => ({
    ours: { $kind: "Secp256k1Ecdsa" as const, Secp256k1Ecdsa: signature },
    sdk: new AnySignature(new Secp256k1Signature(signature)),
  })),
  fc.tuple(bytesOf(64), someBytes, someBytes).map(([signature, authenticatorData, clientDataJson]) => ({
    ours: {
      $kind: "WebAuthn" as const,
      WebAuthn: {
        signature: { $kind: "Secp256r1Ecdsa" as const, Secp256r1Ecdsa: signature },
        authenticatorData,
        clientDataJson,
      },
    },
    sdk: new AnySignature(new WebAuthnSignature(signature, authenticatorData, clientDataJson)),
  })),
  keyless,
);

/** At most three keys, because the SDK takes no more keyless ones. */
const multiKey = fc
  .array(anyKey, { minLength: 1, maxLength: 3 })
  .chain((keys) => fc.tuple(fc.constant(keys), fc.integer({ min: 1, max: keys.length }), someOf(keys.length, 1)))
  .chain(([keys, required, { chosen, bitmap }]) =>
    fc.array(anySignature, { minLength: chosen.length, maxLength: chosen.length }).map((signatures) => ({
      ours: {
        publicKeys: keys.map(({ ours }) => ours),
        signaturesRequired: required,
        signatures: signatures.map(({ ours }) => ours),
        signaturesBitmap: bitmap,
      },
      sdk: new AccountAuthenticatorMultiKey(
        new MultiKey({ publicKeys: keys.map(({ sdk }) => sdk), signaturesRequired: required }),
        new MultiKeySignature({ signatures: signatures.map(({ sdk }) => sdk), bitmap }),
      ),
    })),
  );

/** Each scheme of an account, by name. */
export const authenticators = {
  Ed25519: ed25519.map(({ ours, sdk }) => ({
    ours: { $kind: "Ed25519" as const, Ed25519: ours },
    sdk: new AccountAuthenticatorEd25519(sdk.key, sdk.signature),
  })),
  MultiEd25519: multiEd25519.map(({ ours, sdk }) => ({
    ours: { $kind: "MultiEd25519" as const, MultiEd25519: ours },
    sdk: new AccountAuthenticatorMultiEd25519(sdk.keys, sdk.signature),
  })),
  SingleKey: fc.tuple(anyKey, anySignature).map(([key, signature]) => ({
    ours: { $kind: "SingleKey" as const, SingleKey: { publicKey: key.ours, signature: signature.ours } },
    sdk: new AccountAuthenticatorSingleKey(key.sdk, signature.sdk),
  })),
  MultiKey: multiKey.map(({ ours, sdk }) => ({ ours: { $kind: "MultiKey" as const, MultiKey: ours }, sdk })),
} satisfies Record<string, fc.Arbitrary<Both<AccountAuthenticator, SdkAuthenticator>>>;

const anyAuthenticator = fc.oneof<fc.Arbitrary<Both<AccountAuthenticator, SdkAuthenticator>>[]>(
  ...Object.values(authenticators),
);

const multiAgent = fc
  .record({ sender: anyAuthenticator, signers: listOf(anyAddress, 4), signatures: listOf(anyAuthenticator, 4) })
  .map(({ sender, signers, signatures }) => ({
    ours: { sender: sender.ours, secondarySigners: signers.ours, secondaryAuthenticators: signatures.ours },
    sdk: { sender: sender.sdk, signers: signers.sdk, signatures: signatures.sdk },
  }));

/** Each way to sign a transaction, by name. */
const transactionAuthenticators = {
  Ed25519: ed25519.map(({ ours, sdk }) => ({
    ours: { $kind: "Ed25519" as const, Ed25519: ours },
    sdk: new TransactionAuthenticatorEd25519(sdk.key, sdk.signature),
  })),
  MultiEd25519: multiEd25519.map(({ ours, sdk }) => ({
    ours: { $kind: "MultiEd25519" as const, MultiEd25519: ours },
    sdk: new TransactionAuthenticatorMultiEd25519(sdk.keys, sdk.signature),
  })),
  MultiAgent: multiAgent.map(({ ours, sdk }) => ({
    ours: { $kind: "MultiAgent" as const, MultiAgent: ours },
    sdk: new TransactionAuthenticatorMultiAgent(sdk.sender, sdk.signers, sdk.signatures),
  })),
  FeePayer: fc.tuple(multiAgent, anyAddress, anyAuthenticator).map(([signers, payer, signature]) => ({
    ours: {
      $kind: "FeePayer" as const,
      FeePayer: { ...signers.ours, feePayer: payer.ours, feePayerAuthenticator: signature.ours },
    },
    sdk: new TransactionAuthenticatorFeePayer(signers.sdk.sender, signers.sdk.signers, signers.sdk.signatures, {
      address: payer.sdk,
      authenticator: signature.sdk,
    }),
  })),
  SingleSender: anyAuthenticator.map(({ ours, sdk }) => ({
    ours: { $kind: "SingleSender" as const, SingleSender: { sender: ours } },
    sdk: new TransactionAuthenticatorSingleSender(sdk),
  })),
};

function signedWith<Ours extends SignedTransaction["authenticator"]>(
  authenticator: fc.Arbitrary<Both<Ours, ConstructorParameters<typeof SdkSignedTransaction>[1]>>,
): fc.Arbitrary<Both<SignedTransaction, SdkSignedTransaction>> {
  return fc.tuple(anyTransaction, authenticator).map(([transaction, signatures]) => ({
    ours: { rawTransaction: transaction.ours, authenticator: signatures.ours },
    sdk: new SdkSignedTransaction(transaction.sdk, signatures.sdk),
  }));
}

/** Each signed transaction, by how it is signed. */
export const signedTransactions = {
  Ed25519: signedWith(transactionAuthenticators.Ed25519),
  MultiEd25519: signedWith(transactionAuthenticators.MultiEd25519),
  MultiAgent: signedWith(transactionAuthenticators.MultiAgent),
  FeePayer: signedWith(transactionAuthenticators.FeePayer),
  SingleSender: signedWith(transactionAuthenticators.SingleSender),
};
