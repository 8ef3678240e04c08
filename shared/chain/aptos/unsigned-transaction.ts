import { bcs } from "@mysten/bcs";
import { done, type Outcome, refuse } from "../../errors.ts";
import { address, decodeBcs, restBytes } from "./bcs.ts";
import { MAX_UNSIGNED_TRANSACTION_BYTES } from "./limits.ts";
import { rawTransaction, secondarySigners } from "./raw-transaction.ts";

const ADDRESS_BYTES = 32;

/** A transaction with the addresses of its signers, before they sign. */
export interface UnsignedTransaction {
  /** The BCS as received. */
  readonly rawTransaction: Uint8Array;
  /** Addresses in full length, in the order of their signatures. */
  readonly secondaryAddresses: readonly string[];
  /** The zero address if the builder did not know the fee payer. Null if the sender pays. */
  readonly feePayer: string | null;
}

const feePayer = bcs.option(address);
const withSigners = bcs.struct("MultiAgentTransaction", { secondarySigners, feePayer });
const unsigned = bcs.struct("SimpleTransaction or MultiAgentTransaction", { rawTransaction, signers: restBytes });

/**
 * Decodes the transactions that the chain's SDK builds. A `MultiAgentTransaction` has a list of signers before the fee
 * payer, unlike a `SimpleTransaction`. Only their lengths distinguish them: the part after the raw transaction has one
 * byte beside its addresses, or two.
 *
 * @returns refuses with `non_canonical_bytes` or `unsupported_transaction`.
 */
export function decodeUnsignedTransaction(bytes: Uint8Array): Outcome<UnsignedTransaction> {
  const decoded = decodeBcs(unsigned, bytes, MAX_UNSIGNED_TRANSACTION_BYTES);
  if (!decoded.ok) return decoded;
  const { signers } = decoded.value;
  if (signers.length === 0)
    return refuse(
      "unsupported_transaction",
      "this is a raw transaction without its fee payer: send the SDK's transaction",
    );
  const raw = bytes.subarray(0, bytes.length - signers.length);
  if (signers.length % ADDRESS_BYTES === 1) {
    const payer = decodeBcs(feePayer, signers, MAX_UNSIGNED_TRANSACTION_BYTES);
    return payer.ok ? done({ rawTransaction: raw, secondaryAddresses: [], feePayer: payer.value }) : payer;
  }
  const named = decodeBcs(withSigners, signers, MAX_UNSIGNED_TRANSACTION_BYTES);
  if (!named.ok) return named;
  const { secondarySigners: secondaryAddresses, feePayer: payer } = named.value;
  return done({ rawTransaction: raw, secondaryAddresses, feePayer: payer });
}
