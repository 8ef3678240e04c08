import { bcs } from "@mysten/sui/bcs";

/** The content of a transaction, for a caller who is about to sign it or to have it executed. */
export interface SponsoredBytes {
  readonly kindBytes: Uint8Array;
  readonly sender: string;
  /** The address that pays. */
  readonly gasOwner: string;
  readonly gasBudgetMist: bigint;
}

/** Reads `TransactionData::V1` with a programmable kind; null for anything else. */
export function readSponsoredBytes(transactionBytes: Uint8Array): SponsoredBytes | null {
  try {
    const { kind, sender, gasData } = bcs.TransactionData.parse(transactionBytes).V1;
    if (kind.$kind !== "ProgrammableTransaction") return null;
    return {
      kindBytes: bcs.TransactionKind.serialize(kind).toBytes(),
      sender,
      gasOwner: gasData.owner,
      gasBudgetMist: BigInt(gasData.budget),
    };
  } catch {
    return null;
  }
}
