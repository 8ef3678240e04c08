// Sui only (NO_GAS_OBJECT, GAS_OBJECT_ID): the address balance may pay instead of a coin.
// Sui only (LIFE_COLUMNS, lifeOf): on Aptos, a look-up needs the signatures of the row too.

import { bigintOrNull, oneOf, type Row, WordNumbers } from "../../durable/sql.ts";
import { type SqliteTraces, TRACE_COLUMNS, TRACE_ROOM_BYTES, type TraceRow } from "../explain/sqlite-traces.ts";
import { shownEnding } from "../explain/trace.ts";
import type { KeyNumbers } from "../ledger/key-numbers.ts";
import { pack, unpack } from "../packed.ts";
import { type SponsorshipView, sponsorshipStates } from "../views.ts";
import { isGasless } from "./payment.ts";
import type { SuiLife, SuiSponsorship, SuiSponsorshipState } from "./store.ts";

/** A sponsorship with its number in the list. Numbers only grow, and are never reused. */
export interface SuiNumbered {
  readonly number: number;
  readonly row: SuiSponsorship;
}

/** The numbers of the states. Numbers up to `LAST_LIVE` mean live states. */
export const states = new WordNumbers<SuiSponsorshipState>({
  prepared: 2,
  signed: 3,
  expired: 4,
  complete: 5,
  dead: 6,
  unresolvable: 7,
});
/** The greatest number of a live state. The index `sponsorship_row_live` has this number, too: never change it. */
export const LAST_LIVE = 4;

/** The room for the outcome of a row, bytes. */
const ROOM_BYTES = 24 + TRACE_ROOM_BYTES;
const TIME_BYTES = 6;

const EMPTY = new ArrayBuffer(0);

/** A row of `sponsorship_row`, with its bytes if they were read and are still kept. */
export type SponsorshipRow = Row<{
  seq: number;
  digest: ArrayBuffer | string;
  state: number;
  transaction_bytes?: ArrayBuffer | null;
  sender: ArrayBuffer | string;
  key_number: number;
  gas_object_id: ArrayBuffer | string | null;
  gas_budget_mist: string;
  fee_mist: string;
  expiration_epoch: string;
  since_checkpoint: string | null;
  max_storage_mist: string | null;
  created_at_ms: number;
  signed_at_ms: number | null;
  expires_at_ms: number;
  charged_mist: string | null;
  rebate_mist: string | null;
  maintenance_mist: string | null;
  released: number;
}> &
  TraceRow;

/** The columns that decide about a sponsorship when a look-up does not find it. */
export const LIFE_COLUMNS = [
  "state",
  "gas_object_id",
  "gas_budget_mist",
  "expiration_epoch",
  "since_checkpoint",
  "created_at_ms",
  "signed_at_ms",
  "expires_at_ms",
] as const;

/** Reads a part of a sponsorship. Throws if the state is unknown. */
export function lifeOf(row: Pick<SponsorshipRow, (typeof LIFE_COLUMNS)[number]>): SuiLife {
  return {
    state: states.wordOf(row.state),
    gasObjectId: row.gas_object_id === null ? null : unpack(row.gas_object_id),
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: bigintOrNull(row.since_checkpoint),
    createdAtMs: row.created_at_ms,
    signedAtMs: row.signed_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

/** Reads a sponsorship. Throws if the state is unknown. */
export function sponsorshipOf(row: SponsorshipRow, keys: KeyNumbers, traces: SqliteTraces): SuiNumbered {
  const life = lifeOf(row);
  const sponsorship = {
    ...life,
    digest: unpack(row.digest),
    transactionBytes: new Uint8Array(row.transaction_bytes ?? EMPTY),
    sender: unpack(row.sender),
    keyId: keys.keyIdOf(row.key_number),
    feeAtoms: BigInt(row.fee_mist),
    maxStorageMist: bigintOrNull(row.max_storage_mist),
    chargedAtoms: bigintOrNull(row.charged_mist),
    rebateAtoms: bigintOrNull(row.rebate_mist),
    maintenanceAtoms: bigintOrNull(row.maintenance_mist),
    isReleased: row.released === 1,
    trace: traces.read(row, life),
  };
  return { number: row.seq, row: sponsorship };
}

/** Shows a sponsorship as the lists of operators do. */
export function sponsorshipViewOf(row: SuiSponsorship): SponsorshipView {
  const { digest, state, sender, keyId, gasBudgetAtoms, feeAtoms, chargedAtoms, rebateAtoms, maintenanceAtoms } = row;
  const { createdAtMs, expiresAtMs, trace } = row;
  return {
    digest,
    state,
    sender,
    keyId,
    gasBudgetAtoms,
    feeAtoms,
    chargedAtoms,
    rebateAtoms,
    maintenanceAtoms,
    createdAtMs,
    expiresAtMs,
    outcome: shownEnding(row),
    targets: trace?.targets ?? null,
    requestId: trace?.requestId ?? null,
    gasPaidBy: isGasless(row) ? "network" : "fund",
  };
}

/** The columns that a row may change, and the column of its room. */
export const CHANGING_COLUMNS = [
  "state",
  "key_number",
  "fee_mist",
  "since_checkpoint",
  "max_storage_mist",
  "created_at_ms",
  "signed_at_ms",
  "expires_at_ms",
  "charged_mist",
  "rebate_mist",
  "maintenance_mist",
  "released",
  "room",
  ...TRACE_COLUMNS,
] as const;

/** The values of `CHANGING_COLUMNS`. */
export function changingValues(row: SuiSponsorship, keys: KeyNumbers, traces: SqliteTraces): readonly unknown[] {
  return [
    states.numberOf(row.state),
    keys.numberOf(row.keyId),
    row.feeAtoms.toString(),
    row.sinceCheckpoint?.toString() ?? null,
    row.maxStorageMist?.toString() ?? null,
    row.createdAtMs,
    row.signedAtMs,
    row.expiresAtMs,
    row.chargedAtoms?.toString() ?? null,
    row.rebateAtoms?.toString() ?? null,
    row.maintenanceAtoms?.toString() ?? null,
    row.isReleased ? 1 : 0,
    states.numberOf(row.state) > LAST_LIVE
      ? null
      : new Uint8Array(ROOM_BYTES + (row.signedAtMs === null ? TIME_BYTES : 0)),
    ...traces.values(row.trace, row),
  ];
}

/** The columns that the digest determines. */
export const FIXED_COLUMNS = ["digest", "sender", "gas_object_id", "gas_budget_mist", "expiration_epoch"] as const;

/** The values of `FIXED_COLUMNS`. */
export function fixedValues(row: SuiSponsorship): readonly unknown[] {
  return [
    pack(row.digest),
    pack(row.sender),
    row.gasObjectId === null ? null : pack(row.gasObjectId),
    row.gasBudgetAtoms.toString(),
    row.expirationEpoch.toString(),
  ];
}

/** Reads the gas coin's id of `sponsorship_row` in the form of the table `coin`. */
export const GAS_OBJECT_ID = `CASE typeof(gas_object_id)
  WHEN 'blob' THEN '0x' || lower(hex(substr(gas_object_id, 2))) ELSE gas_object_id END`;

/** A row of `sponsorship`, the table of version 5. `gas_object_id` is `NO_GAS_OBJECT` if the address balance pays. */
export type OldSponsorshipRow = Row<{
  seq: number;
  digest: string;
  state: string;
  transaction_bytes: ArrayBuffer;
  sender: string;
  key_id: string;
  gas_object_id: string;
  gas_budget_mist: string;
  fee_mist: string;
  expiration_epoch: string;
  since_checkpoint: string | null;
  max_storage_mist: string | null;
  created_at_ms: number;
  signed_at_ms: number | null;
  expires_at_ms: number;
  charged_mist: string | null;
  rebate_mist: string | null;
  maintenance_mist: string | null;
}>;

/** The value for "the address balance pays" in a column that an older version made NOT NULL. */
export const NO_GAS_OBJECT = "";

/** Reads a sponsorship of version 5. Throws if the state is unknown. */
export function oldSponsorshipOf(row: OldSponsorshipRow): SuiNumbered {
  const sponsorship = {
    digest: row.digest,
    state: oneOf(row.state, sponsorshipStates),
    transactionBytes: new Uint8Array(row.transaction_bytes),
    sender: row.sender,
    keyId: row.key_id,
    gasObjectId: row.gas_object_id === NO_GAS_OBJECT ? null : row.gas_object_id,
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    feeAtoms: BigInt(row.fee_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: bigintOrNull(row.since_checkpoint),
    maxStorageMist: bigintOrNull(row.max_storage_mist),
    createdAtMs: row.created_at_ms,
    signedAtMs: row.signed_at_ms,
    expiresAtMs: row.expires_at_ms,
    chargedAtoms: bigintOrNull(row.charged_mist),
    rebateAtoms: bigintOrNull(row.rebate_mist),
    maintenanceAtoms: bigintOrNull(row.maintenance_mist),
    isReleased: false,
  };
  return { number: row.seq, row: sponsorship };
}
