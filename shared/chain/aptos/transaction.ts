import type { InferBcsInput } from "@mysten/bcs";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concatBytes, toHex, utf8 } from "../../bytes.ts";
import { addressOfBytes } from "./address.ts";
import { encodeBcs } from "./bcs.ts";
import { rawTransactionWithData } from "./raw-transaction.ts";

/** `Scheme::Ed25519` (aptos-core, `types/src/transaction/authenticator.rs`). */
const ED25519_SCHEME = Uint8Array.of(0);
/** Index of `UserTransaction` in the `Transaction` enum (`types/src/transaction/mod.rs`). */
const USER_TRANSACTION = Uint8Array.of(0);

/**
 * Derives the prefix that the chain puts before the BCS of a type. So no two types share a message (aptos-crypto,
 * `CryptoHasher`).
 */
function domainOf(type: string): Uint8Array {
  return sha3_256(utf8(`APTOS::${type}`));
}

const RAW_TRANSACTION = domainOf("RawTransaction");
const RAW_TRANSACTION_WITH_DATA = domainOf("RawTransactionWithData");
const TRANSACTION = domainOf("Transaction");

function messageWithData(withData: InferBcsInput<typeof rawTransactionWithData>): Uint8Array {
  return concatBytes(RAW_TRANSACTION_WITH_DATA, encodeBcs(rawTransactionWithData, withData));
}

/**
 * Derives the address and authentication key of an Ed25519 key in the chain's first scheme: `sha3_256(public key ‖ 0)`.
 * They are the same until the account rotates its key.
 */
export function aptosAddress(publicKey: Uint8Array): string {
  return addressOfBytes(sha3_256(concatBytes(publicKey, ED25519_SCHEME)));
}

/**
 * The signers beside the sender. They determine the message that each of them signs. Signers other than the fee payer
 * may sign over the zero address instead; the chain tries both (AIP-53).
 */
export type CoSigners =
  | { readonly kind: "none" }
  /** The order is that of their signatures. */
  | { readonly kind: "multi_agent"; readonly secondarySigners: readonly string[] }
  | { readonly kind: "fee_payer"; readonly secondarySigners: readonly string[]; readonly feePayer: string };

/**
 * Encodes the bytes that each signer of a transaction signs.
 *
 * @param rawTransactionBytes the decoded bytes, which are spliced in without re-encoding.
 */
export function signingMessage(rawTransactionBytes: Uint8Array, coSigners: CoSigners): Uint8Array {
  switch (coSigners.kind) {
    case "none":
      return concatBytes(RAW_TRANSACTION, rawTransactionBytes);
    case "multi_agent": {
      const { secondarySigners } = coSigners;
      return messageWithData({ MultiAgent: { rawTransactionBytes, secondarySigners } });
    }
    case "fee_payer": {
      const { secondarySigners, feePayer } = coSigners;
      return messageWithData({ MultiAgentWithFeePayer: { rawTransactionBytes, secondarySigners, feePayer } });
    }
  }
}

/** Computes the hash of a transaction on the chain: `0x` and 64 hex digits. It depends on the signatures, too. */
export function transactionHash(signedTransactionBytes: Uint8Array): string {
  return `0x${toHex(sha3_256(concatBytes(TRANSACTION, USER_TRANSACTION, signedTransactionBytes)))}`;
}
