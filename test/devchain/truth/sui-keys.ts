import {
  type Keypair,
  type PublicKey,
  parseSerializedSignature,
  toSerializedSignature,
} from "@mysten/sui/cryptography";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Secp256k1Keypair } from "@mysten/sui/keypairs/secp256k1";
import { MultiSigPublicKey } from "@mysten/sui/multisig";
import { toBase64 } from "@mysten/sui/utils";
import { publicKeyFromRawBytes } from "@mysten/sui/verify";
import type { Names } from "./names.ts";

const SEED_BYTES = 32;
/** `0x` and a digit: errors name signers in the order of their addresses. */
const SAME_START = 3;

function keypairOf(scheme: string, seed: number): Keypair {
  const bytes = new Uint8Array(SEED_BYTES);
  new DataView(bytes.buffer).setUint32(0, seed);
  bytes[SEED_BYTES - 1] = 1;
  return scheme === "Secp256k1" ? Secp256k1Keypair.fromSecretKey(bytes) : Ed25519Keypair.fromSecretKey(bytes);
}

/** Signs on the asked chain as the recorded accounts did: the same schemes, with keys of this process. */
export function createSuiKeys(names: Names) {
  const keys = new Map<string, Keypair>();
  let seed = 0;

  function keyOf(publicKey: PublicKey, scheme: string): Keypair {
    const recorded = publicKey.toSuiAddress();
    const known = keys.get(recorded);
    if (known !== undefined) return known;
    for (;;) {
      const keypair = keypairOf(scheme, seed++);
      const address = keypair.toSuiAddress();
      if (address.slice(0, SAME_START) !== recorded.slice(0, SAME_START)) continue;
      keys.set(recorded, keypair);
      names.bind(recorded, address);
      return keypair;
    }
  }

  function schemeOf(publicKey: PublicKey): string {
    return publicKey.flag() === 1 ? "Secp256k1" : "ED25519";
  }

  async function multisigOf(serialized: string, bytes: Uint8Array): Promise<string> {
    const parsed = parseSerializedSignature(serialized);
    if (parsed.signatureScheme !== "MultiSig") throw new Error("not a multisig");
    const recorded = new MultiSigPublicKey(parsed.multisig.multisig_pk);
    const members = recorded.getPublicKeys().map(({ publicKey, weight }) => ({
      keypair: keyOf(publicKey, schemeOf(publicKey)),
      weight,
    }));
    const asked = MultiSigPublicKey.fromPublicKeys({
      threshold: recorded.getThreshold(),
      publicKeys: members.map(({ keypair, weight }) => ({ publicKey: keypair.getPublicKey(), weight })),
    });
    names.bind(recorded.toSuiAddress(), asked.toSuiAddress());
    const signed = members.filter((_, index) => (parsed.multisig.bitmap >> index) & 1);
    const parts = await Promise.all(
      signed.map(async ({ keypair }) => (await keypair.signTransaction(bytes)).signature),
    );
    return asked.combinePartialSignatures(parts);
  }

  /** The same signature over other bytes. One that was not valid is not valid again. */
  async function signAgain(serialized: string, recordedBytes: Uint8Array, bytes: Uint8Array): Promise<string> {
    const parsed = parseSerializedSignature(serialized);
    if (parsed.signatureScheme === "MultiSig") return multisigOf(serialized, bytes);
    if (parsed.signatureScheme === "ZkLogin" || parsed.signatureScheme === "Passkey") return serialized;
    const publicKey = publicKeyFromRawBytes(parsed.signatureScheme, parsed.publicKey);
    const keypair = keyOf(publicKey, parsed.signatureScheme);
    const isValid = await publicKey.verifyTransaction(recordedBytes, serialized);
    if (isValid) return (await keypair.signTransaction(bytes)).signature;
    const { signatureScheme, signature } = parsed;
    return toSerializedSignature({ signatureScheme, signature, publicKey: keypair.getPublicKey() });
  }

  return {
    signAgain,
    /** Makes the key of a signature, and names its address. */
    learn: async (signature: Uint8Array) =>
      void (await signAgain(toBase64(signature), new Uint8Array(), Uint8Array.of(0))),
  };
}

export type SuiKeys = ReturnType<typeof createSuiKeys>;
