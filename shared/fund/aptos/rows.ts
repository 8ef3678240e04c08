import { bigintOrNull, oneOf, type Row } from "../../durable/sql.ts";
import { treasuryStates } from "../views.ts";
import type { AptosTreasuryTransaction } from "./store.ts";

/** A row of the table `aptos_own_transaction`. */
export type TreasuryRow = Row<{
  hash: string;
  state: string;
  sequence_number: string;
  signed_transaction: ArrayBuffer;
  gas_budget: string;
  amount: string;
  collected_fees: string;
  created_at_ms: number;
  expires_at_ms: number;
  charged: string | null;
  committed_version: string | null;
  resends: number;
}>;

/** Decodes a withdrawal from its row. */
export function treasuryTransactionOf(row: TreasuryRow): AptosTreasuryTransaction {
  return {
    hash: row.hash,
    state: oneOf(row.state, treasuryStates),
    sequenceNumber: BigInt(row.sequence_number),
    signedTransaction: new Uint8Array(row.signed_transaction),
    gasBudgetAtoms: BigInt(row.gas_budget),
    amountAtoms: BigInt(row.amount),
    collectedFeesAtoms: BigInt(row.collected_fees),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    chargedAtoms: bigintOrNull(row.charged),
    committedVersion: bigintOrNull(row.committed_version),
    submitCount: row.resends,
  };
}

/** A row of the table `aptos_used_sequence`. */
export type UsedSequenceRow = Row<{
  reference: string;
  version: string;
  time_ms: number;
  since_ms: number;
  said_again: number;
}>;
