import { bcs } from "@mysten/sui/bcs";

/** What a transaction says, for somebody who is about to sign it or to have it executed. */
export interface SponsoredBytes {
  readonly kindBytes: Uint8Array;
  readonly sender: string;
  /** Who pays. */
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
