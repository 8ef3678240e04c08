import { toBase58, toHex } from "@mysten/sui/utils";
import { DueTable } from "../../../shared/durable/due-table.ts";
import { FUND_DUE_COLUMNS } from "../../../shared/fund/due-times.ts";
import {
  type DueKind,
  type LedgerKind,
  type LedgerRow,
  type SetDue,
  WHOLE_FUND,
} from "../../../shared/fund/ledger/books.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import type {
  CoinState,
  FundCoin,
  PartyCoin,
  SuiSponsorship,
  SuiSponsorshipState,
  SuiTreasuryTransaction,
  TreasuryPurpose,
} from "../../../shared/fund/sui/store.ts";
import { type TreasuryState, UNRESOLVABLE } from "../../../shared/fund/views.ts";
import { type DueRow, type Rows, textOf, type VisibleStore } from "../../fund/simulation/visible-store.ts";
import { dueRows } from "./due-rows.ts";
import { reread } from "./reread.ts";

/** An alarm at this time never fires in a test. */
export const FAR_MS = Date.UTC(2200, 0, 1);

/** Those that funds of all chains have. */
const COMMON_TABLES = [
  "ledger_row",
  "totals",
  "usage",
  "sender_usage",
  "daily_count",
  "idempotency",
  "due",
  "key_number",
];
const SUI_TABLES = ["coin", "party_coin", "sponsorship_row", "sponsorship_bytes", "own_transaction"];

/**
 * Empties a fund's tables.
 *
 * @param ofChain those that only funds of its chain have.
 * @returns the common ones.
 */
export function emptied(sql: SqlStorage, ofChain: readonly string[]): readonly string[] {
  for (const table of [...ofChain, ...COMMON_TABLES]) sql.exec(`DELETE FROM ${table}`);
  return COMMON_TABLES;
}

/** Writes due times as a fund does. Its alarm stays far away. */
export function writeDue(storage: DurableObjectStorage): SetDue {
  const due = new DueTable(storage, () => FAR_MS, {}, FUND_DUE_COLUMNS);
  return (kind, reference, atMs) => due.set(kind, reference, atMs);
}

export function readDue(sql: SqlStorage): DueRow[] {
  return dueRows(sql).map((row) => ({ ...row, kind: row.kind as DueKind }));
}

const LEDGER = "SELECT * FROM ledger_row LEFT JOIN key_number ON number = key_number";

/** Reads ledger rows in order, without the first so many. Of a step's few rows, or of all again and again. */
export function ledgerReader(sql: SqlStorage): (index: number) => LedgerRow[] {
  const all = reread(sql, LEDGER, "sequence", ledgerOf);
  return (index) =>
    index === 0
      ? all()
      : sql
          .exec<LedgerTableRow & Record<string, SqlStorageValue>>(
            `${LEDGER} ORDER BY sequence LIMIT -1 OFFSET ?`,
            index,
          )
          .toArray()
          .map(ledgerOf);
}

/** Counts the changes of rows since the database was opened. A rollback does not lower the count. */
function changesIn(sql: SqlStorage): number {
  return sql.exec<{ changes: number }>("SELECT total_changes() AS changes").one().changes;
}

function readReferences(sql: SqlStorage): ReadonlySet<string> {
  const rows = sql.exec<{ reference: string }>("SELECT reference FROM idempotency").toArray();
  return new Set(rows.map(({ reference }) => reference));
}

/** The store of a real Fund object, emptied. What the checks see is read from its tables, not through the store. */
export function sqlite(storage: DurableObjectStorage): VisibleStore {
  const { sql } = storage;
  const tables = [...SUI_TABLES, ...emptied(sql, SUI_TABLES)];
  const open = () => new SqliteSuiFundStore(storage, writeDue(storage));
  let store = open();
  /** The rows that were read since the last change or rollback. Most steps read far more than they write. */
  let read: { readonly rows: Rows; readonly changes: number } | null = null;
  const coins = reread(sql, "SELECT * FROM coin", "object_id", coinOf);
  const partyCoins = reread(sql, "SELECT * FROM party_coin", "object_id", partyCoinOf);
  const sponsorships = reread(
    sql,
    `SELECT sponsorship_row.*, key_id, transaction_bytes
     FROM sponsorship_row JOIN key_number ON number = key_number LEFT JOIN sponsorship_bytes USING (seq)`,
    "seq",
    sponsorshipOf,
  );
  const ownTransactions = reread(sql, "SELECT rowid AS place, * FROM own_transaction", "place", ownOf);
  return {
    get store() {
      return store;
    },
    transact: (transition) => {
      try {
        return store.transact(transition);
      } catch (error) {
        read = null;
        throw error;
      }
    },
    restart: () => {
      store = open();
      read = null;
    },
    rows: () => {
      const changes = changesIn(sql);
      if (read?.changes === changes) return read.rows;
      const rows = {
        coins: coins(),
        partyCoins: partyCoins(),
        sponsorships: sponsorships(),
        ownTransactions: ownTransactions(),
        due: readDue(sql),
        referredTo: readReferences(sql),
      };
      read = { rows, changes };
      return rows;
    },
    ledgerFrom: ledgerReader(sql),
    snapshot: (scopes) =>
      [
        ...tables.flatMap((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
        store.totals(),
        store.maintenanceCoins(),
        ...[WHOLE_FUND, ...scopes].map((scope) => store.usage(scope)),
      ].map(textOf),
  };
}

interface PartyCoinRow {
  object_id: string;
  start_version: string;
  balance_mist: string;
  tries: number;
  holder: string | null;
}

interface CoinRow {
  object_id: string;
  version: string;
  digest: string;
  balance_mist: string;
  state: string;
  holder: string | null;
  maintenance: number;
}

interface SponsorshipRow {
  digest: Packed;
  state: number;
  transaction_bytes: ArrayBuffer | null;
  sender: Packed;
  key_id: string;
  gas_object_id: Packed | null;
  gas_budget_mist: string;
  fee_mist: string;
  expiration_epoch: string;
  since_checkpoint: string | null;
  created_at_ms: number;
  signed_at_ms: number | null;
  expires_at_ms: number;
  charged_mist: string | null;
  rebate_mist: string | null;
  maintenance_mist: string | null;
  max_storage_mist: string | null;
  released: number;
}

interface OwnRow {
  digest: string;
  state: string;
  purpose: string;
  transaction_bytes: ArrayBuffer;
  gas_object_id: string;
  gas_budget_mist: string;
  expiration_epoch: string;
  since_checkpoint: string | null;
  created_at_ms: number;
  resends: number;
  inputs: string;
  created_mist: string;
  redeemed_mist: string;
  sweeps: number;
  paid_out_mist: string;
  collected_fees_mist: string;
}

interface LedgerTableRow {
  at_ms: number;
  kind: number;
  reference: Packed;
  key_id: string | null;
  balance_atoms: string | null;
  address_balance_atoms: string | null;
  in_flight_atoms: string | null;
  accrued_fees_atoms: string | null;
}

function partyCoinOf(row: PartyCoinRow): PartyCoin {
  return {
    objectId: row.object_id,
    startVersion: BigInt(row.start_version),
    balanceMist: BigInt(row.balance_mist),
    tries: row.tries,
    heldByDigest: row.holder,
  };
}

function coinOf(row: CoinRow): FundCoin {
  const { object_id: objectId, digest, holder } = row;
  const version = BigInt(row.version);
  const balanceMist = BigInt(row.balance_mist);
  return {
    objectId,
    version,
    digest,
    balanceMist,
    state: row.state as CoinState,
    heldByDigest: holder,
    maintenance: row.maintenance === 1,
  };
}

function sponsorshipOf(row: SponsorshipRow): SuiSponsorship {
  return {
    digest: unpacked(row.digest),
    state: wordOf(STATES, row.state),
    transactionBytes: new Uint8Array(row.transaction_bytes ?? new ArrayBuffer(0)),
    sender: unpacked(row.sender),
    keyId: row.key_id,
    gasObjectId: row.gas_object_id === null ? null : unpacked(row.gas_object_id),
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    feeAtoms: BigInt(row.fee_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: row.since_checkpoint === null ? null : BigInt(row.since_checkpoint),
    createdAtMs: row.created_at_ms,
    signedAtMs: row.signed_at_ms,
    expiresAtMs: row.expires_at_ms,
    chargedAtoms: row.charged_mist === null ? null : BigInt(row.charged_mist),
    rebateAtoms: row.rebate_mist === null ? null : BigInt(row.rebate_mist),
    maintenanceAtoms: row.maintenance_mist === null ? null : BigInt(row.maintenance_mist),
    maxStorageMist: row.max_storage_mist === null ? null : BigInt(row.max_storage_mist),
    isReleased: row.released !== 0,
  };
}

function ownOf(row: OwnRow): SuiTreasuryTransaction {
  const words = (text: string) => (text === "" ? [] : text.split(" "));
  return {
    digest: row.digest,
    state: row.state as TreasuryState,
    purpose: row.purpose as TreasuryPurpose,
    transactionBytes: new Uint8Array(row.transaction_bytes),
    gasObjectId: row.gas_object_id || null,
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: row.since_checkpoint === null ? null : BigInt(row.since_checkpoint),
    createdAtMs: row.created_at_ms,
    unansweredSends: row.resends,
    bumpedCoins: words(row.inputs).map((ref) => ({
      objectId: ref.slice(0, ref.indexOf("@")),
      version: BigInt(ref.slice(ref.indexOf("@") + 1)),
    })),
    createdMist: words(row.created_mist).map(BigInt),
    fromAddressBalanceMist: BigInt(row.redeemed_mist),
    paysToAddressBalance: row.sweeps === 1,
    paidOutMist: BigInt(row.paid_out_mist),
    collectedFeesMist: BigInt(row.collected_fees_mist),
  };
}

function ledgerOf(row: LedgerTableRow): LedgerRow {
  return {
    atMs: row.at_ms,
    kind: wordOf(KINDS, row.kind),
    reference: unpacked(row.reference),
    keyId: row.key_id,
    balanceAtoms: BigInt(row.balance_atoms ?? 0),
    addressBalanceAtoms: BigInt(row.address_balance_atoms ?? 0),
    inFlightAtoms: BigInt(row.in_flight_atoms ?? 0),
    accruedFeesAtoms: BigInt(row.accrued_fees_atoms ?? 0),
  };
}

/** As the runtime reads it, or as Node does. */
type Packed = ArrayBuffer | Uint8Array | string;

/** Reads a packed text, in its own way: 32 bytes are a digest, and a byte before them says which hex it is. */
export function unpacked(stored: Packed): string {
  if (typeof stored === "string") return stored;
  const bytes = stored instanceof Uint8Array ? stored : new Uint8Array(stored);
  if (bytes.length === 32) return toBase58(bytes);
  return `${bytes[0] === 0 ? "0x" : ""}${toHex(bytes.subarray(1))}`;
}

const FIRST_NUMBER = 2;
/** In the order of their numbers, which are part of the stored format. */
export const STATES = [
  "prepared",
  "signed",
  "expired",
  "complete",
  "dead",
  UNRESOLVABLE,
] as const satisfies readonly SuiSponsorshipState[];
export const KINDS = [
  "deposit",
  "reserve",
  "release",
  "charge",
  "recycle",
  "split",
  "convert",
  "withdraw",
  "adjustment",
  "correction",
] as const satisfies readonly LedgerKind[];

/** Returns the word of a stored number. */
export function wordOf<Word extends string>(words: readonly Word[], number: number): Word {
  const word = words[number - FIRST_NUMBER];
  if (word === undefined) throw new Error(`no word has number ${number}`);
  return word;
}
