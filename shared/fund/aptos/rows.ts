// Aptos only (authenticatorsText): the fund keeps signatures that it submits later.

import { fromHex, toHex } from "../../bytes.ts";
import { bigintOrNull, oneOf, type Row } from "../../durable/sql.ts";
import type { SponsorshipView } from "../views.ts";
import type { AptosAuthenticators, AptosSponsorship, AptosTreasuryTransaction } from "./store.ts";
import { aptosSponsorshipStates, aptosTreasuryStates } from "./store.ts";

/** A row of the table `aptos_sponsorship`. */
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

/** Encodes authenticators as hex, the sender's first. Any number of secondary signers follows. */
export function authenticatorsText({ sender, secondary }: AptosAuthenticators): string {
  return [sender, ...secondary].map(toHex).join(" ");
}

function authenticatorsOf(text: string): AptosAuthenticators {
  const [sender = "", ...secondary] = text.split(" ");
  return { sender: fromHex(sender), secondary: secondary.map(fromHex) };
}

/** Shows a sponsorship as the lists of operators do. */
export function sponsorshipViewOf(row: AptosSponsorship): SponsorshipView {
  const { id, hash, state, sender, keyId, gasBudgetAtoms, feeAtoms, chargedAtoms, rebateAtoms } = row;
  const { createdAtMs, expiresAtMs } = row;
  return {
    digest: hash ?? id,
    state,
    sender,
    keyId,
    gasBudgetAtoms,
    feeAtoms,
    chargedAtoms,
    rebateAtoms,
    maintenanceAtoms: null,
    createdAtMs,
    expiresAtMs,
  };
}

/** Decodes a sponsorship from its row. */
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

/** Decodes a withdrawal from its row. */
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

/** A row of the table `aptos_used_sequence`. */
export type UsedSequenceRow = Row<{
  reference: string;
  version: string;
  time_ms: number;
  since_ms: number;
  said_again: number;
}>;
