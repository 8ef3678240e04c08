import { type Page, type PageRequest, pageOf } from "../paging.ts";
import type { CoinStore, DueKind, FundCoin, LedgerRow, OwnTransaction, Sponsorship } from "./coin-store.ts";
import { coinStates } from "./coin-store.ts";
import { type SponsorshipState, type SponsorshipView, sponsorshipStates } from "./views.ts";

/**
 * u64 amounts and versions are text of 20 digits: SQLite integers end at 2^63 and reach JavaScript as doubles, while
 * fixed-width digits are exact and sort as numbers.
 */
export const COIN_STORE_MIGRATION = `
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

interface CoinRow extends Record<string, SqlStorageValue> {
  object_id: string;
  version: string;
  digest: string;
  balance_mist: string;
  state: string;
  holder: string | null;
}

/** A sponsorship without its bytes. */
interface SponsorshipListRow extends Record<string, SqlStorageValue> {
  digest: string;
  state: string;
  sender: string;
  key_id: string;
  gas_budget_mist: string;
  created_at_ms: number;
  expires_at_ms: number;
  charged_mist: string | null;
}

interface SponsorshipRow extends SponsorshipListRow {
  transaction_bytes: ArrayBuffer;
  gas_object_id: string;
  expiration_epoch: string;
  look_ups: number;
}

interface OwnTransactionRow extends Record<string, SqlStorageValue> {
  digest: string;
  state: string;
  transaction_bytes: ArrayBuffer;
  gas_object_id: string;
  expiration_epoch: string;
  created_at_ms: number;
  look_ups: number;
  split_mist: string;
}

const U64_DIGITS = 20;

function u64Text(value: bigint): string {
  return value.toString().padStart(U64_DIGITS, "0");
}

function stateOf<State extends string>(text: string, states: readonly State[]): State {
  const state = states.find((known) => known === text);
  if (state === undefined) throw new Error(`unknown state ${text} in storage`);
  return state;
}

function coinOf(row: CoinRow): FundCoin {
  return {
    objectId: row.object_id,
    version: BigInt(row.version),
    digest: row.digest,
    balanceMist: BigInt(row.balance_mist),
    state: stateOf(row.state, coinStates),
    holder: row.holder,
  };
}

function sponsorshipOf(row: SponsorshipRow): Sponsorship {
  return {
    digest: row.digest,
    state: stateOf<SponsorshipState>(row.state, sponsorshipStates),
    transactionBytes: new Uint8Array(row.transaction_bytes),
    sender: row.sender,
    keyId: row.key_id,
    gasObjectId: row.gas_object_id,
    gasBudgetMist: BigInt(row.gas_budget_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    lookUps: row.look_ups,
    chargedMist: row.charged_mist === null ? null : BigInt(row.charged_mist),
  };
}

function viewOf(row: SponsorshipListRow): SponsorshipView {
  return {
    digest: row.digest,
    state: stateOf<SponsorshipState>(row.state, sponsorshipStates),
    sender: row.sender,
    keyId: row.key_id,
    gasBudgetMist: BigInt(row.gas_budget_mist),
    chargedMist: row.charged_mist === null ? null : BigInt(row.charged_mist),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

function ownTransactionOf(row: OwnTransactionRow): OwnTransaction {
  return {
    digest: row.digest,
    state: stateOf(row.state, ["pending", "complete", "dead"] as const),
    transactionBytes: new Uint8Array(row.transaction_bytes),
    gasObjectId: row.gas_object_id,
    expirationEpoch: BigInt(row.expiration_epoch),
    createdAtMs: row.created_at_ms,
    lookUps: row.look_ups,
    splitMist: row.split_mist === "" ? [] : row.split_mist.split(" ").map(BigInt),
  };
}

/** The `CoinStore` of a Fund object. Each ledger row carries the running totals, so that reading them is one row. */
export class SqliteCoinStore implements CoinStore {
  readonly #sql: SqlStorage;
  readonly setDue: (kind: DueKind, reference: string, atMs: number | null) => void;

  constructor(sql: SqlStorage, setDue: (kind: DueKind, reference: string, atMs: number | null) => void) {
    this.#sql = sql;
    this.setDue = setDue;
  }

  coin(objectId: string): FundCoin | null {
    return this.#coins("WHERE object_id = ?", objectId)[0] ?? null;
  }

  coinsOf(holder: string): readonly FundCoin[] {
    return this.#coins("WHERE holder = ? ORDER BY object_id", holder);
  }

  smallestFree(atLeastMist: bigint, atMostMist: bigint): FundCoin | null {
    const rows = this.#coins(
      "WHERE state = 'free' AND balance_mist BETWEEN ? AND ? ORDER BY balance_mist, object_id LIMIT 1",
      u64Text(atLeastMist),
      u64Text(atMostMist),
    );
    return rows[0] ?? null;
  }

  largestFree(atMostMist: bigint, limit: number): readonly FundCoin[] {
    return this.#coins(
      "WHERE state = 'free' AND balance_mist <= ? ORDER BY balance_mist DESC, object_id DESC LIMIT ?",
      u64Text(atMostMist),
      limit,
    );
  }

  countFree(atLeastMist: bigint, belowMist: bigint, limit: number): number {
    const [row] = this.#sql
      .exec<{ count: number }>(
        `SELECT COUNT(*) AS count FROM
          (SELECT 1 FROM coin WHERE state = 'free' AND balance_mist >= ? AND balance_mist < ? LIMIT ?)`,
        u64Text(atLeastMist),
        u64Text(belowMist),
        limit,
      )
      .toArray();
    return row?.count ?? 0;
  }

  putCoin(coin: FundCoin): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO coin (object_id, version, digest, balance_mist, state, holder) VALUES (?, ?, ?, ?, ?, ?)",
      coin.objectId,
      u64Text(coin.version),
      coin.digest,
      u64Text(coin.balanceMist),
      coin.state,
      coin.holder,
    );
  }

  sponsorship(digest: string): Sponsorship | null {
    const [row] = this.#sql.exec<SponsorshipRow>("SELECT * FROM sponsorship WHERE digest = ?", digest).toArray();
    return row === undefined ? null : sponsorshipOf(row);
  }

  putSponsorship(sponsorship: Sponsorship): void {
    this.#sql.exec(
      `INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist,
         expiration_epoch, created_at_ms, expires_at_ms, look_ups, charged_mist)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET state = excluded.state, transaction_bytes = excluded.transaction_bytes,
         created_at_ms = excluded.created_at_ms,
         expires_at_ms = excluded.expires_at_ms, key_id = excluded.key_id, look_ups = excluded.look_ups,
         charged_mist = excluded.charged_mist`,
      sponsorship.digest,
      sponsorship.state,
      sponsorship.transactionBytes,
      sponsorship.sender,
      sponsorship.keyId,
      sponsorship.gasObjectId,
      u64Text(sponsorship.gasBudgetMist),
      u64Text(sponsorship.expirationEpoch),
      sponsorship.createdAtMs,
      sponsorship.expiresAtMs,
      sponsorship.lookUps,
      sponsorship.chargedMist === null ? null : sponsorship.chargedMist.toString(),
    );
  }

  ownTransaction(digest: string): OwnTransaction | null {
    return this.#ownTransactions("WHERE digest = ?", digest)[0] ?? null;
  }

  pendingOwnTransactions(): readonly OwnTransaction[] {
    return this.#ownTransactions("WHERE state = 'pending'");
  }

  putOwnTransaction(transaction: OwnTransaction): void {
    this.#sql.exec(
      `INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms,
         look_ups, split_mist) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET state = excluded.state, look_ups = excluded.look_ups`,
      transaction.digest,
      transaction.state,
      transaction.transactionBytes,
      transaction.gasObjectId,
      u64Text(transaction.expirationEpoch),
      transaction.createdAtMs,
      transaction.lookUps,
      transaction.splitMist.join(" "),
    );
  }

  addLedger(row: LedgerRow): void {
    const before = this.totals();
    this.#sql.exec(
      `INSERT INTO ledger (at_ms, kind, reference, balance_mist, in_flight_mist, total_balance_mist,
         total_in_flight_mist) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      row.atMs,
      row.kind,
      row.reference,
      row.balanceMist.toString(),
      row.inFlightMist.toString(),
      (before.balanceMist + row.balanceMist).toString(),
      (before.inFlightMist + row.inFlightMist).toString(),
    );
  }

  totals(): { balanceMist: bigint; inFlightMist: bigint } {
    const [row] = this.#sql
      .exec<{ balance: string; in_flight: string }>(
        `SELECT total_balance_mist AS balance, total_in_flight_mist AS in_flight
         FROM ledger ORDER BY sequence DESC LIMIT 1`,
      )
      .toArray();
    return { balanceMist: BigInt(row?.balance ?? 0), inFlightMist: BigInt(row?.in_flight ?? 0) };
  }

  /** Coins that are lent right now, counted no further than `limit`. */
  countLent(limit: number): number {
    const [row] = this.#sql
      .exec<{ count: number }>("SELECT COUNT(*) AS count FROM (SELECT 1 FROM coin WHERE state = 'held' LIMIT ?)", limit)
      .toArray();
    return row?.count ?? 0;
  }

  /** Newest first. */
  listSponsorships({ limit, cursor }: PageRequest): Page<SponsorshipView> {
    const below = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const rows = this.#sql
      .exec<SponsorshipListRow & { seq: number }>(
        `SELECT rowid AS seq, digest, state, sender, key_id, gas_budget_mist, charged_mist, created_at_ms, expires_at_ms
         FROM sponsorship WHERE rowid < ? ORDER BY rowid DESC LIMIT ?`,
        below,
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, viewOf);
  }

  #coins(where: string, ...bindings: SqlStorageValue[]): FundCoin[] {
    return this.#sql
      .exec<CoinRow>(`SELECT * FROM coin ${where}`, ...bindings)
      .toArray()
      .map(coinOf);
  }

  #ownTransactions(where: string, ...bindings: SqlStorageValue[]): OwnTransaction[] {
    return this.#sql
      .exec<OwnTransactionRow>(`SELECT * FROM own_transaction ${where}`, ...bindings)
      .toArray()
      .map(ownTransactionOf);
  }
}
