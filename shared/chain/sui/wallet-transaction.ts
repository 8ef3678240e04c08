import { bcs } from "@mysten/sui/bcs";
import { equalBytes } from "../../bytes.ts";
import { done, type Outcome, refuse } from "../../errors.ts";

/** The transaction that a wallet is to execute. The payer decides whether it may. */
export interface WalletTransaction {
  /** BCS of the transaction kind, which is not inspected yet. */
  readonly kindBytes: Uint8Array;
  /** Null if the bytes are a kind, which names no sender. */
  readonly sender: string | null;
  /** The last epoch in which it may execute. Null if the bytes set none. */
  readonly lastEpoch: bigint | null;
}

/**
 * Reads the `tx_bytes` of callers. Older callers of wallets build transaction data with the SDK's `build`. Deployed
 * client libraries send a transaction kind. Tries transaction data first, and accepts it only if it encodes to exactly
 * the same bytes. Drops its gas data, because the fund's own replaces it.
 *
 * @param bytes BCS of `TransactionData` or of `TransactionKind` (sui-types, `transaction.rs`).
 * @returns `unsupported_transaction` for an expiration other than a single epoch, because the fund never sets one like
 * it.
 */
export function readWalletTransaction(bytes: Uint8Array): Outcome<WalletTransaction> {
  const data = parseData(bytes);
  if (data === null) return done({ kindBytes: bytes, sender: null, lastEpoch: null });
  const { kind, sender, expiration } = data;
  const kindBytes = bcs.TransactionKind.serialize(kind).toBytes();
  switch (expiration.$kind) {
    case "None":
      return done({ kindBytes, sender, lastEpoch: null });
    case "Epoch":
      return done({ kindBytes, sender, lastEpoch: BigInt(expiration.Epoch) });
    default:
      return refuse("unsupported_transaction", "leave the transaction's expiration out: the fund sets it");
  }
}

/** Returns null if the bytes are not canonical BCS of `TransactionData::V1`. */
function parseData(bytes: Uint8Array) {
  try {
    const parsed = bcs.TransactionData.parse(bytes);
    return equalBytes(bcs.TransactionData.serialize(parsed).toBytes(), bytes) ? parsed.V1 : null;
  } catch {
    return null;
  }
}
