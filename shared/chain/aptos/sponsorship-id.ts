import { sha3_256 } from "@noble/hashes/sha3.js";
import { concatBytes, toHex } from "../../bytes.ts";
import { addressBytes } from "./address.ts";
import { encodeBcs } from "./bcs.ts";
import { secondarySigners } from "./raw-transaction.ts";

/**
 * Names the bytes that a fee payer signs, before anybody has signed. The name is 64 hex digits of the SHA3-256 over
 * three parts in order: the raw transaction, the BCS vector of the secondary signers' addresses, and the fee payer's
 * address. A transaction hash would be unsuitable, because it covers all signatures.
 *
 * @param secondaryAddresses in the order of their signatures, in full length.
 */
export function sponsorshipId(
  rawTransactionBytes: Uint8Array,
  secondaryAddresses: readonly string[],
  feePayer: string,
): string {
  const secondary = encodeBcs(secondarySigners, [...secondaryAddresses]);
  return toHex(sha3_256(concatBytes(rawTransactionBytes, secondary, addressBytes(feePayer))));
}
