import {
  AccountAddress,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  generateSigningMessageForTransaction,
  Secp256r1PublicKey,
  type SimpleTransaction,
  WebAuthnSignature,
} from "@aptos-labs/ts-sdk";
import { Secp256r1Keypair } from "@mysten/sui/keypairs/secp256r1";
import { sha256 } from "@noble/hashes/sha2.js";
import { sha3_256 } from "@noble/hashes/sha3.js";

const AUTHENTICATOR_DATA_BYTES = 37;

/** An account whose key is a passkey, on an authenticator that is played here and asks nobody. */
export function aptosPasskey() {
  // It hashes with SHA-256 before it signs, as an authenticator does.
  const authenticator = new Secp256r1Keypair();
  const publicKey = new AnyPublicKey(new Secp256r1PublicKey(authenticator.getPublicKey().toRawBytes()));
  return {
    address: AccountAddress.from(publicKey.authKey().derivedAddress()).toStringLong(),

    async sign(transaction: SimpleTransaction): Promise<AccountAuthenticatorSingleKey> {
      const message = sha3_256(generateSigningMessageForTransaction(transaction));
      const challenge = Buffer.from(message).toString("base64url");
      const clientData = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge, origin: "http://wallet.test" }));
      const data = new Uint8Array(AUTHENTICATOR_DATA_BYTES).fill(7);
      const signature = await authenticator.sign(new Uint8Array([...data, ...sha256(clientData)]));
      return new AccountAuthenticatorSingleKey(
        publicKey,
        new AnySignature(new WebAuthnSignature(signature, data, clientData)),
      );
    },
  };
}
