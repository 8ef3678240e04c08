import { bcs } from "@mysten/sui/bcs";
import { MultiSigPublicKey } from "@mysten/sui/multisig";
import { toHex } from "@mysten/sui/utils";
import * as z from "zod";
import { blake2b256 } from "./hash.ts";
import { invalidArgument } from "./status.ts";

const SIGNATURE_BYTES = 64;

/** Flags of the schemes that one key signs with (sui-types crypto.rs: `SignatureScheme`). */
const SIMPLE_SCHEMES = {
  ED25519: { flag: 0x00, publicKeyBytes: 32 },
  Secp256k1: { flag: 0x01, publicKeyBytes: 33 },
  Secp256r1: { flag: 0x02, publicKeyBytes: 33 },
} as const;
const MULTISIG_FLAG = 0x03;
const BLS_FLAG = 0x04;
const ZKLOGIN_FLAG = 0x05;
const PASSKEY_FLAG = 0x06;

export type SimpleScheme = keyof typeof SIMPLE_SCHEMES;
export type Multisig = typeof bcs.MultiSig.$inferType;

/** One key's signature, `flag ‖ signature ‖ public key` on the wire. */
export interface SimpleSignature {
  readonly kind: "simple";
  readonly bytes: Uint8Array;
  readonly address: string;
  readonly scheme: SimpleScheme;
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** What a WebAuthn authenticator signed: `authenticator data ‖ sha256(client data)` by a secp256r1 key. */
export interface PasskeySignature {
  readonly kind: "passkey";
  readonly bytes: Uint8Array;
  readonly address: string;
  readonly authenticatorData: Uint8Array;
  readonly clientDataJson: string;
  readonly challenge: Uint8Array;
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

export interface MultisigSignature {
  readonly kind: "multisig";
  readonly bytes: Uint8Array;
  readonly address: string;
  readonly multisig: Multisig;
}

/** A zkLogin signature is told from the others but not read: this chain does not accept any. */
export interface ZkLoginSignature {
  readonly kind: "zklogin";
  readonly bytes: Uint8Array;
}

export type VerifiableSignature = SimpleSignature | PasskeySignature | MultisigSignature;
export type UserSignature = VerifiableSignature | ZkLoginSignature;

/** The parts of WebAuthn's client data that a node looks at; the challenge is base64url without padding. */
const ClientData = z.object({
  type: z.literal("webauthn.get"),
  challenge: z.base64url(),
  origin: z.string(),
});

/** blake2b256(flag ‖ public key), of a key in the scheme of that flag. */
function keyAddress(flag: number, publicKey: Uint8Array): string {
  return `0x${toHex(blake2b256(new Uint8Array([flag, ...publicKey])))}`;
}

export function ed25519Address(publicKey: Uint8Array): string {
  return keyAddress(SIMPLE_SCHEMES.ED25519.flag, publicKey);
}

/**
 * Decodes a serialized signature, which starts with the flag of its scheme (sui-sdk-types crypto/signature.rs).
 * @throws GrpcStatus `INVALID_ARGUMENT` "invalid signature: …" for what is no signature of a known scheme
 */
export function decodeUserSignature(bytes: Uint8Array): UserSignature {
  const flag = bytes[0];
  switch (flag) {
    case undefined:
      throw malformed("missing signature scheme flag");
    case SIMPLE_SCHEMES.ED25519.flag:
      return decodeSimple("ED25519", bytes);
    case SIMPLE_SCHEMES.Secp256k1.flag:
      return decodeSimple("Secp256k1", bytes);
    case SIMPLE_SCHEMES.Secp256r1.flag:
      return decodeSimple("Secp256r1", bytes);
    case MULTISIG_FLAG:
      return decodeMultisig(bytes);
    case BLS_FLAG:
      throw malformed("bls not supported for user signatures");
    case ZKLOGIN_FLAG:
      return { kind: "zklogin", bytes };
    case PASSKEY_FLAG:
      return decodePasskey(bytes);
    default:
      throw malformed(`invalid signature scheme: ${flag.toString(16).padStart(2, "0")}`);
  }
}

function decodeSimple(scheme: SimpleScheme, bytes: Uint8Array): SimpleSignature {
  const { flag, publicKeyBytes } = SIMPLE_SCHEMES[scheme];
  if (bytes.length !== 1 + SIGNATURE_BYTES + publicKeyBytes) {
    throw malformed(`invalid ${scheme.toLowerCase()} signature`);
  }
  const publicKey = new Uint8Array(bytes.slice(1 + SIGNATURE_BYTES));
  return {
    kind: "simple",
    bytes,
    address: keyAddress(flag, publicKey),
    scheme,
    signature: new Uint8Array(bytes.slice(1, 1 + SIGNATURE_BYTES)),
    publicKey,
  };
}

function decodeMultisig(bytes: Uint8Array): MultisigSignature {
  const multisig = parseCanonical(bcs.MultiSig, bytes.subarray(1));
  // The limits of a committee: 1 to 10 distinct keys, no weight of zero, a threshold that can be reached.
  const committee = attempt(() => new MultiSigPublicKey(multisig.multisig_pk));
  if (committee === undefined) throw malformed("invalid MultisigCommittee");
  return { kind: "multisig", bytes, address: committee.toSuiAddress(), multisig };
}

/** Decodes `flag ‖ BCS`, whose client data must be those of an assertion and name a challenge. */
export function decodePasskey(bytes: Uint8Array): PasskeySignature {
  if (bytes[0] !== PASSKEY_FLAG) throw malformed("invalid passkey flag");
  const { authenticatorData, clientDataJson, userSignature } = parseCanonical(
    bcs.PasskeyAuthenticator,
    bytes.subarray(1),
  );
  const inner = Uint8Array.from(userSignature);
  if (inner[0] !== SIMPLE_SCHEMES.Secp256r1.flag) throw malformed("expected passkey with secp256r1 signature");
  const { signature, publicKey } = decodeSimple("Secp256r1", inner);
  const clientData = ClientData.safeParse(attempt(() => JSON.parse(clientDataJson)));
  if (!clientData.success) throw malformed("invalid client data json");
  return {
    kind: "passkey",
    bytes,
    address: keyAddress(PASSKEY_FLAG, publicKey),
    authenticatorData: Uint8Array.from(authenticatorData),
    clientDataJson,
    challenge: new Uint8Array(Buffer.from(clientData.data.challenge, "base64url")),
    signature,
    publicKey,
  };
}

interface Codec<Output, Input> {
  parse(bytes: Uint8Array): Output;
  serialize(value: Input): { toBytes(): Uint8Array };
}

/** The SDK's reader accepts trailing bytes and long length prefixes; a node accepts neither. */
function parseCanonical<Output extends Input, Input>(codec: Codec<Output, Input>, bytes: Uint8Array): Output {
  const value = attempt(() => codec.parse(bytes));
  if (value === undefined) throw malformed("undecodable BCS");
  const encoded = codec.serialize(value).toBytes();
  if (encoded.length !== bytes.length || encoded.some((byte, index) => byte !== bytes[index])) {
    throw malformed("not canonical BCS");
  }
  return value;
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function malformed(reason: string) {
  return invalidArgument(`invalid signature: error converting from protobuf: field: bcs description: ${reason}`);
}
