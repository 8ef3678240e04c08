import { type Page, type PageRequest, pageOf } from "../../paging.ts";
import type { Raise } from "../events.ts";
import type { SetDue } from "../ledger/books.ts";
import { bigintOrNull, oneOf, type Row, SqliteFundBooks, u64Text } from "../ledger/sqlite-books.ts";
import { SqliteDoubts } from "../ledger/sqlite-doubts.ts";
import type { BytesTable } from "../spent-bytes.ts";
import { type SponsorshipState, type SponsorshipView, sponsorshipStates } from "../views.ts";
import { NO_CONVERSIONS } from "./conversion.ts";
import { KeptAnswers } from "./kept-answers.ts";
import {
  type Conversions,
  coinStates,
  type FundCoin,
  type PartyCoin,
  type Sponsorship,
  type SuiFundStore,
  type TreasuryTransaction,
  treasuryPurposes,
  treasuryStates,
} from "./store.ts";

/**
 * u64 amounts and versions are text of 20 digits: SQLite integers end at 2^63 and reach JavaScript as doubles, while
 * fixed-width digits are exact and sort as numbers.
 */
export const FUND_STORE_MIGRATION = `
  CREATE TABLE coin (
    object_id TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    state TEXT NOT NULL,
    holder TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX coin_by_balance ON coin (state, balance_mist, object_id);
  CREATE INDEX coin_by_holder ON coin (holder) WHERE holder IS NOT NULL;

  CREATE TABLE sponsorship (
    digest TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    transaction_bytes BLOB NOT NULL,
    sender TEXT NOT NULL,
    key_id TEXT NOT NULL,
    gas_object_id TEXT NOT NULL,
    gas_budget_mist TEXT NOT NULL,
    expiration_epoch TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    look_ups INTEGER NOT NULL,
    charged_mist TEXT
  ) STRICT;

  CREATE TABLE own_transaction (
    digest TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    transaction_bytes BLOB NOT NULL,
    gas_object_id TEXT NOT NULL,
    expiration_epoch TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    look_ups INTEGER NOT NULL,
    split_mist TEXT NOT NULL
  ) STRICT;
  CREATE INDEX own_transaction_pending ON own_transaction (state) WHERE state = 'pending';

  CREATE TABLE ledger (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    in_flight_mist TEXT NOT NULL,
    total_balance_mist TEXT NOT NULL,
    total_in_flight_mist TEXT NOT NULL
  ) STRICT;
`;

/**
 * Version 2. Free coins have an index of their own, so that what is lent costs nothing to search past. Running totals
 * and usage are one row each instead of columns of every ledger row.
 */
export const FUND_STORE_MIGRATION_2 = `
  ALTER TABLE coin ADD COLUMN maintenance INTEGER NOT NULL DEFAULT 0;
  DROP INDEX coin_by_balance;
  CREATE INDEX coin_free ON coin (balance_mist, object_id) WHERE state = 'free' AND maintenance = 0;
  CREATE INDEX coin_maintenance ON coin (object_id) WHERE maintenance = 1;

  ALTER TABLE sponsorship DROP COLUMN look_ups;
  ALTER TABLE sponsorship ADD COLUMN signed_at_ms INTEGER;
  ALTER TABLE sponsorship ADD COLUMN fee_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE sponsorship ADD COLUMN rebate_mist TEXT;
  ALTER TABLE sponsorship ADD COLUMN maintenance_mist TEXT;
  UPDATE sponsorship SET signed_at_ms = created_at_ms WHERE state IN ('signed', 'complete', 'expired');
  CREATE INDEX sponsorship_expired ON sponsorship (expires_at_ms) WHERE state = 'expired';
  CREATE INDEX sponsorship_by_sender ON sponsorship (sender, created_at_ms);

  ALTER TABLE own_transaction RENAME COLUMN split_mist TO created_mist;
  ALTER TABLE own_transaction RENAME COLUMN look_ups TO resends;
  ALTER TABLE own_transaction ADD COLUMN purpose TEXT NOT NULL DEFAULT 'split';
  ALTER TABLE own_transaction ADD COLUMN gas_budget_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE own_transaction ADD COLUMN inputs TEXT NOT NULL DEFAULT '';
  ALTER TABLE own_transaction ADD COLUMN redeemed_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE own_transaction ADD COLUMN sweeps INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE own_transaction ADD COLUMN paid_out_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE own_transaction ADD COLUMN collected_fees_mist TEXT NOT NULL DEFAULT '0';

  CREATE TABLE totals (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    balance_mist TEXT NOT NULL,
    address_balance_mist TEXT NOT NULL,
    in_flight_mist TEXT NOT NULL,
    accrued_fees_mist TEXT NOT NULL,
    nonce INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals
    SELECT 1, total_balance_mist, '0', total_in_flight_mist, '0', 0 FROM ledger ORDER BY sequence DESC LIMIT 1;
  ALTER TABLE ledger DROP COLUMN total_balance_mist;
  ALTER TABLE ledger DROP COLUMN total_in_flight_mist;
  ALTER TABLE ledger ADD COLUMN address_balance_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE ledger ADD COLUMN accrued_fees_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE ledger ADD COLUMN key_id TEXT;

  CREATE TABLE usage (
    scope TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    in_flight_count INTEGER NOT NULL,
    in_flight_mist TEXT NOT NULL,
    spent_mist TEXT NOT NULL,
    abandon_cost_mist TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage
    SELECT key_id, 0, COUNT(*), CAST(SUM(CAST(gas_budget_mist AS INTEGER)) AS TEXT), '0', '0'
    FROM sponsorship WHERE state IN ('prepared', 'signed', 'expired') GROUP BY key_id;
  INSERT INTO usage
    SELECT '', 0, COUNT(*), CAST(COALESCE(SUM(CAST(gas_budget_mist AS INTEGER)), 0) AS TEXT), '0', '0'
    FROM sponsorship WHERE state IN ('prepared', 'signed', 'expired');

  CREATE TABLE revoked_key (key_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  CREATE TABLE idempotency (
    scope TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    digest TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_expiry ON idempotency (expires_at_ms);
`;

/**
 * Part of version 5. Coins that the fund owns through consensus are no coins that can be lent: they wait here until a
 * transaction of the fund's own takes them in. Transactions know how far the chain had come when they were made; for
 * older rows their age tells (`coversLife`).
 */
export const FUND_STORE_MIGRATION_5 = `
  ALTER TABLE sponsorship ADD COLUMN max_storage_mist TEXT;
  ALTER TABLE sponsorship ADD COLUMN since_checkpoint TEXT;
  ALTER TABLE own_transaction ADD COLUMN since_checkpoint TEXT;
  CREATE TABLE party_coin (
    object_id TEXT PRIMARY KEY,
    start_version TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    tries INTEGER NOT NULL,
    holder TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX party_coin_waiting ON party_coin (tries, balance_mist DESC, object_id DESC) WHERE holder IS NULL;
  CREATE INDEX party_coin_by_holder ON party_coin (holder) WHERE holder IS NOT NULL;
`;

type CoinRow = Row<{
  object_id: string;
  version: string;
  digest: string;
  balance_mist: string;
  state: string;
  holder: string | null;
  maintenance: number;
}>;

type PartyCoinRow = Row<{
  object_id: string;
  start_version: string;
  balance_mist: string;
  tries: number;
  holder: string | null;
}>;

/** A sponsorship without its bytes. */
type SponsorshipListRow = Row<{
  digest: string;
  state: string;
  sender: string;
  key_id: string;
  gas_budget_mist: string;
  fee_mist: string;
  created_at_ms: number;
  expires_at_ms: number;
  charged_mist: string | null;
  rebate_mist: string | null;
  maintenance_mist: string | null;
}>;

type SponsorshipRow = SponsorshipListRow & {
  transaction_bytes: ArrayBuffer;
  gas_object_id: string;
  expiration_epoch: string;
  since_checkpoint: string | null;
  signed_at_ms: number | null;
  max_storage_mist: string | null;
};

type OwnTransactionRow = Row<{
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
}>;

/** Stands for "the address balance pays" in a column that an older version made NOT NULL. */
const NO_GAS_OBJECT = "";

function coinOf(row: CoinRow): FundCoin {
  return {
    objectId: row.object_id,
    version: BigInt(row.version),
    digest: row.digest,
    balanceMist: BigInt(row.balance_mist),
    state: oneOf(row.state, coinStates),
    holder: row.holder,
    maintenance: row.maintenance === 1,
  };
}

function partyCoinOf(row: PartyCoinRow): PartyCoin {
  return {
    objectId: row.object_id,
    startVersion: BigInt(row.start_version),
    balanceMist: BigInt(row.balance_mist),
    tries: row.tries,
    holder: row.holder,
  };
}

function viewOf(row: SponsorshipListRow): SponsorshipView & Pick<Sponsorship, "state"> {
  return {
    digest: row.digest,
    state: oneOf(row.state, sponsorshipStates),
    sender: row.sender,
    keyId: row.key_id,
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    feeAtoms: BigInt(row.fee_mist),
    chargedAtoms: bigintOrNull(row.charged_mist),
    rebateAtoms: bigintOrNull(row.rebate_mist),
    maintenanceAtoms: bigintOrNull(row.maintenance_mist),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

function sponsorshipOf(row: SponsorshipRow): Sponsorship {
  return {
    ...viewOf(row),
    transactionBytes: new Uint8Array(row.transaction_bytes),
    gasObjectId: row.gas_object_id === NO_GAS_OBJECT ? null : row.gas_object_id,
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: bigintOrNull(row.since_checkpoint),
    signedAtMs: row.signed_at_ms,
    maxStorageMist: bigintOrNull(row.max_storage_mist),
  };
}

function ownTransactionOf(row: OwnTransactionRow): TreasuryTransaction {
  return {
    digest: row.digest,
    state: oneOf(row.state, treasuryStates),
    purpose: oneOf(row.purpose, treasuryPurposes),
    transactionBytes: new Uint8Array(row.transaction_bytes),
    gasObjectId: row.gas_object_id === NO_GAS_OBJECT ? null : row.gas_object_id,
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: bigintOrNull(row.since_checkpoint),
    createdAtMs: row.created_at_ms,
    resends: row.resends,
    inputs: words(row.inputs).map((ref) => {
      const [objectId = "", version = ""] = ref.split("@");
      return { objectId, version: BigInt(version) };
    }),
    createdMist: words(row.created_mist).map(BigInt),
    redeemedMist: BigInt(row.redeemed_mist),
    sweeps: row.sweeps === 1,
    paidOutMist: BigInt(row.paid_out_mist),
    collectedFeesMist: BigInt(row.collected_fees_mist),
  };
}

function words(text: string): readonly string[] {
  return text === "" ? [] : text.split(" ");
}

const LIST_COLUMNS = `digest, state, sender, key_id, gas_budget_mist, fee_mist, charged_mist, rebate_mist,
  maintenance_mist, created_at_ms, expires_at_ms`;
/** The bytes of own transactions have no repeats: nobody is ever answered with them. */
const BYTES_TABLES: readonly BytesTable[] = [
  { name: "sponsorship", key: "digest", bytes: "transaction_bytes", hasEnded: "state = 'complete'" },
  { name: "own_transaction", key: "digest", bytes: "transaction_bytes", hasEnded: "state <> 'pending'" },
];
const FREE = "state = 'free' AND maintenance = 0";

export interface AddressChange {
  readonly sequence: number;
  readonly digest: string;
  readonly changeMist: bigint;
}

/**
 * The `FundStore` of a Sui fund's object. The few maintenance coins and pending transactions, for which every
 * transition asks, are kept in memory beside their rows.
 */
export class SqliteSuiFundStore extends SqliteFundBooks implements SuiFundStore {
  /** What the chain answered to executions, for their repeats. */
  readonly answers = new KeptAnswers(this.sql, this.setDue, (undo) => this.onRollback(undo));
  /** Of the money that is booked. */
  readonly doubts = new SqliteDoubts(this.sql);
  #maintenance: readonly FundCoin[] | null = null;
  #pending: readonly TreasuryTransaction[] | null = null;
  #partyMist: bigint | null = null;

  /** @param raise nobody listens where there is none. */
  constructor(storage: DurableObjectStorage, setDue: SetDue, raise: Raise = () => {}) {
    super(storage, setDue, raise, BYTES_TABLES);
  }

  coin(objectId: string): FundCoin | null {
    return this.#coins("WHERE object_id = ?", objectId)[0] ?? null;
  }

  coinsOf(holder: string): readonly FundCoin[] {
    return this.#coins("WHERE holder = ? ORDER BY object_id", holder);
  }

  smallestFree(atLeastMist: bigint, atMostMist: bigint): FundCoin | null {
    const rows = this.#coins(
      `WHERE ${FREE} AND balance_mist BETWEEN ? AND ? ORDER BY balance_mist, object_id LIMIT 1`,
      u64Text(atLeastMist),
      u64Text(atMostMist),
    );
    return rows[0] ?? null;
  }

  largestFree(atMostMist: bigint, limit: number): readonly FundCoin[] {
    return this.#coins(
      `WHERE ${FREE} AND balance_mist <= ? ORDER BY balance_mist DESC, object_id DESC LIMIT ?`,
      u64Text(atMostMist),
      limit,
    );
  }

  dust(belowMist: bigint, limit: number): readonly FundCoin[] {
    return this.#coins(
      `WHERE ${FREE} AND balance_mist < ? ORDER BY balance_mist, object_id LIMIT ?`,
      u64Text(belowMist),
      limit,
    );
  }

  countFree(atLeastMist: bigint, belowMist: bigint, limit: number): number {
    const [row] = this.sql
      .exec<{ count: number }>(
        `SELECT COUNT(*) AS count FROM
          (SELECT 1 FROM coin WHERE ${FREE} AND balance_mist >= ? AND balance_mist < ? LIMIT ?)`,
        u64Text(atLeastMist),
        u64Text(belowMist),
        limit,
      )
      .toArray();
    return row?.count ?? 0;
  }

  maintenanceCoins(): readonly FundCoin[] {
    this.#maintenance ??= this.#coins("WHERE maintenance = 1 ORDER BY object_id");
    return this.#maintenance;
  }

  putCoin(coin: FundCoin): void {
    this.sql.exec(
      `INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (object_id) DO UPDATE SET version = excluded.version, digest = excluded.digest,
         balance_mist = excluded.balance_mist, state = excluded.state, holder = excluded.holder,
         maintenance = excluded.maintenance`,
      coin.objectId,
      u64Text(coin.version),
      coin.digest,
      u64Text(coin.balanceMist),
      coin.state,
      coin.holder,
      coin.maintenance ? 1 : 0,
    );
    this.#forgetMaintenance(coin);
  }

  dropCoin(objectId: string): void {
    this.sql.exec("DELETE FROM coin WHERE object_id = ?", objectId);
    this.#forgetMaintenance({ objectId, maintenance: false });
  }

  #forgetMaintenance(coin: Pick<FundCoin, "objectId" | "maintenance">): void {
    if (coin.maintenance || this.#maintenance?.some(({ objectId }) => objectId === coin.objectId))
      this.forget(() => {
        this.#maintenance = null;
      });
  }

  partyCoin(objectId: string): PartyCoin | null {
    return this.#partyCoins("WHERE object_id = ?", objectId)[0] ?? null;
  }

  partyCoinsOf(holder: string): readonly PartyCoin[] {
    return this.#partyCoins("WHERE holder = ? ORDER BY object_id", holder);
  }

  waitingPartyCoins(limit: number): readonly PartyCoin[] {
    return this.#partyCoins("WHERE holder IS NULL ORDER BY tries, balance_mist DESC, object_id DESC LIMIT ?", limit);
  }

  partyMist(): bigint {
    this.#partyMist ??= this.#partyCoins("").reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
    return this.#partyMist;
  }

  putPartyCoin({ objectId, startVersion, balanceMist, tries, holder }: PartyCoin): void {
    this.sql.exec(
      "INSERT OR REPLACE INTO party_coin (object_id, start_version, balance_mist, tries, holder) VALUES (?, ?, ?, ?, ?)",
      objectId,
      u64Text(startVersion),
      u64Text(balanceMist),
      tries,
      holder,
    );
    this.#forgetPartyMist();
  }

  dropPartyCoin(objectId: string): void {
    this.sql.exec("DELETE FROM party_coin WHERE object_id = ?", objectId);
    this.#forgetPartyMist();
  }

  #forgetPartyMist(): void {
    this.forget(() => {
      this.#partyMist = null;
    });
  }

  #partyCoins(where: string, ...bindings: SqlStorageValue[]): PartyCoin[] {
    return this.sql
      .exec<PartyCoinRow>(`SELECT * FROM party_coin ${where}`, ...bindings)
      .toArray()
      .map(partyCoinOf);
  }

  sponsorship(digest: string): Sponsorship | null {
    return this.#sponsorships("WHERE digest = ?", digest)[0] ?? null;
  }

  /** Without reading the rest of it. */
  stateOf(digest: string): SponsorshipState | null {
    const [row] = this.sql.exec<{ state: string }>("SELECT state FROM sponsorship WHERE digest = ?", digest).toArray();
    return row === undefined ? null : oneOf(row.state, sponsorshipStates);
  }

  putSponsorship(sponsorship: Sponsorship): void {
    this.sql.exec(
      `INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist,
         fee_mist, expiration_epoch, since_checkpoint, created_at_ms, signed_at_ms, expires_at_ms, charged_mist,
         rebate_mist, maintenance_mist, max_storage_mist)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET state = excluded.state, transaction_bytes = excluded.transaction_bytes,
         key_id = excluded.key_id, fee_mist = excluded.fee_mist, since_checkpoint = excluded.since_checkpoint,
         created_at_ms = excluded.created_at_ms, max_storage_mist = excluded.max_storage_mist,
         signed_at_ms = excluded.signed_at_ms, expires_at_ms = excluded.expires_at_ms,
         charged_mist = excluded.charged_mist, rebate_mist = excluded.rebate_mist,
         maintenance_mist = excluded.maintenance_mist`,
      sponsorship.digest,
      sponsorship.state,
      sponsorship.transactionBytes,
      sponsorship.sender,
      sponsorship.keyId,
      sponsorship.gasObjectId ?? NO_GAS_OBJECT,
      u64Text(sponsorship.gasBudgetAtoms),
      sponsorship.feeAtoms.toString(),
      u64Text(sponsorship.expirationEpoch),
      sponsorship.sinceCheckpoint?.toString() ?? null,
      sponsorship.createdAtMs,
      sponsorship.signedAtMs,
      sponsorship.expiresAtMs,
      sponsorship.chargedAtoms?.toString() ?? null,
      sponsorship.rebateAtoms?.toString() ?? null,
      sponsorship.maintenanceAtoms?.toString() ?? null,
      sponsorship.maxStorageMist?.toString() ?? null,
    );
  }

  recyclable(limit: number): readonly Pick<Sponsorship, "digest" | "expiresAtMs">[] {
    return this.sql
      .exec<Row<{ digest: string; expiresAtMs: number }>>(
        `SELECT sponsorship.digest AS digest, expires_at_ms AS expiresAtMs
         FROM sponsorship JOIN coin ON coin.object_id = sponsorship.gas_object_id
         WHERE sponsorship.state = 'expired' AND coin.state = 'quarantined' AND coin.holder = sponsorship.digest
         ORDER BY expires_at_ms LIMIT ?`,
        limit,
      )
      .toArray();
  }

  /** Every live sponsorship, and no other, has a row in the due table: that is the shorter list. */
  live(keyId: string | null): readonly string[] {
    return this.sql
      .exec<{ digest: string }>(
        `SELECT sponsorship.digest AS digest FROM due JOIN sponsorship ON sponsorship.digest = due.reference
         WHERE due.kind = 'settle' AND (?1 IS NULL OR sponsorship.key_id = ?1) ORDER BY sponsorship.rowid`,
        keyId,
      )
      .toArray()
      .map(({ digest }) => digest);
  }

  ownTransaction(digest: string): TreasuryTransaction | null {
    return this.#ownTransactions("WHERE digest = ?", digest)[0] ?? null;
  }

  pendingTreasury(): readonly TreasuryTransaction[] {
    this.#pending ??= this.#ownTransactions("WHERE state = 'pending'");
    return this.#pending;
  }

  putOwnTransaction(transaction: TreasuryTransaction): void {
    this.sql.exec(
      `INSERT INTO own_transaction (digest, state, purpose, transaction_bytes, gas_object_id, gas_budget_mist,
         expiration_epoch, since_checkpoint, created_at_ms, resends, inputs, created_mist, redeemed_mist, sweeps,
         paid_out_mist, collected_fees_mist)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET state = excluded.state, resends = excluded.resends,
         transaction_bytes = excluded.transaction_bytes`,
      transaction.digest,
      transaction.state,
      transaction.purpose,
      transaction.transactionBytes,
      transaction.gasObjectId ?? NO_GAS_OBJECT,
      transaction.gasBudgetAtoms.toString(),
      u64Text(transaction.expirationEpoch),
      transaction.sinceCheckpoint?.toString() ?? null,
      transaction.createdAtMs,
      transaction.resends,
      transaction.inputs.map(({ objectId, version }) => `${objectId}@${version}`).join(" "),
      transaction.createdMist.join(" "),
      transaction.redeemedMist.toString(),
      transaction.sweeps ? 1 : 0,
      transaction.paidOutMist.toString(),
      transaction.collectedFeesMist.toString(),
    );
    this.forget(() => {
      this.#pending = null;
    });
  }

  conversions(): Conversions {
    const [row] = this.sql
      .exec<Row<Conversions>>(
        `SELECT failures, failing_since_ms AS failingSinceMs, cause, told_cause AS toldCause, told_at_ms AS toldAtMs
         FROM conversions`,
      )
      .toArray();
    return row ?? NO_CONVERSIONS;
  }

  putConversions({ failures, failingSinceMs, cause, toldCause, toldAtMs }: Conversions): void {
    this.sql.exec(
      `INSERT OR REPLACE INTO conversions (only_row, failures, failing_since_ms, cause, told_cause, told_at_ms)
       VALUES (1, ?, ?, ?, ?, ?)`,
      failures,
      failingSinceMs,
      cause,
      toldCause,
      toldAtMs,
    );
  }

  /** Newest first. */
  listSponsorships({ limit, cursor }: PageRequest): Page<SponsorshipView> {
    const below = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const rows = this.sql
      .exec<SponsorshipListRow & { seq: number }>(
        `SELECT rowid AS seq, ${LIST_COLUMNS} FROM sponsorship WHERE rowid < ? ORDER BY rowid DESC LIMIT ?`,
        below,
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, viewOf);
  }

  /** What transactions of the fund's have changed in its address balance, in ledger rows after this sequence. */
  addressChangesAfter(sequence: number): readonly AddressChange[] {
    return this.sql
      .exec<Row<{ sequence: number; digest: string; change: string }>>(
        `SELECT sequence, reference AS digest, address_balance_atoms AS change FROM ledger
         WHERE sequence > ? AND address_balance_atoms <> '0' AND kind NOT IN ('deposit', 'adjustment')
         ORDER BY sequence`,
        sequence,
      )
      .toArray()
      .map((row) => ({ sequence: row.sequence, digest: row.digest, changeMist: BigInt(row.change) }));
  }

  /** Free coins in the order of their ids, beyond this one. */
  freeCoinIdsAfter(objectId: string, limit: number): readonly string[] {
    return this.sql
      .exec<{ object_id: string }>(
        "SELECT object_id FROM coin WHERE object_id > ? AND state = 'free' ORDER BY object_id LIMIT ?",
        objectId,
        limit,
      )
      .toArray()
      .map(({ object_id }) => object_id);
  }

  partyCoinIds(): readonly string[] {
    return this.#partyCoins("").map(({ objectId }) => objectId);
  }

  /** Every coin that is not gone, in the order of their ids. */
  ownedCoins(): readonly FundCoin[] {
    return this.#coins("WHERE state <> 'gone' ORDER BY object_id");
  }

  #coins(where: string, ...bindings: SqlStorageValue[]): FundCoin[] {
    return this.sql
      .exec<CoinRow>(`SELECT * FROM coin ${where}`, ...bindings)
      .toArray()
      .map(coinOf);
  }

  #sponsorships(where: string, ...bindings: SqlStorageValue[]): Sponsorship[] {
    return this.sql
      .exec<SponsorshipRow>(`SELECT * FROM sponsorship ${where}`, ...bindings)
      .toArray()
      .map(sponsorshipOf);
  }

  #ownTransactions(where: string, ...bindings: SqlStorageValue[]): TreasuryTransaction[] {
    return this.sql
      .exec<OwnTransactionRow>(`SELECT * FROM own_transaction ${where}`, ...bindings)
      .toArray()
      .map(ownTransactionOf);
  }
}
