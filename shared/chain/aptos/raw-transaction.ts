import { BcsType, bcs, type InferBcsType } from "@mysten/bcs";
import type { Outcome } from "../../errors.ts";
import { address, decodeBcs, encodeBcs, u64, vectorOf } from "./bcs.ts";
import { MAX_SECONDARY_SIGNERS, MAX_TRANSACTION_BYTES } from "./limits.ts";
import { transactionPayload } from "./payload.ts";

/**
 * A transaction before it is signed, and the message for several signers (aptos-core, `types/src/transaction/mod.rs`).
 */

export const rawTransaction = bcs.struct("RawTransaction", {
  sender: address,
  sequenceNumber: u64,
  payload: transactionPayload,
  maxGasAmount: u64,
  gasUnitPriceOctas: u64,
  expirationTimestampSeconds: u64,
  chainId: bcs.u8(),
});

/** A decoded transaction before its signatures. */
export type RawTransaction = InferBcsType<typeof rawTransaction>;

/** The order is that of their signatures. */
export const secondarySigners = vectorOf(address, MAX_SECONDARY_SIGNERS);

/** The decoded bytes are spliced in unchanged, so that exactly the inspected bytes are signed. */
const rawTransactionBytes = new BcsType<Uint8Array>({
  name: "RawTransaction",
  read: (reader) => encodeRawTransaction(rawTransaction.read(reader)),
  write: (bytes, writer) => {
    writer.writeBytes(bytes);
  },
});

/** The BCS codec of the message that several signers sign. */
export const rawTransactionWithData = bcs.enum("RawTransactionWithData", {
  MultiAgent: bcs.struct("MultiAgentRawTransaction", { rawTransactionBytes, secondarySigners }),
  MultiAgentWithFeePayer: bcs.struct("FeePayerRawTransaction", {
    rawTransactionBytes,
    secondarySigners,
    feePayer: address,
  }),
});

/**
 * Decodes a raw transaction of any kind that the chain executes, except module bundles and encrypted payloads.
 *
 * @returns refuses with `non_canonical_bytes` or `unsupported_transaction`. An accepted one encodes to the same bytes.
 */
export function decodeRawTransaction(bytes: Uint8Array): Outcome<RawTransaction> {
  return decodeBcs(rawTransaction, bytes, MAX_TRANSACTION_BYTES);
}

/** Encodes a raw transaction as BCS. */
export function encodeRawTransaction(transaction: RawTransaction): Uint8Array {
  return encodeBcs(rawTransaction, transaction);
}
