import { bcs } from "@mysten/bcs";
import { bytes, keyBytes } from "./bcs.ts";
import { ECDSA_PUBLIC_KEY_BYTES, ECDSA_SIGNATURE_BYTES } from "./limits.ts";

/** The BCS codec of an ECDSA public key, of secp256k1 and secp256r1. */
export const ecdsaPublicKey = keyBytes("an ECDSA public key", ECDSA_PUBLIC_KEY_BYTES);
/** The BCS codec of an ECDSA signature, of secp256k1 and secp256r1. */
export const ecdsaSignature = keyBytes("an ECDSA signature", ECDSA_SIGNATURE_BYTES);

/** The BCS codec of a passkey's signature (aptos-core, `types/src/transaction/webauthn.rs`). */
export const webAuthn = bcs.struct("PartialAuthenticatorAssertionResponse", {
  signature: bcs.enum("AssertionSignature", { Secp256r1Ecdsa: ecdsaSignature }),
  authenticatorData: bytes,
  clientDataJson: bytes,
});
