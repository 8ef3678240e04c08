import { bcs } from "@mysten/bcs";
import { address, bytes, excludingVariants, fixedBytes, keyBytes, u64 } from "./bcs.ts";
import { ED25519_PUBLIC_KEY_BYTES, ED25519_SIGNATURE_BYTES } from "./limits.ts";
import { ecdsaPublicKey, webAuthn } from "./web-authn.ts";

/**
 * Accounts that sign with a web identity (AIP-61, AIP-96): aptos-core, `types/src/keyless/mod.rs`, and its `api.yaml`.
 */

const ephemeralPublicKey = bcs.enum("EphemeralPublicKey", {
  Ed25519: keyBytes("an ephemeral public key", ED25519_PUBLIC_KEY_BYTES),
  Secp256r1Ecdsa: ecdsaPublicKey,
});

const ephemeralSignature = bcs.enum("EphemeralSignature", {
  Ed25519: keyBytes("an ephemeral signature", ED25519_SIGNATURE_BYTES),
  WebAuthn: webAuthn,
});

const groth16Proof = bcs.struct("Groth16Proof", { a: fixedBytes(32), b: fixedBytes(64), c: fixedBytes(32) });

const zeroKnowledgeSignature = bcs.struct("ZeroKnowledgeSig", {
  proof: bcs.enum("ZKP", { Groth16: groth16Proof }),
  expirationHorizonSeconds: u64,
  extraField: bcs.option(bcs.string()),
  overrideAudience: bcs.option(bcs.string()),
  trainingWheelsSignature: bcs.option(ephemeralSignature),
});

const certificate = excludingVariants(
  bcs.enum("EphemeralCertificate", { ZeroKnowledgeSig: zeroKnowledgeSignature, OpenIdSig: null }),
  { OpenIdSig: "keyless signatures that show the identity are not supported: use a zero-knowledge proof" },
);

/** The BCS codec of a keyless account's signature. It accepts zero-knowledge proofs, but no open identity tokens. */
export const keylessSignature = bcs.struct("KeylessSignature", {
  certificate,
  jwtHeaderJson: bcs.string(),
  expirationSeconds: u64,
  ephemeralPublicKey,
  ephemeralSignature,
});

/** The BCS codec of a keyless account's public key: its issuer, and a commitment to its identity. */
export const keylessPublicKey = bcs.struct("KeylessPublicKey", { issuer: bcs.string(), idCommitment: bytes });

/** The BCS codec of a keyless public key whose issuer keys are at `jwkAddress` on chain (AIP-96). */
export const federatedKeylessPublicKey = bcs.struct("FederatedKeylessPublicKey", {
  jwkAddress: address,
  publicKey: keylessPublicKey,
});
