import { GrpcTypes } from "@mysten/sui/grpc";
import {
  decodePasskey,
  decodeUserSignature,
  type Multisig,
  type PasskeySignature,
  type SimpleSignature,
} from "./user-signature.ts";

const { SignatureScheme } = GrpcTypes;

const SCHEMES = {
  ED25519: SignatureScheme.ED25519,
  Secp256k1: SignatureScheme.SECP256K1,
  Secp256r1: SignatureScheme.SECP256R1,
  ZkLogin: SignatureScheme.ZKLOGIN,
  Passkey: SignatureScheme.PASSKEY,
} as const;

/** `sui.rpc.v2.UserSignature` of a serialized signature. */
export function signatureProto(serialized: Uint8Array): GrpcTypes.UserSignature {
  const bcs = { name: "UserSignatureBytes", value: serialized };
  const signature = decodeUserSignature(serialized);
  switch (signature.kind) {
    case "simple": {
      const simple = simpleProto(signature);
      return { bcs, scheme: simple.scheme, signature: { oneofKind: "simple", simple } };
    }
    case "multisig": {
      const multisig = multisigProto(signature.multisig);
      return { bcs, scheme: SignatureScheme.MULTISIG, signature: { oneofKind: "multisig", multisig } };
    }
    case "passkey": {
      const passkey = passkeyProto(signature);
      return { bcs, scheme: SignatureScheme.PASSKEY, signature: { oneofKind: "passkey", passkey } };
    }
    case "zklogin":
      return { bcs, scheme: SignatureScheme.ZKLOGIN, signature: { oneofKind: undefined } };
  }
}

function simpleProto({ scheme, signature, publicKey }: Pick<SimpleSignature, "scheme" | "signature" | "publicKey">) {
  return { scheme: SCHEMES[scheme], signature, publicKey };
}

function passkeyProto({ authenticatorData, clientDataJson, signature, publicKey }: PasskeySignature) {
  return { authenticatorData, clientDataJson, signature: simpleProto({ scheme: "Secp256r1", signature, publicKey }) };
}

function multisigProto({ sigs, bitmap, multisig_pk: committee }: Multisig): GrpcTypes.MultisigAggregatedSignature {
  return {
    signatures: sigs.map((member) => {
      const bytes = Uint8Array.from(member[member.$kind] ?? []);
      const scheme = SCHEMES[member.$kind];
      return member.$kind === "Passkey"
        ? { scheme, passkey: passkeyProto(decodePasskey(bytes)) }
        : { scheme, signature: bytes };
    }),
    bitmap,
    committee: {
      members: committee.pk_map.map(({ pubKey, weight }) => ({
        publicKey: { scheme: SCHEMES[pubKey.$kind], publicKey: Uint8Array.from(pubKey[pubKey.$kind] ?? []) },
        weight,
      })),
      threshold: committee.threshold,
    },
  };
}
