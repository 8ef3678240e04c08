import { bcs } from "@mysten/sui/bcs";

/** The content of a transaction, for a caller who is about to sign it or to have it executed. */
export interface SponsoredBytes {
  readonly kindBytes: Uint8Array;
  readonly sender: string;
  /** The address that pays. */
  readonly gasOwner: string;
  readonly gasBudgetMist: bigint;
  /** True if coins pay. Otherwise an address balance does, or nobody. */
  readonly hasCoins: boolean;
  /** The last epoch in which the chain accepts it. Null if it never expires. */
  readonly lastEpoch: bigint | null;
}

/** Reads `TransactionData::V1` with a programmable kind. Null for any other bytes. */
export function readSponsoredBytes(transactionBytes: Uint8Array): SponsoredBytes | null {
  try {
    const { kind, sender, gasData, expiration } = bcs.TransactionData.parse(transactionBytes).V1;
    if (kind.$kind !== "ProgrammableTransaction") return null;
    const lastEpoch = expiration.Epoch ?? expiration.ValidDuring?.maxEpoch ?? null;
    return {
      kindBytes: bcs.TransactionKind.serialize(kind).toBytes(),
      sender,
      gasOwner: gasData.owner,
      gasBudgetMist: BigInt(gasData.budget),
      hasCoins: gasData.payment.length > 0,
      lastEpoch: lastEpoch === null ? null : BigInt(lastEpoch),
    };
  } catch {
    return null;
  }
}
