import { blake2b256 } from "./hash.ts";
import { whyInvalid } from "./signature-check.ts";
import { invalidArgument, transactionRefused } from "./status.ts";
import { decodeUserSignature, type UserSignature, type VerifiableSignature } from "./user-signature.ts";

/** What a signature is meant for (sui-types intent.rs): scope, version V0, app Sui. */
const INTENTS = {
  TransactionData: [0, 0, 0],
  PersonalMessage: [3, 0, 0],
} as const;

/** The 32 bytes that a signature is made over: blake2b256(intent ‖ message). */
export function signingDigest(
  message: Uint8Array,
  scope: keyof typeof INTENTS = "TransactionData",
): Uint8Array<ArrayBuffer> {
  return new Uint8Array(blake2b256(new Uint8Array([...INTENTS[scope], ...message])));
}

/** Who may sign for an address. */
export type SignersFor = (address: string) => readonly string[];

/**
 * Checks that every signer signed the transaction exactly once, in whatever order
 * (sui-types signature_verification.rs).
 * @param signatures serialized, each starting with the flag of its scheme
 * @param signers distinct addresses: the sender and, when another address pays, the gas owner
 * @param signersFor who may sign for each of them; absent: only itself
 * @throws GrpcStatus `INVALID_ARGUMENT` "Invalid user signature: …"
 */
export async function verifySignatures(
  transactionBytes: Uint8Array,
  signatures: readonly Uint8Array[],
  signers: ReadonlySet<string>,
  signersFor: SignersFor = (address) => [address],
): Promise<void> {
  requireSigners(signatures, signers, signersFor);
  const digest = signingDigest(transactionBytes);
  for (const signature of signatures.map(decodeUserSignature).map(refuseZkLogin)) {
    const reason = await whyInvalid(signature, digest);
    if (reason !== undefined) throw badSignature(`Signature is not valid: ${reason}`);
  }
}

/** The part of `verifySignatures` that the chain's state decides: aliases come and go. */
export function requireSigners(
  signatures: readonly Uint8Array[],
  signers: ReadonlySet<string>,
  signersFor: SignersFor,
): void {
  const present = signatures
    .map(decodeUserSignature)
    .map(refuseZkLogin)
    .map(({ address }) => address);
  if (present.length !== signers.size) {
    throw badSignature(`Expect ${signers.size} signer signatures but got ${present.length}`);
  }
  const shown = [...new Set(present)].sort().map((address) => JSON.stringify(address));
  const left = [...present];
  for (const signer of signers) {
    const allowed = signersFor(signer);
    const place = left.findIndex((address) => allowed.includes(address));
    if (place < 0) throw badSignature(`Required Signature from ${signer} is absent [${shown.join(", ")}]`);
    left.splice(place, 1);
  }
}

/** As on a network whose protocol has `zklogin_auth` off (sui-types transaction.rs: `validity_check`). */
function refuseZkLogin(signature: UserSignature): VerifiableSignature {
  if (signature.kind !== "zklogin") return signature;
  throw transactionRefused("Feature is not supported: zklogin is not enabled on this network");
}

function badSignature(reason: string) {
  return invalidArgument(`Invalid user signature: ${reason}`);
}
