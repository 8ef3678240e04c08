import { oneOf, type Row, u64Text } from "../../durable/sql.ts";
import type { Raise } from "../events.ts";
import type { SetDue } from "../ledger/books.ts";
import { SqliteDoubts } from "../ledger/sqlite-doubts.ts";
import type { BytesTable } from "../spent-bytes.ts";
import { type SponsorshipState, sponsorshipStates } from "../views.ts";
import { NO_CONVERSIONS } from "./conversion.ts";
import { SuiEndedRows } from "./ended-rows.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { PreparedRows } from "./prepared-rows.ts";
import { NO_GAS_OBJECT, type SponsorshipRow, sponsorshipOf, type TreasuryRow, treasuryTransactionOf } from "./rows.ts";
import { SqliteSuiCoins } from "./sqlite-coins.ts";
import type { Conversions, SuiFundStore, SuiSponsorship, SuiTreasuryTransaction } from "./store.ts";

/** The tables that hold transaction bytes. No repeat is ever answered with the bytes of a treasury transaction. */
const BYTES_TABLES: readonly BytesTable[] = [
  { name: "sponsorship", key: "digest", bytes: "transaction_bytes", hasEnded: "state = 'complete'" },
  { name: "own_transaction", key: "digest", bytes: "transaction_bytes", hasEnded: "state <> 'pending'" },
];

/** One change of the address balance in the ledger, MIST. Negative if money went out. */
export interface AddressChange {
  readonly sequence: number;
  readonly digest: string;
  readonly changeMist: bigint;
}

/**
 * The `SuiFundStore` of a Sui fund's object. Pending treasury transactions are also kept in memory, because every
 * transition reads them.
 */
export class SqliteSuiFundStore extends SqliteSuiCoins implements SuiFundStore {
  /** The chain's answers to executions, for their repeats. */
  readonly answers = new KeptAnswers(this.sql, this.setDue, (undo) => this.onRollback(undo));
  readonly ended = new SuiEndedRows(this.sql);
  /** Doubts about booked money. */
  readonly doubts = new SqliteDoubts(this.sql);
  readonly #prepared = new PreparedRows((undo) => this.onRollback(undo));
  #pending: readonly SuiTreasuryTransaction[] | null = null;

  /** @param raise takes events. By default they are dropped. */
  constructor(storage: DurableObjectStorage, setDue: SetDue, raise: Raise = () => {}) {
    super(storage, setDue, raise, BYTES_TABLES);
  }

  sponsorship(digest: string): SuiSponsorship | null {
    return this.#prepared.get(digest) ?? this.#sponsorships("WHERE digest = ?", digest)[0] ?? null;
  }

  /** Reads only the state of a sponsorship. Null if there is none. */
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

  /**
   * Reads from the due table, because it is the shorter list. Every live sponsorship has a row there, and no other one
   * has.
   */
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

  /** Lists the treasury transactions of recoveries that were journaled from this time on. */
  sweepsSince(atMs: number): readonly SuiTreasuryTransaction[] {
    return this.#ownTransactions("WHERE purpose = 'recover' AND created_at_ms >= ? ORDER BY rowid", atMs);
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

  /** Returns the changes of the address balance by the fund's transactions, in ledger rows after this sequence. */
  addressChangesAfter(sequence: number): readonly AddressChange[] {
    return this.sql
      .exec<Row<{ sequence: number; digest: string; change: string }>>(
        `SELECT sequence, reference AS digest, address_balance_atoms AS change FROM ledger
         WHERE sequence > ? AND address_balance_atoms <> '0' AND kind NOT IN ('deposit', 'adjustment', 'correction')
         ORDER BY sequence`,
        sequence,
      )
      .toArray()
      .map((row) => ({ sequence: row.sequence, digest: row.digest, changeMist: BigInt(row.change) }));
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
