import { bcs, type InferBcsType } from "@mysten/bcs";
import { concatBytes } from "../../bytes.ts";
import type { Outcome } from "../../errors.ts";
import { accountAuthenticator, ed25519, multiEd25519 } from "./authenticator.ts";
import { address, decodeBcs, encodeBcs, vectorOf } from "./bcs.ts";
import { MAX_SECONDARY_SIGNERS, MAX_SIGNED_TRANSACTION_BYTES } from "./limits.ts";
import { rawTransaction, secondarySigners } from "./raw-transaction.ts";

const ADDRESS_BYTES = 32;

/** A transaction in its submitted form (aptos-core, `types/src/transaction/{mod,authenticator}.rs`). */

/** The secondary signers' signatures, in the order of their addresses. The chain refuses lists of different lengths. */
const multiAgent = {
  sender: accountAuthenticator,
  secondarySigners,
  secondaryAuthenticators: vectorOf(accountAuthenticator, MAX_SECONDARY_SIGNERS),
};

const transactionAuthenticator = bcs.enum("TransactionAuthenticator", {
  Ed25519: ed25519,
  MultiEd25519: multiEd25519,
  MultiAgent: bcs.struct("MultiAgentAuthenticator", multiAgent),
  FeePayer: bcs.struct("FeePayerAuthenticator", {
    ...multiAgent,
    feePayer: address,
    feePayerAuthenticator: accountAuthenticator,
  }),
  SingleSender: bcs.struct("SingleSenderAuthenticator", { sender: accountAuthenticator }),
});

const signedTransaction = bcs.struct("SignedTransaction", { rawTransaction, authenticator: transactionAuthenticator });

/** The decoded signatures of a transaction, by the number of its signers. They are not verified. */
export type TransactionAuthenticator = InferBcsType<typeof transactionAuthenticator>;
/** A decoded transaction with its signatures. They are not verified. */
export type SignedTransaction = InferBcsType<typeof signedTransaction>;

/**
 * Decodes a signed transaction. Does not verify its signatures.
 *
 * @returns refuses with `non_canonical_bytes` or `unsupported_transaction`. An accepted one encodes to the same bytes.
 */
export function decodeSignedTransaction(bytes: Uint8Array): Outcome<SignedTransaction> {
  return decodeBcs(signedTransaction, bytes, MAX_SIGNED_TRANSACTION_BYTES);
}

/**
 * BCS of `TransactionAuthenticator::FeePayer` without a signature (`AccountAuthenticator::NoAccountAuthenticator`) and
 * with the zero address as the fee payer. Only a simulation accepts it.
 */
const UNSIGNED = concatBytes(Uint8Array.of(3, 4, 0, 0), new Uint8Array(ADDRESS_BYTES), Uint8Array.of(4));

/** Encodes the simulation of a transaction that a fee payer pays for. */
export function encodeUnsigned(rawTransactionBytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatBytes(rawTransactionBytes, UNSIGNED);
}

/** Encodes a submission: the signed bytes, spliced in unchanged, and the signatures. */
export function encodeSignedTransaction(
  rawTransactionBytes: Uint8Array,
  authenticator: TransactionAuthenticator,
): Uint8Array {
  return concatBytes(rawTransactionBytes, encodeBcs(transactionAuthenticator, authenticator));
}
