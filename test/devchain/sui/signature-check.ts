import { PasskeyPublicKey } from "@mysten/sui/keypairs/passkey";
import { Secp256k1PublicKey } from "@mysten/sui/keypairs/secp256k1";
import { Secp256r1PublicKey } from "@mysten/sui/keypairs/secp256r1";
import { toBase64 } from "@mysten/sui/utils";
import {
  decodePasskey,
  type Multisig,
  type PasskeySignature,
  type SimpleSignature,
  type VerifiableSignature,
} from "./user-signature.ts";

const MAX_CACHED_KEYS = 4_096;
/** Bits for the ten keys that a committee may have. */
const MAX_BITMAP = 0b11_1111_1111;
const FORGED = "Invalid signature was given to the function";

const importedKeys = new Map<string, Promise<CryptoKey>>();

/**
 * Checks a signature over the 32 bytes that users sign.
 * @returns undefined when it is valid, otherwise why not, in the words of sui-types (crypto.rs, multisig.rs,
 *   passkey_authenticator.rs)
 */
export async function whyInvalid(
  signature: VerifiableSignature,
  digest: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  switch (signature.kind) {
    case "simple":
      return (await verifiesSimple(signature, digest)) ? undefined : `Fail to verify user sig ${FORGED}`;
    case "passkey":
      return whyInvalidPasskey(signature, digest);
    case "multisig":
      return whyInvalidMultisig(signature.multisig, digest);
  }
}

type Simple = Pick<SimpleSignature, "scheme" | "signature" | "publicKey">;

async function verifiesSimple({ scheme, signature, publicKey }: Simple, digest: Uint8Array<ArrayBuffer>) {
  switch (scheme) {
    case "ED25519": {
      const key = await importEd25519(publicKey).catch(() => undefined);
      return key !== undefined && crypto.subtle.verify("Ed25519", key, signature, digest);
    }
    case "Secp256k1":
      return verifies(() => new Secp256k1PublicKey(publicKey).verify(digest, signature));
    case "Secp256r1":
      return verifies(() => new Secp256r1PublicKey(publicKey).verify(digest, signature));
  }
}

async function whyInvalidPasskey(passkey: PasskeySignature, digest: Uint8Array): Promise<string | undefined> {
  const { challenge, publicKey, bytes } = passkey;
  if (toBase64(challenge) !== toBase64(digest)) return "Invalid challenge";
  const valid = await verifies(() => new PasskeyPublicKey(publicKey).verify(digest, bytes));
  return valid ? undefined : "Fails to verify";
}

/** The signatures belong, in order, to the keys whose bits are set; the weights of those must reach the threshold. */
async function whyInvalidMultisig(multisig: Multisig, digest: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const { sigs, bitmap, multisig_pk: committee } = multisig;
  if (sigs.length === 0 || sigs.length > committee.pk_map.length) return "Invalid number of signatures";
  if (bitmap > MAX_BITMAP) return "Invalid bitmap";
  const signers = bitsOf(bitmap);
  if (signers.length !== sigs.length) return "number of signatures does not match bitmap";
  let weight = 0;
  for (const [index, signature] of sigs.entries()) {
    const member = committee.pk_map[signers[index] ?? Number.NaN];
    if (member === undefined) return "Invalid public keys index";
    const reason = await whyInvalidMember(member.pubKey, signature, digest);
    if (reason !== undefined) return reason;
    weight += member.weight;
  }
  return weight >= committee.threshold ? undefined : `Insufficient weight=${weight} threshold=${committee.threshold}`;
}

type MemberKey = Multisig["multisig_pk"]["pk_map"][number]["pubKey"];
type MemberSignature = Multisig["sigs"][number];

async function whyInvalidMember(
  key: MemberKey,
  member: MemberSignature,
  digest: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  if (member.$kind === "ZkLogin") return "zkLogin sig not supported inside multisig";
  const publicKey = Uint8Array.from(key[key.$kind] ?? []);
  const invalid = `Invalid sig for pk=${toBase64(publicKey)} error="${FORGED}"`;
  if (key.$kind !== member.$kind) return invalid;
  if (member.$kind === "Passkey") {
    const passkey = decodePasskey(Uint8Array.from(member.Passkey));
    const own = toBase64(passkey.publicKey) === toBase64(publicKey);
    return own && (await whyInvalidPasskey(passkey, digest)) === undefined ? undefined : invalid;
  }
  const signature = Uint8Array.from(member[member.$kind] ?? []);
  return (await verifiesSimple({ scheme: member.$kind, signature, publicKey }, digest)) ? undefined : invalid;
}

function bitsOf(bitmap: number): number[] {
  return Array.from({ length: 16 }, (_, bit) => bit).filter((bit) => (bitmap & (1 << bit)) !== 0);
}

/** The SDK's verifiers throw at keys and signatures that are no points or scalars of their curve. */
async function verifies(verify: () => Promise<boolean>): Promise<boolean> {
  try {
    return await verify();
  } catch {
    return false;
  }
}

function importEd25519(publicKey: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const name = toBase64(publicKey);
  const known = importedKeys.get(name);
  if (known) return known;
  if (importedKeys.size >= MAX_CACHED_KEYS) importedKeys.clear();
  const imported = crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  importedKeys.set(name, imported);
  return imported;
}
