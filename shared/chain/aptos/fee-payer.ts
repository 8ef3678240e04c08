import { type Outcome, refuse } from "../../errors.ts";
import { formatAddress, ZERO_ADDRESS } from "./address.ts";
import { authenticationKeyOf } from "./authentication-key.ts";
import { type AccountAuthenticator, decodeAccountAuthenticator } from "./authenticator.ts";
import { MAX_SIGNATURES, MAX_TRANSACTION_BYTES } from "./limits.ts";
import { encodeSignedTransaction } from "./signed-transaction.ts";
import { signingMessage, transactionHash } from "./transaction.ts";
import { isVerifiedHere, signatureCount, verifyAuthenticator } from "./verification.ts";

/**
 * The content of a fee payer's signature: raw transaction, secondary signers and the fee payer. Addresses in full
 * length.
 */
export interface FeePayerTransaction {
  /** The BCS as received, which is spliced in. */
  readonly rawTransaction: Uint8Array;
  /** The order is that of their signatures. */
  readonly secondaryAddresses: readonly string[];
  readonly feePayer: string;
}

/** Account authenticators, BCS. */
export interface FeePayerSignatures {
  readonly sender: Uint8Array;
  /** The order is that of the secondary addresses. */
  readonly secondary: readonly Uint8Array[];
  readonly feePayer: Uint8Array;
}

/** Encodes the bytes that the fee payer signs, with every signer who knows the fee payer. */
export function feePayerMessage({ rawTransaction, secondaryAddresses, feePayer }: FeePayerTransaction): Uint8Array {
  return signingMessage(rawTransaction, { kind: "fee_payer", secondarySigners: secondaryAddresses, feePayer });
}

/**
 * Refuses a transaction that names another fee payer. Its signers may have intended another transaction.
 *
 * @param named undefined if the transaction names none. Addresses in full length.
 * @returns null if nothing is wrong; `unsupported_transaction`.
 */
export function refuseOtherFeePayer(named: string | undefined, feePayer: string): Outcome<never> | null {
  return named === undefined || named === ZERO_ADDRESS || named === feePayer
    ? null
    : refuse(
        "unsupported_transaction",
        `the transaction names ${formatAddress(named)} as its fee payer: name 0x0, or the fund's own address`,
      );
}

/**
 * Verifies the signatures of the sender and the secondary signers, before anything is held for the transaction. Accepts
 * signatures over the fee payer's address, or over the zero address instead (AIP-53). Leaves only those to the node
 * that `verification.ts` cannot judge.
 *
 * @returns null if all pass. `bad_signature` if one is malformed, invalid, missing or extra, or if they are too long
 * for a signed transaction.
 */
export async function verifyCoSignatures(
  sponsored: FeePayerTransaction,
  { sender, secondary }: Pick<FeePayerSignatures, "sender" | "secondary">,
): Promise<Outcome<never> | null> {
  const { secondaryAddresses } = sponsored;
  if (secondary.length !== secondaryAddresses.length)
    return refuse(
      "bad_signature",
      `${secondaryAddresses.length} secondary signers, ${secondary.length} signatures: send one for each signer`,
    );
  const lengthBytes = [sender, ...secondary].reduce((sum, { length }) => sum + length, 0);
  if (lengthBytes > MAX_TRANSACTION_BYTES)
    return refuse("bad_signature", `the signatures have ${lengthBytes} bytes: send at most ${MAX_TRANSACTION_BYTES}`);
  const authenticators: AccountAuthenticator[] = [];
  for (const bytes of [sender, ...secondary]) {
    const outcome = decodeAccountAuthenticator(bytes);
    if (!outcome.ok) return outcome;
    authenticators.push(outcome.value);
  }
  const signatures = authenticators.reduce((sum, authenticator) => sum + signatureCount(authenticator), 0);
  if (signatures > MAX_SIGNATURES)
    return refuse("bad_signature", `the transaction has ${signatures} signatures: use at most ${MAX_SIGNATURES}`);
  const messages = [sponsored.feePayer, ZERO_ADDRESS].map((feePayer) =>
    once(() => feePayerMessage({ ...sponsored, feePayer })),
  );
  for (const [index, authenticator] of authenticators.entries())
    if ((await verifyAuthenticator(authenticator, messages)) === "wrong")
      return refuse(
        "bad_signature",
        `the signature of ${index === 0 ? "the sender" : `secondary signer ${index}`} does not verify: sign the same bytes, for this fund as the fee payer`,
      );
  return null;
}

/** Makes a message at its first use, and keeps it. */
function once(make: () => Uint8Array): () => Uint8Array {
  let made: Uint8Array | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Compares the key of the sender's signature with the account's own, which the account may have rotated.
 *
 * @param sender an account authenticator that `verifyCoSignatures` has accepted, BCS.
 * @param authenticationKey as the chain has it.
 * @returns null if nothing is wrong; `bad_signature` for another key.
 */
export function refuseOtherKey(sender: Uint8Array, authenticationKey: string): Outcome<never> | null {
  const key = keyOfSigner(sender);
  return key === null || key === authenticationKey
    ? null
    : refuse(
        "bad_signature",
        "the sender's signature was made with another key than its account's: sign with that key",
      );
}

/**
 * Derives the authentication key of a signer. Null if only a node can judge it.
 *
 * @param signer an account authenticator that `verifyCoSignatures` has accepted, BCS.
 */
export function keyOfSigner(signer: Uint8Array): string | null {
  return authenticationKeyOf(decoded(signer));
}

/**
 * Returns true if only a node can judge a signer's signature. The caller may have invented it.
 *
 * @param signer an account authenticator, BCS. Bytes that do not decode are refused before a node is called.
 */
export function isLeftToNode(signer: Uint8Array): boolean {
  const authenticator = decodeAccountAuthenticator(signer);
  if (!authenticator.ok) return false;
  return authenticationKeyOf(authenticator.value) === null || !isVerifiedHere(authenticator.value);
}

/**
 * Returns whether the caller may have forged a signature. The fund compares the sender's key with its account's. It
 * does not read a secondary signer's account. It compares that signer's key with its address, which is the key of an
 * account until it rotates.
 *
 * @param signatures account authenticators that `verifyCoSignatures` has accepted, BCS.
 * @param secondaryAddresses in full length, in the order of their signatures.
 */
export function mayBeMadeUp(
  { sender, secondary }: Pick<FeePayerSignatures, "sender" | "secondary">,
  secondaryAddresses: readonly string[],
): boolean {
  const isTheirs = (signer: Uint8Array, index: number) =>
    !isLeftToNode(signer) && refuseOtherKey(signer, secondaryAddresses[index] ?? ZERO_ADDRESS) === null;
  return isLeftToNode(sender) || !secondary.every(isTheirs);
}

/** Returns the transaction in its submitted form, BCS, and its hash. @throws if a signature is malformed. */
export function assembleSponsored(
  { rawTransaction, secondaryAddresses, feePayer }: FeePayerTransaction,
  signatures: FeePayerSignatures,
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
  if (!outcome.ok) throw new Error(`a signature that was accepted is malformed: ${outcome.error.details}`);
  return outcome.value;
}
