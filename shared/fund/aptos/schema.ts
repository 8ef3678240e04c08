import { fromHex, toHex } from "../../bytes.ts";
import { bigintOrNull, oneOf, type Row } from "../../durable/sql.ts";
import type { AptosAuthenticators, AptosSponsorship, AptosTreasuryTransaction } from "./store.ts";
import { aptosSponsorshipStates, aptosTreasuryStates } from "./store.ts";

/** Part of version 3. u64 numbers that are compared are text of 20 digits, as in the tables of Sui. */
export const APTOS_FUND_STORE_MIGRATION = `
  CREATE TABLE aptos_sponsorship (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    sender TEXT NOT NULL,
    sequence_number TEXT NOT NULL,
    raw_transaction BLOB NOT NULL,
    secondary_addresses TEXT NOT NULL,
    authenticators TEXT,
    hash TEXT,
    key_id TEXT NOT NULL,
    gas_budget TEXT NOT NULL,
    fee TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    charged TEXT,
    rebate TEXT,
    committed_version TEXT,
    resends INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX aptos_sponsorship_standing ON aptos_sponsorship (sender, sequence_number) WHERE state <> 'dead';
  CREATE INDEX aptos_sponsorship_live ON aptos_sponsorship (sender, sequence_number) WHERE state = 'signed';
  CREATE INDEX aptos_sponsorship_by_sender ON aptos_sponsorship (sender, created_at_ms);
  CREATE INDEX aptos_sponsorship_by_version ON aptos_sponsorship (committed_version)
    WHERE committed_version IS NOT NULL;

  CREATE TABLE aptos_own_transaction (
    hash TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    sequence_number TEXT NOT NULL,
    signed_transaction BLOB NOT NULL,
    gas_budget TEXT NOT NULL,
    amount TEXT NOT NULL,
    collected_fees TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    charged TEXT,
    committed_version TEXT,
    resends INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX aptos_own_transaction_pending ON aptos_own_transaction (state) WHERE state = 'pending';

  CREATE TABLE aptos_compared (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version TEXT NOT NULL
  ) STRICT;
`;

export type SponsorshipRow = Row<{
  id: string;
  state: string;
  sender: string;
  sequence_number: string;
  raw_transaction: ArrayBuffer;
  secondary_addresses: string;
  authenticators: string | null;
  hash: string | null;
  key_id: string;
  gas_budget: string;
  fee: string;
  created_at_ms: number;
  expires_at_ms: number;
  charged: string | null;
  rebate: string | null;
  committed_version: string | null;
  resends: number;
}>;

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

/** Hex, the sender's first: whatever number of secondary signers follows. */
export function authenticatorsText({ sender, secondary }: AptosAuthenticators): string {
  return [sender, ...secondary].map(toHex).join(" ");
}

export function authenticatorsOf(text: string): AptosAuthenticators {
  const [sender = "", ...secondary] = text.split(" ");
  return { sender: fromHex(sender), secondary: secondary.map(fromHex) };
}

export function sponsorshipOf(row: SponsorshipRow): AptosSponsorship {
  return {
    id: row.id,
    state: oneOf(row.state, aptosSponsorshipStates),
    sender: row.sender,
    sequenceNumber: BigInt(row.sequence_number),
    rawTransaction: new Uint8Array(row.raw_transaction),
    secondaryAddresses: row.secondary_addresses === "" ? [] : row.secondary_addresses.split(" "),
    authenticators: row.authenticators === null ? null : authenticatorsOf(row.authenticators),
    hash: row.hash,
    keyId: row.key_id,
    gasBudgetAtoms: BigInt(row.gas_budget),
    feeAtoms: BigInt(row.fee),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    chargedAtoms: bigintOrNull(row.charged),
    rebateAtoms: bigintOrNull(row.rebate),
    committedVersion: bigintOrNull(row.committed_version),
    submitCount: row.resends,
  };
}

export function treasuryTransactionOf(row: TreasuryRow): AptosTreasuryTransaction {
  return {
    hash: row.hash,
    state: oneOf(row.state, aptosTreasuryStates),
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
