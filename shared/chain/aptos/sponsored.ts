import { type Outcome, refuse } from "../../errors.ts";
import { ZERO_ADDRESS } from "./address.ts";
import { type AccountAuthenticator, decodeAccountAuthenticator } from "./authenticator.ts";
import { encodeSignedTransaction } from "./signed-transaction.ts";
import { signingMessage, transactionHash } from "./transaction.ts";

/** What a fee payer signs: the raw transaction, who signs beside its sender, and itself. Addresses in full length. */
export interface Sponsored {
  /** BCS, spliced in as it came. */
  readonly rawTransaction: Uint8Array;
  /** In the order of their signatures. */
  readonly secondaryAddresses: readonly string[];
  readonly feePayer: string;
}

/** Account authenticators, BCS. */
export interface SponsoredSignatures {
  readonly sender: Uint8Array;
  /** In the order of the secondary addresses. */
  readonly secondary: readonly Uint8Array[];
  readonly feePayer: Uint8Array;
}

/** The bytes that the fee payer signs, and everybody else who knows it. */
export function feePayerMessage({ rawTransaction, secondaryAddresses, feePayer }: Sponsored): Uint8Array {
  return signingMessage(rawTransaction, { kind: "fee_payer", secondarySigners: secondaryAddresses, feePayer });
}

/**
 * Verifies what the sender and the secondary signers have signed, as far as it is Ed25519: over the fee payer's address,
 * or over the zero address in its place (AIP-53). Other schemes are decoded, and left to the chain. Whether a key is the
 * account's own is left to it too: an account may have rotated its key.
 *
 * @returns null where nothing is wrong; `bad_signature` for what does not decode or verify, or is one too many or few.
 */
export async function refuseSignatures(
  sponsored: Sponsored,
  { sender, secondary }: Pick<SponsoredSignatures, "sender" | "secondary">,
): Promise<Outcome<never> | null> {
  const { secondaryAddresses } = sponsored;
  if (secondary.length !== secondaryAddresses.length)
    return refuse(
      "bad_signature",
      `${secondaryAddresses.length} secondary signers and ${secondary.length} of their signatures`,
    );
  const messages = [feePayerMessage(sponsored), feePayerMessage({ ...sponsored, feePayer: ZERO_ADDRESS })];
  for (const [index, bytes] of [sender, ...secondary].entries()) {
    const decoded = decodeAccountAuthenticator(bytes);
    if (!decoded.ok) return decoded;
    const key = ed25519Of(decoded.value);
    if (key !== null && !(await signsOneOf(messages, key)))
      return refuse(
        "bad_signature",
        `the signature of ${index === 0 ? "the sender" : `secondary signer ${index}`} does not verify`,
      );
  }
  return null;
}

interface Ed25519Signature {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** Null: another scheme. */
function ed25519Of({ Ed25519, SingleKey }: AccountAuthenticator): Ed25519Signature | null {
  if (Ed25519 !== undefined) return Ed25519;
  const publicKey = SingleKey?.publicKey.Ed25519;
  const signature = SingleKey?.signature.Ed25519;
  return publicKey === undefined || signature === undefined ? null : { publicKey, signature };
}

async function signsOneOf(
  messages: readonly Uint8Array[],
  { publicKey, signature }: Ed25519Signature,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey("raw", Uint8Array.from(publicKey), "Ed25519", false, ["verify"]);
    for (const message of messages)
      if (await crypto.subtle.verify("Ed25519", key, Uint8Array.from(signature), Uint8Array.from(message))) return true;
    return false;
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/** The transaction as it is submitted, BCS, and the hash by which nodes know it. @throws where a signature is malformed. */
export function assembleSponsored(
  { rawTransaction, secondaryAddresses, feePayer }: Sponsored,
  signatures: SponsoredSignatures,
): { readonly signedTransaction: Uint8Array; readonly hash: string } {
  const signedTransaction = encodeSignedTransaction(rawTransaction, {
    $kind: "FeePayer",
    FeePayer: {
      sender: decoded(signatures.sender),
      secondarySigners: [...secondaryAddresses],
      secondaryAuthenticators: signatures.secondary.map(decoded),
      feePayer,
      feePayerAuthenticator: decoded(signatures.feePayer),
    },
  });
  return { signedTransaction, hash: transactionHash(signedTransaction) };
}

function decoded(authenticator: Uint8Array): AccountAuthenticator {
  const outcome = decodeAccountAuthenticator(authenticator);
  if (!outcome.ok) throw new Error(`a signature that was accepted is malformed: ${outcome.refusal.details}`);
  return outcome.value;
}
