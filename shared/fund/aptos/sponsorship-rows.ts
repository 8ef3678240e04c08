// Aptos only (authenticatorsText): the fund keeps signatures that it submits later.
// Aptos only (packReplay): a sequence number or a nonce protects against a replay.
// Aptos only (DEAD): an index finds dead rows, which a new row at their sequence number must differ from.

import { concatBytes, fromHex, toHex } from "../../bytes.ts";
import { bigintOrNull, oneOf, type Row, WordNumbers } from "../../durable/sql.ts";
import { type SqliteTraces, TRACE_COLUMNS, TRACE_ROOM_BYTES, type TraceRow } from "../explain/sqlite-traces.ts";
import { shownEnding } from "../explain/trace.ts";
import type { KeyNumbers } from "../ledger/key-numbers.ts";
import { pack, sortableU64, u64Of, unpack } from "../packed.ts";
import type { SponsorshipView } from "../views.ts";
import {
  type AptosAuthenticators,
  type AptosSponsorship,
  type AptosSponsorshipState,
  aptosSponsorshipStates,
  NO_SEQUENCE_NUMBER,
} from "./store.ts";

/** A sponsorship with its number in the list. Numbers only grow, and are never reused. */
export interface AptosNumbered {
  readonly number: number;
  readonly row: AptosSponsorship;
}

/**
 * The numbers of the states. Indexes of `aptos_sponsorship_row` use the numbers of `signed` and `dead`: never change
 * them.
 */
export const states = new WordNumbers<AptosSponsorshipState>({ signed: 2, complete: 3, dead: 4, unresolvable: 5 });
/** The only live state. The index `aptos_sponsorship_row_live` uses this number, too: never change it. */
export const LAST_LIVE = 2;
/** The state in which a row gives up its sequence number. */
export const DEAD = 4;

/** The room for the outcome and the hash of a row, bytes. */
const ROOM_BYTES = 20 + TRACE_ROOM_BYTES;
const HASH_BYTES = 33;

const EMPTY = new ArrayBuffer(0);

/** A row of `aptos_sponsorship_row`, with its bytes if they were read and are still kept. */
export type SponsorshipRow = Row<{
  seq: number;
  id: ArrayBuffer | string;
  state: number;
  sender: ArrayBuffer | string;
  sequence_number: ArrayBuffer;
  raw_transaction?: ArrayBuffer | null;
  secondary_addresses: string | null;
  authenticators?: string | null;
  since_version?: ArrayBuffer | null;
  hash: ArrayBuffer | string | null;
  key_number: number;
  gas_budget: string;
  fee: string;
  created_at_ms: number;
  expires_at_ms: number;
  charged: string | null;
  rebate: string | null;
  committed_version: ArrayBuffer | null;
  resends: number;
}> &
  TraceRow;

/** Encodes authenticators as hex, the sender's first. Any number of secondary signers follows. Null for none. */
export function authenticatorsText(authenticators: AptosAuthenticators | null): string | null {
  if (authenticators === null) return null;
  return [authenticators.sender, ...authenticators.secondary].map(toHex).join(" ");
}

function authenticatorsOf(text: string): AptosAuthenticators {
  const [sender = "", ...secondary] = text.split(" ");
  return { sender: fromHex(sender), secondary: secondary.map(fromHex) };
}

const U64_BYTES = 8;

/**
 * Packs a sequence number, or a nonce as 16 bytes, which sort behind all sequence numbers. It protects against a
 * replay.
 */
export function packReplay({ sequenceNumber, nonce }: Pick<AptosSponsorship, "sequenceNumber" | "nonce">): Uint8Array {
  return nonce === null
    ? sortableU64(sequenceNumber)
    : concatBytes(sortableU64(NO_SEQUENCE_NUMBER), sortableU64(nonce));
}

/** Reads the result of `packReplay`. */
function replayOf(packed: ArrayBuffer): Pick<AptosSponsorship, "sequenceNumber" | "nonce"> {
  return packed.byteLength === U64_BYTES
    ? { sequenceNumber: u64Of(packed), nonce: null }
    : { sequenceNumber: NO_SEQUENCE_NUMBER, nonce: u64Of(packed.slice(U64_BYTES)) };
}

/** Reads a sponsorship. Throws if the state is unknown. */
export function sponsorshipOf(row: SponsorshipRow, keys: KeyNumbers, traces: SqliteTraces): AptosNumbered {
  const { authenticators, hash, committed_version: committedVersion } = row;
  const sponsorship = {
    id: unpack(row.id),
    state: states.wordOf(row.state),
    sender: unpack(row.sender),
    ...replayOf(row.sequence_number),
    sinceVersion: row.since_version == null ? null : u64Of(row.since_version),
    rawTransaction: new Uint8Array(row.raw_transaction ?? EMPTY),
    secondaryAddresses: row.secondary_addresses?.split(" ") ?? [],
    authenticators: authenticators == null ? null : authenticatorsOf(authenticators),
    hash: hash === null ? null : unpack(hash),
    keyId: keys.keyIdOf(row.key_number),
    gasBudgetAtoms: BigInt(row.gas_budget),
    feeAtoms: BigInt(row.fee),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    chargedAtoms: bigintOrNull(row.charged),
    rebateAtoms: bigintOrNull(row.rebate),
    committedVersion: committedVersion === null ? null : u64Of(committedVersion),
    submitCount: row.resends,
    trace: traces.read(row, { createdAtMs: row.created_at_ms }),
  };
  return { number: row.seq, row: sponsorship };
}

/** Shows a sponsorship as the lists of operators do. */
export function sponsorshipViewOf(row: AptosSponsorship): SponsorshipView {
  const { id, hash, state, sender, keyId, gasBudgetAtoms, feeAtoms, chargedAtoms, rebateAtoms } = row;
  const { createdAtMs, expiresAtMs, trace } = row;
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
    outcome: shownEnding(row),
    targets: trace?.targets ?? null,
    requestId: trace?.requestId ?? null,
    gasPaidBy: "fund",
  };
}

/** The columns that a row may change, and the column of its room. */
export const CHANGING_COLUMNS = [
  "state",
  "hash",
  "charged",
  "rebate",
  "committed_version",
  "resends",
  "room",
  ...TRACE_COLUMNS,
] as const;

/** The values of `CHANGING_COLUMNS`. */
export function changingValues(row: AptosSponsorship, traces: SqliteTraces): readonly unknown[] {
  return [
    states.numberOf(row.state),
    row.hash === null ? null : pack(row.hash),
    row.chargedAtoms?.toString() ?? null,
    row.rebateAtoms?.toString() ?? null,
    row.committedVersion === null ? null : sortableU64(row.committedVersion),
    row.submitCount,
    row.state === "signed" ? new Uint8Array(ROOM_BYTES + (row.hash === null ? HASH_BYTES : 0)) : null,
    ...traces.values(row.trace, row),
  ];
}

/** The columns that never change. */
export const FIXED_COLUMNS = [
  "id",
  "sender",
  "sequence_number",
  "secondary_addresses",
  "key_number",
  "gas_budget",
  "fee",
  "created_at_ms",
  "expires_at_ms",
] as const;

/** The values of `FIXED_COLUMNS`. */
export function fixedValues(row: AptosSponsorship, keys: KeyNumbers): readonly unknown[] {
  return [
    pack(row.id),
    pack(row.sender),
    packReplay(row),
    row.secondaryAddresses.length === 0 ? null : row.secondaryAddresses.join(" "),
    keys.numberOf(row.keyId),
    row.gasBudgetAtoms.toString(),
    row.feeAtoms.toString(),
    row.createdAtMs,
    row.expiresAtMs,
  ];
}

/** A row of `aptos_sponsorship`, the table of version 5. */
export type OldSponsorshipRow = Row<{
  seq: number;
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

/** Reads a sponsorship of version 5. Throws if the state is unknown. */
export function oldSponsorshipOf(row: OldSponsorshipRow): AptosNumbered {
  const sponsorship = {
    id: row.id,
    state: oneOf(row.state, aptosSponsorshipStates),
    sender: row.sender,
    sequenceNumber: BigInt(row.sequence_number),
    nonce: null,
    sinceVersion: null,
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
  return { number: row.seq, row: sponsorship };
}
