import { type Row, u64Text } from "../../durable/sql.ts";
import type { Raise } from "../events.ts";
import type { SetDue } from "../ledger/books.ts";
import { SqliteFundBooks } from "../ledger/sqlite-books.ts";
import { pack, unpack } from "../packed.ts";
import type { BytesTable } from "../spent-bytes.ts";
import { AptosEndedRows } from "./ended-rows.ts";
import { type TreasuryRow, treasuryTransactionOf, type UsedSequenceRow } from "./rows.ts";
import { SqliteAptosSponsorships } from "./sqlite-sponsorships.ts";
import {
  type AptosFundStore,
  type AptosShown,
  type AptosSponsorship,
  type AptosTreasuryTransaction,
  NO_SEQUENCE_NUMBER,
  type UsedSequence,
} from "./store.ts";

const BYTES_TABLES: readonly BytesTable[] = [
  { name: "aptos_own_transaction", key: "hash", bytes: "signed_transaction", hasEnded: "state <> 'pending'" },
];

/** Stores an Aptos fund's rows. Memory also keeps the pending withdrawal, because every transition reads it. */
export class SqliteAptosFundStore extends SqliteFundBooks implements AptosFundStore {
  protected readonly sponsorships = new SqliteAptosSponsorships(this.sql, this.keys, (undo) => this.onRollback(undo));
  readonly ended = new AptosEndedRows(this.sql, this.sponsorships, () => this.reconciledVersion());
  /** Undefined until it is read. */
  #pending: AptosTreasuryTransaction | null | undefined;

  /** @param raise adds an event to the outbox. If absent, events are dropped. */
  constructor(storage: DurableObjectStorage, setDue: SetDue, raise: Raise = () => {}) {
    super(storage, setDue, raise, BYTES_TABLES);
  }

  sponsorship(id: string): AptosSponsorship | null {
    return this.sponsorships.find(id);
  }

  /** Returns the id of the sponsorship with this hash, or the text itself. */
  referenceOf(text: string): string {
    if (!text.startsWith("0x")) return text;
    const [row] = this.sql
      .exec<{ id: ArrayBuffer | string }>(
        `SELECT id FROM aptos_sponsorship_row
         WHERE hash IS NOT NULL AND substr(hash, 2, 4) = substr(?1, 2, 4) AND hash = ?1 ORDER BY seq DESC LIMIT 1`,
        pack(text),
      )
      .toArray();
    return row === undefined ? text : unpack(row.id);
  }

  sponsorshipAtSequence(sender: string, sequenceNumber: bigint): AptosSponsorship | null {
    return this.sponsorships.standing(sender, { sequenceNumber, nonce: null });
  }

  sponsorshipAtNonce(sender: string, nonce: bigint): AptosSponsorship | null {
    return this.sponsorships.standing(sender, { sequenceNumber: NO_SEQUENCE_NUMBER, nonce });
  }

  hasDeadAtSequence(sender: string, sequenceNumber: bigint, shown: AptosShown): boolean {
    return this.sponsorships.hasDead(sender, sequenceNumber, shown);
  }

  countLiveAtOrAfter(sender: string, sequenceNumber: bigint): number {
    return this.sponsorships.countLiveAtOrAfter(sender, sequenceNumber);
  }

  putSponsorship(sponsorship: AptosSponsorship): void {
    this.sponsorships.put(sponsorship);
  }

  liveIds(keyId: string | null): readonly string[] {
    return this.sponsorships.liveIds(keyId);
  }

  treasuryTransaction(hash: string): AptosTreasuryTransaction | null {
    return this.#ownTransactions("WHERE hash = ?", hash)[0] ?? null;
  }

  pendingTreasury(): AptosTreasuryTransaction | null {
    if (this.#pending === undefined) this.#pending = this.#ownTransactions("WHERE state = 'pending'")[0] ?? null;
    return this.#pending;
  }

  putTreasuryTransaction(transaction: AptosTreasuryTransaction): void {
    this.sql.exec(
      `INSERT INTO aptos_own_transaction (hash, state, sequence_number, signed_transaction, gas_budget, amount,
         collected_fees, created_at_ms, expires_at_ms, charged, committed_version, resends)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (hash) DO UPDATE SET state = excluded.state, charged = excluded.charged,
         committed_version = excluded.committed_version, resends = excluded.resends,
         signed_transaction = excluded.signed_transaction`,
      transaction.hash,
      transaction.state,
      u64Text(transaction.sequenceNumber),
      transaction.signedTransaction,
      transaction.gasBudgetAtoms.toString(),
      transaction.amountAtoms.toString(),
      transaction.collectedFeesAtoms.toString(),
      transaction.createdAtMs,
      transaction.expiresAtMs,
      transaction.chargedAtoms?.toString() ?? null,
      transaction.committedVersion === null ? null : u64Text(transaction.committedVersion),
      transaction.submitCount,
    );
    this.forget(() => {
      this.#pending = undefined;
    });
  }

  nextOwnSequenceNumber(): bigint {
    const [row] = this.sql
      .exec<{ highest: string | null }>(
        "SELECT MAX(sequence_number) AS highest FROM aptos_own_transaction WHERE state <> 'dead'",
      )
      .toArray();
    return typeof row?.highest === "string" ? BigInt(row.highest) + 1n : 0n;
  }

  lastOwnExpiresAtMs(): number | null {
    const [row] = this.sql
      .exec<{ expires_at_ms: number }>(
        "SELECT expires_at_ms FROM aptos_own_transaction WHERE state <> 'dead' ORDER BY sequence_number DESC LIMIT 1",
      )
      .toArray();
    return row?.expires_at_ms ?? null;
  }

  usedSequence(reference: string): UsedSequence | null {
    return this.#usedSequences("WHERE reference = ?", reference).get(reference) ?? null;
  }

  usedSequences(): ReadonlyMap<string, UsedSequence> {
    return this.#usedSequences("");
  }

  putUsedSequence(reference: string, used: UsedSequence | null): void {
    if (used === null) {
      this.sql.exec("DELETE FROM aptos_used_sequence WHERE reference = ?", reference);
      return;
    }
    this.sql.exec(
      `INSERT OR REPLACE INTO aptos_used_sequence (reference, version, time_ms, since_ms, said_again)
       VALUES (?, ?, ?, ?, ?)`,
      reference,
      used.version.toString(),
      Math.floor(used.timeMs),
      Math.floor(used.sinceMs),
      used.isSaidAgain ? 1 : 0,
    );
  }

  balanceChangeAfter(version: bigint): bigint {
    const rows = this.sql.exec<Row<{ charged: string; amount: string }>>(
      `SELECT charged, CASE state WHEN 'complete' THEN amount ELSE '0' END AS amount FROM aptos_own_transaction
       WHERE committed_version > ?`,
      u64Text(version),
    );
    let sumAtoms = -this.sponsorships.chargedAfter(version);
    for (const { charged, amount } of rows) sumAtoms -= BigInt(charged) + BigInt(amount);
    return sumAtoms;
  }

  reconciledVersion(): bigint {
    const [row] = this.sql.exec<{ version: string }>("SELECT version FROM aptos_compared").toArray();
    return row === undefined ? -1n : BigInt(row.version);
  }

  setReconciledVersion(version: bigint): void {
    this.sql.exec("INSERT OR REPLACE INTO aptos_compared (only_row, version) VALUES (1, ?)", version.toString());
  }

  #usedSequences(where: string, ...bindings: SqlStorageValue[]): ReadonlyMap<string, UsedSequence> {
    const rows = this.sql.exec<UsedSequenceRow>(`SELECT * FROM aptos_used_sequence ${where}`, ...bindings).toArray();
    return new Map(
      rows.map(({ reference, version, time_ms: timeMs, since_ms: sinceMs, said_again }) => [
        reference,
        { version: BigInt(version), timeMs, sinceMs, isSaidAgain: said_again === 1 },
      ]),
    );
  }

  #ownTransactions(where: string, ...bindings: SqlStorageValue[]): AptosTreasuryTransaction[] {
    return this.sql
      .exec<TreasuryRow>(`SELECT * FROM aptos_own_transaction ${where}`, ...bindings)
      .toArray()
      .map(treasuryTransactionOf);
  }
}
