import { oneOf, type Row, u64Text } from "../../durable/sql.ts";
import { type Page, type PageRequest, pageOf } from "../../paging.ts";
import type { Raise } from "../events.ts";
import type { SetDue } from "../ledger/books.ts";
import { SqliteFundBooks } from "../ledger/sqlite-books.ts";
import { SqliteDoubts } from "../ledger/sqlite-doubts.ts";
import type { BytesTable } from "../spent-bytes.ts";
import { type SponsorshipState, type SponsorshipView, sponsorshipStates } from "../views.ts";
import { NO_CONVERSIONS } from "./conversion.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { PreparedRows } from "./prepared-rows.ts";
import {
  type CoinRow,
  coinOf,
  LIST_COLUMNS,
  NO_GAS_OBJECT,
  type PartyCoinRow,
  partyCoinOf,
  type SponsorshipListRow,
  type SponsorshipRow,
  sponsorshipOf,
  sponsorshipViewOf,
  type TreasuryRow,
  treasuryTransactionOf,
} from "./schema.ts";
import type {
  Conversions,
  FundCoin,
  PartyCoin,
  SuiFundStore,
  SuiSponsorship,
  SuiTreasuryTransaction,
} from "./store.ts";

/** The bytes of treasury transactions have no repeats: nobody is ever answered with them. */
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
 * The `SuiFundStore` of a Sui fund's object. The few maintenance coins and pending transactions, for which every
 * transition asks, are kept in memory beside their rows.
 */
export class SqliteSuiFundStore extends SqliteFundBooks implements SuiFundStore {
  /** What the chain answered to executions, for their repeats. */
  readonly answers = new KeptAnswers(this.sql, this.setDue, (undo) => this.onRollback(undo));
  /** Of the money that is booked. */
  readonly doubts = new SqliteDoubts(this.sql);
  readonly #prepared = new PreparedRows((undo) => this.onRollback(undo));
  #maintenance: readonly FundCoin[] | null = null;
  #pending: readonly SuiTreasuryTransaction[] | null = null;
  #partyMist: bigint | null = null;

  /** @param raise nobody listens where there is none. */
  constructor(storage: DurableObjectStorage, setDue: SetDue, raise: Raise = () => {}) {
    super(storage, setDue, raise, BYTES_TABLES);
  }

  coin(objectId: string): FundCoin | null {
    return this.#coins("WHERE object_id = ?", objectId)[0] ?? null;
  }

  coinsHeldBy(digest: string): readonly FundCoin[] {
    return this.#coins("WHERE holder = ? ORDER BY object_id", digest);
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
      coin.heldByDigest,
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

  partyCoinsHeldBy(digest: string): readonly PartyCoin[] {
    return this.#partyCoins("WHERE holder = ? ORDER BY object_id", digest);
  }

  waitingPartyCoins(limit: number): readonly PartyCoin[] {
    return this.#partyCoins("WHERE holder IS NULL ORDER BY tries, balance_mist DESC, object_id DESC LIMIT ?", limit);
  }

  partyMist(): bigint {
    this.#partyMist ??= this.#partyCoins("").reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
    return this.#partyMist;
  }

  putPartyCoin({ objectId, startVersion, balanceMist, tries, heldByDigest }: PartyCoin): void {
    this.sql.exec(
      "INSERT OR REPLACE INTO party_coin (object_id, start_version, balance_mist, tries, holder) VALUES (?, ?, ?, ?, ?)",
      objectId,
      u64Text(startVersion),
      u64Text(balanceMist),
      tries,
      heldByDigest,
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

  sponsorship(digest: string): SuiSponsorship | null {
    return this.#prepared.get(digest) ?? this.#sponsorships("WHERE digest = ?", digest)[0] ?? null;
  }

  /** Without reading the rest of it. */
  stateOf(digest: string): SponsorshipState | null {
    const prepared = this.#prepared.get(digest);
    if (prepared !== null) return prepared.state;
    const [row] = this.sql.exec<{ state: string }>("SELECT state FROM sponsorship WHERE digest = ?", digest).toArray();
    return row === undefined ? null : oneOf(row.state, sponsorshipStates);
  }

  putSponsorship(sponsorship: SuiSponsorship): void {
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
    this.#prepared.put(sponsorship);
  }

  recyclable(limit: number): readonly Pick<SuiSponsorship, "digest" | "expiresAtMs">[] {
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
  liveIds(keyId: string | null): readonly string[] {
    return this.sql
      .exec<{ digest: string }>(
        `SELECT sponsorship.digest AS digest FROM due JOIN sponsorship ON sponsorship.digest = due.reference
         WHERE due.kind = 'settle' AND (?1 IS NULL OR sponsorship.key_id = ?1) ORDER BY sponsorship.rowid`,
        keyId,
      )
      .toArray()
      .map(({ digest }) => digest);
  }

  treasuryTransaction(digest: string): SuiTreasuryTransaction | null {
    return this.#ownTransactions("WHERE digest = ?", digest)[0] ?? null;
  }

  pendingTreasury(): readonly SuiTreasuryTransaction[] {
    this.#pending ??= this.#ownTransactions("WHERE state = 'pending'");
    return this.#pending;
  }

  putTreasuryTransaction(transaction: SuiTreasuryTransaction): void {
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
      transaction.unansweredSends,
      transaction.bumpedCoins.map(({ objectId, version }) => `${objectId}@${version}`).join(" "),
      transaction.createdMist.join(" "),
      transaction.fromAddressBalanceMist.toString(),
      transaction.paysToAddressBalance ? 1 : 0,
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
    return pageOf(rows, limit, sponsorshipViewOf);
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

  #sponsorships(where: string, ...bindings: SqlStorageValue[]): SuiSponsorship[] {
    return this.sql
      .exec<SponsorshipRow>(`SELECT * FROM sponsorship ${where}`, ...bindings)
      .toArray()
      .map(sponsorshipOf);
  }

  #ownTransactions(where: string, ...bindings: SqlStorageValue[]): SuiTreasuryTransaction[] {
    return this.sql
      .exec<TreasuryRow>(`SELECT * FROM own_transaction ${where}`, ...bindings)
      .toArray()
      .map(treasuryTransactionOf);
  }
}
