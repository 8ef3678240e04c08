import { PasskeyKeypair } from "@mysten/sui/keypairs/passkey";
import { Secp256r1Keypair } from "@mysten/sui/keypairs/secp256r1";
import { sha256 } from "@noble/hashes/sha2.js";

/** WebAuthn authenticator data: hash of the relying party, flags, counter. */
const AUTHENTICATOR_DATA_BYTES = 37;
const SCALAR_BYTES = 32;
const DER_SEQUENCE = 0x30;
const DER_INTEGER = 0x02;

/** The client data that a browser makes of a challenge, as JSON text. */
export type ClientDataOf = (challenge: string) => string;

const browserClientData: ClientDataOf = (challenge) =>
  JSON.stringify({ type: "webauthn.get", challenge, origin: "http://wallet.test", crossOrigin: false });

/** A passkey as a wallet has it in the SDK, on an authenticator that is played here and asks nobody. */
export function fakePasskey(
  clientDataOf: ClientDataOf = browserClientData,
  key: Secp256r1Keypair = new Secp256r1Keypair(),
): PasskeyKeypair {
  async function get(challenge: Uint8Array) {
    const clientData = new TextEncoder().encode(clientDataOf(Buffer.from(challenge).toString("base64url")));
    const authenticatorData = new Uint8Array(AUTHENTICATOR_DATA_BYTES).fill(7);
    const signature = await key.sign(new Uint8Array([...authenticatorData, ...sha256(clientData)]));
    return {
      response: {
        authenticatorData: authenticatorData.buffer,
        clientDataJSON: clientData.buffer,
        signature: derSignature(signature).buffer,
      },
    };
  }

  return new PasskeyKeypair(key.getPublicKey().toRawBytes(), {
    create: () => Promise.reject(new Error("the passkey is there already")),
    get,
  });
}

/** SEQUENCE of two INTEGERs, as authenticators give their signatures; `compact` is r ‖ s. */
function derSignature(compact: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = [...derInteger(compact.slice(0, SCALAR_BYTES)), ...derInteger(compact.slice(SCALAR_BYTES))];
  return new Uint8Array([DER_SEQUENCE, body.length, ...body]);
}

function derInteger(scalar: Uint8Array): number[] {
  const first = scalar.findIndex((byte) => byte !== 0);
  const digits = [...scalar.slice(first)];
  const padded = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
  return [DER_INTEGER, padded.length, ...padded];
}
