import { type Row, u64Text } from "../../durable/sql.ts";
import type { Raise } from "../events.ts";
import type { LedgerKind, SetDue } from "../ledger/books.ts";
import { SqliteDoubts } from "../ledger/sqlite-doubts.ts";
import type { BytesTable } from "../spent-bytes.ts";
import { NO_CONVERSIONS } from "./conversion.ts";
import { SuiEndedRows } from "./ended-rows.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { type TreasuryRow, treasuryTransactionOf } from "./rows.ts";
import { NO_GAS_OBJECT } from "./sponsorship-rows.ts";
import { SqliteSuiCoins } from "./sqlite-coins.ts";
import { SqliteSuiSponsorships } from "./sqlite-sponsorships.ts";
import type {
  Conversions,
  FundCoin,
  SuiFundStore,
  SuiLife,
  SuiSponsorship,
  SuiSponsorshipState,
  SuiTreasuryTransaction,
} from "./store.ts";

/** The table of the treasury transactions. A repeat is never answered with their bytes. */
const BYTES_TABLES: readonly BytesTable[] = [
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
  /** Doubts about booked money. */
  readonly doubts = new SqliteDoubts(this.sql);
  protected readonly sponsorships = new SqliteSuiSponsorships(
    this.sql,
    this.keys,
    (digest) => this.isReferredTo(digest),
    (undo) => this.onRollback(undo),
  );
  readonly ended = new SuiEndedRows(this.sql, this.sponsorships);
  #pending: readonly SuiTreasuryTransaction[] | null = null;

  /** @param raise receives events. By default, events are dropped. */
  constructor(storage: DurableObjectStorage, setDue: SetDue, raise: Raise = () => {}) {
    super(storage, setDue, raise, BYTES_TABLES);
  }

  sponsorship(digest: string): SuiSponsorship | null {
    return this.sponsorships.find(digest);
  }

  life(digest: string): SuiLife | null {
    return this.sponsorships.lifeOf(digest);
  }

  /** Reads only the state of a sponsorship. Null if no row has the digest. */
  stateOf(digest: string): SuiSponsorshipState | null {
    return this.sponsorships.stateOf(digest);
  }

  putSponsorship(sponsorship: SuiSponsorship): void {
    this.sponsorships.put(sponsorship);
  }

  addSponsorship(sponsorship: SuiSponsorship): void {
    this.sponsorships.add(sponsorship);
  }

  countReleased(keyId: string, limit: number): number {
    return this.sponsorships.countReleased(keyId, limit);
  }

  recyclable(limit: number): readonly Pick<SuiSponsorship, "digest" | "expiresAtMs">[] {
    return this.sponsorships.recyclable(limit);
  }

  liveIds(keyId: string | null): readonly string[] {
    return this.sponsorships.liveIds(keyId);
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

  /** Checks whether a coin is still as its deposit was booked. Only a listing has then shown it. */
  isUntouchedDeposit({ objectId, balanceMist }: FundCoin): boolean {
    const isBooking = (kind: LedgerKind) => kind === "deposit" || kind === "adjustment";
    return this.ledger
      .ofReference(objectId)
      .some(({ kind, balanceAtoms }) => isBooking(kind) && balanceAtoms === balanceMist);
  }

  /** Lists the deposits among the last changes of the address balance, MIST, newest first. */
  lastAddressDeposits(changes: number): readonly bigint[] {
    const rows = this.ledger.lastAddressBalanceRows(changes);
    return rows.flatMap(({ kind, addressBalanceAtoms }) => (kind === "deposit" ? [addressBalanceAtoms] : []));
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

  /** Returns the changes of the address balance by the fund's transactions, from ledger rows after this sequence. */
  addressChangesAfter(sequence: number): readonly AddressChange[] {
    const changes = this.ledger.addressBalanceChangesAfter(sequence);
    return changes.map((change) => ({
      sequence: change.sequence,
      digest: change.reference,
      changeMist: change.changeAtoms,
    }));
  }

  #ownTransactions(where: string, ...bindings: SqlStorageValue[]): SuiTreasuryTransaction[] {
    return this.sql
      .exec<TreasuryRow>(`SELECT * FROM own_transaction ${where}`, ...bindings)
      .toArray()
      .map(treasuryTransactionOf);
  }
}
