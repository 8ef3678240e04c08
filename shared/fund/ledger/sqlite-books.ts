import type { Scanned, ScanStart } from "../../durable/scan.ts";
import type { Row } from "../../durable/sql.ts";

import type { SenderUsage } from "../../policy/fund-policy.ts";
import { SqliteMonths } from "../archive/months.ts";
import { SqliteProgress } from "../archive/progress.ts";
import type { ArchivableStore, EndedRows } from "../archive/rows.ts";
import type { Raise } from "../events.ts";
import { RefusalTotal } from "../explain/refusal-total.ts";

import type { LedgerFilter } from "../lists/filter.ts";
import { OldRows, type OldTable } from "../old-rows.ts";
import { type BytesTable, type EndedBytes, SpentBytes } from "../spent-bytes.ts";
import type { FundBooks, FundTotals, IdempotencyRecord, LedgerRow, SetDue, Usage } from "./books.ts";
import type { DailyDimension, DailyRow } from "./daily.ts";
import { DailyTotal } from "./daily-total.ts";
import { KeyNumbers } from "./key-numbers.ts";
import { SqliteCounters } from "./sqlite-counters.ts";
import { SqliteDaily } from "./sqlite-daily.ts";
import { type NumberedLedgerRow, SqliteLedger } from "./sqlite-ledger.ts";

import { SqliteSenderUsage } from "./sqlite-sender-usage.ts";
import { utcDay } from "./usage.ts";

/**
 * Stores the books of a Fund object, on any chain. The store of each chain adds its own rows. `SqliteCounters` keeps
 * totals and usage in memory beside their rows. It writes them once, at the end of each transaction.
 */
export abstract class SqliteFundBooks implements FundBooks, ArchivableStore {
  readonly #storage: DurableObjectStorage;
  protected readonly sql: SqlStorage;
  readonly setDue: SetDue;
  readonly raise: Raise;
  protected readonly keys: KeyNumbers;
  readonly ledger: SqliteLedger;
  readonly #counters: SqliteCounters;
  readonly #senderUsage: SqliteSenderUsage;
  readonly dailyCounts: SqliteDaily;
  readonly dailyTotal: DailyTotal;
  readonly refusalTotal: RefusalTotal;
  protected abstract readonly sponsorships: OldTable & EndedBytes;
  abstract readonly ended: EndedRows;
  readonly months: SqliteMonths;
  readonly archiveProgress: SqliteProgress;
  #revoked: ReadonlySet<string> | null = null;
  readonly spentBytes: SpentBytes;
  /** Steps that take back the memory changes of the transaction under way. Null outside of a transaction. */
  #undo: (() => void)[] | null = null;

  /**
   * @param raise adds an event to the outbox. If absent, events are dropped.
   * @param bytesTables the tables with bytes that serve only until their row ends.
   */
  constructor(
    storage: DurableObjectStorage,
    setDue: SetDue,
    raise: Raise = () => {},
    bytesTables: readonly BytesTable[] = [],
  ) {
    this.#storage = storage;
    this.sql = storage.sql;
    this.#counters = new SqliteCounters(storage.sql, (undo) => this.onRollback(undo));
    this.#senderUsage = new SqliteSenderUsage(storage.sql);
    this.dailyCounts = new SqliteDaily(storage.sql, (undo) => this.onRollback(undo));
    this.dailyTotal = new DailyTotal(this.dailyCounts);
    this.refusalTotal = new RefusalTotal(storage.sql);
    this.keys = new KeyNumbers(storage.sql, (undo) => this.onRollback(undo));
    this.ledger = new SqliteLedger(storage.sql, this.keys);
    this.months = new SqliteMonths(storage.sql);
    this.archiveProgress = new SqliteProgress(storage.sql);
    this.spentBytes = new SpentBytes(storage.sql, bytesTables, {
      empty: (reference) => this.sponsorships.empty(reference),
    });
    this.setDue = setDue;
    this.raise = raise;
  }

  /** Runs a transition in one storage transaction: all of its changes, or none. Transactions may nest. */
  transact<T>(transition: () => T): T {
    const outer = this.#undo;
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      const value = this.#storage.transactionSync(() => {
        const result = transition();
        if (outer === null) {
          this.#counters.write();
          this.dailyCounts.write();
        }
        return result;
      });
      outer?.push(...undo);
      return value;
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    } finally {
      this.#undo = outer;
    }
  }

  addDaily(dimension: DailyDimension, row: DailyRow): void {
    this.dailyCounts.add(dimension, row);
  }

  daily(dimension: DailyDimension, fromDay: number, toDay: number): readonly DailyRow[] {
    return this.dailyCounts.read(dimension, fromDay, toDay);
  }

  addLedger(row: LedgerRow): number {
    this.#counters.add(row);
    return this.ledger.add(row);
  }

  totals(): FundTotals {
    return this.#counters.totals();
  }

  takeNonce(): number {
    return this.#counters.takeNonce();
  }

  skipNonces(count: number): void {
    this.#counters.skipNonces(count);
  }

  usage(scope: string): Usage {
    return this.#counters.usage(scope);
  }

  putUsage(scope: string, usage: Usage): void {
    this.#counters.putUsage(scope, usage);
  }

  isRevoked(keyId: string): boolean {
    this.#revoked ??= new Set(
      this.sql
        .exec<{ key_id: string }>("SELECT key_id FROM revoked_key")
        .toArray()
        .map((row) => row.key_id),
    );
    return this.#revoked.has(keyId);
  }

  setRevoked(keyId: string, revoked: boolean): void {
    if (revoked) this.sql.exec("INSERT OR IGNORE INTO revoked_key (key_id) VALUES (?)", keyId);
    else this.sql.exec("DELETE FROM revoked_key WHERE key_id = ?", keyId);
    this.forget(() => {
      this.#revoked = null;
    });
  }

  idempotency(scope: string): IdempotencyRecord | null {
    const [row] = this.sql
      .exec<Row<{ fingerprint: string; reference: string; expires_at_ms: number }>>(
        "SELECT fingerprint, reference, expires_at_ms FROM idempotency WHERE scope = ?",
        scope,
      )
      .toArray();
    if (row === undefined) return null;
    return { scope, fingerprint: row.fingerprint, reference: row.reference, expiresAtMs: row.expires_at_ms };
  }

  putIdempotency({ scope, fingerprint, reference, expiresAtMs }: IdempotencyRecord): void {
    const before = this.idempotency(scope)?.reference ?? reference;
    this.sql.exec(
      "INSERT OR REPLACE INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES (?, ?, ?, ?)",
      scope,
      fingerprint,
      reference,
      expiresAtMs,
    );
    if (before !== reference) this.spentBytes.release(before);
  }

  isReferredTo(reference: string): boolean {
    return this.spentBytes.isReferredTo(reference);
  }

  referredTo(references: readonly string[]): ReadonlySet<string> {
    return this.spentBytes.referredTo(references);
  }

  senderUsage(sender: string, keyId: string | null, day: number): SenderUsage {
    return this.#senderUsage.read(sender, keyId, day);
  }

  addSenderSpend(sender: string, keyId: string, day: number, changeAtoms: bigint): void {
    this.#senderUsage.add(sender, keyId, day, changeAtoms);
  }

  stopSender(sender: string, keyId: string, day: number): void {
    this.#senderUsage.stop(sender, keyId, day);
  }

  /** Drops some counters of days that no clock returns to. */
  dropOldSenderUsage(nowMs: number): void {
    this.#senderUsage.dropOld(nowMs);
  }

  /** Adds up the senders, the targets and the refusals of a day whose rows leave the fund, too. */
  foldOldDaily(nowMs: number, retentionDays: number): void {
    const beforeDay = utcDay(nowMs) - retentionDays;
    this.transact(() => {
      this.dailyCounts.foldOld(beforeDay);
      this.refusalTotal.foldOld(beforeDay);
    });
  }

  /** Lists ledger rows that are not archived, with numbers below `below`, highest first. */
  ledgerBelow(below: number, limit: number): readonly NumberedLedgerRow[] {
    return this.ledger.below(below, limit);
  }

  /** Lists ledger rows that are not archived and that a filter selects. */
  ledgerWhere(filter: LedgerFilter, start: ScanStart): Scanned<NumberedLedgerRow> {
    return this.ledger.scan(filter, start);
  }

  /** Returns true if rows of version 5 still have to move. */
  hasOldRows(): boolean {
    return this.sponsorships.hasOld() || this.ledger.hasOld();
  }

  oldestLedger(limit: number): readonly NumberedLedgerRow[] {
    return this.ledger.oldest(limit);
  }

  removeLedgerUpTo(number: number): void {
    this.ledger.removeUpTo(number);
  }

  sequenceBefore(atMs: number): number {
    return this.ledger.numberBefore(atMs);
  }

  /** Moves some rows of version 5 to the present tables. Live rows move first. @returns true if rows are left. */
  moveOldRows(): boolean {
    const tables = [this.sponsorships, this.ledger];
    return new OldRows(this.sql, tables, (undo) => this.onRollback(undo)).move();
  }

  /** Drops the memory of rows that change, now and again if the change is rolled back. */
  protected forget(drop: () => void): void {
    drop();
    this.onRollback(drop);
  }

  /** Registers a step that takes back a memory change if the transaction under way is rolled back. */
  protected onRollback(undo: () => void): void {
    this.#undo?.push(undo);
  }
}
