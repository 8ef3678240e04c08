import { type Page, type PageRequest, pageOf } from "../../paging.ts";
import type { SenderUsage } from "../../policy/fund-policy.ts";
import type { Raise } from "../events.ts";
import { type BytesTable, SpentBytes } from "../spent-bytes.ts";
import {
  type FundBooks,
  type FundTotals,
  type IdempotencyRecord,
  type LedgerKind,
  type LedgerRow,
  ledgerKinds,
  type SetDue,
  type Usage,
} from "./books.ts";
import { utcDay } from "./usage.ts";

export type Row<Columns> = Columns & Record<string, SqlStorageValue>;

/** Version 3 of what is common to all funds: a fund may hold another coin than SUI. */
export const FUND_BOOKS_MIGRATION_3 = `
  ALTER TABLE ledger RENAME COLUMN balance_mist TO balance_atoms;
  ALTER TABLE ledger RENAME COLUMN address_balance_mist TO address_balance_atoms;
  ALTER TABLE ledger RENAME COLUMN in_flight_mist TO in_flight_atoms;
  ALTER TABLE ledger RENAME COLUMN accrued_fees_mist TO accrued_fees_atoms;
  ALTER TABLE totals RENAME COLUMN balance_mist TO balance_atoms;
  ALTER TABLE totals RENAME COLUMN address_balance_mist TO address_balance_atoms;
  ALTER TABLE totals RENAME COLUMN in_flight_mist TO in_flight_atoms;
  ALTER TABLE totals RENAME COLUMN accrued_fees_mist TO accrued_fees_atoms;
  ALTER TABLE usage RENAME COLUMN in_flight_mist TO in_flight_atoms;
  ALTER TABLE usage RENAME COLUMN spent_mist TO spent_atoms;
  ALTER TABLE usage RENAME COLUMN abandon_cost_mist TO abandon_cost_atoms;
  ALTER TABLE idempotency RENAME COLUMN digest TO reference;
`;

/**
 * Part of version 5. What a sender has spent on a day is counted in a row of its own instead of summed over its
 * sponsorships. What one sender spends in a day is far below 2^63, so the sums are integers that SQLite adds up.
 */
export const FUND_BOOKS_MIGRATION_5 = `
  CREATE TABLE sender_usage (
    day INTEGER NOT NULL,
    sender TEXT NOT NULL,
    key_id TEXT NOT NULL,
    spent_atoms INTEGER NOT NULL,
    stopped INTEGER NOT NULL,
    PRIMARY KEY (day, sender, key_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO sender_usage
    SELECT created_at_ms / 86400000, sender, key_id,
      SUM(MAX(CAST(COALESCE(charged_mist, gas_budget_mist) AS INTEGER), 0) + CAST(fee_mist AS INTEGER)), 0
    FROM sponsorship
    WHERE state <> 'dead' AND created_at_ms / 86400000 >= (SELECT MAX(created_at_ms) / 86400000 - 1 FROM sponsorship)
    GROUP BY 1, 2, 3;
  INSERT INTO sender_usage
    SELECT created_at_ms / 86400000, sender, key_id,
      SUM(MAX(CAST(COALESCE(charged, gas_budget) AS INTEGER), 0) + CAST(fee AS INTEGER)), 0
    FROM aptos_sponsorship
    WHERE state <> 'dead'
      AND created_at_ms / 86400000 >= (SELECT MAX(created_at_ms) / 86400000 - 1 FROM aptos_sponsorship)
    GROUP BY 1, 2, 3;
  DROP INDEX sponsorship_by_sender;
  DROP INDEX aptos_sponsorship_by_sender;
`;

type LedgerTableRow = Row<{
  sequence: number;
  at_ms: number;
  kind: string;
  reference: string;
  key_id: string | null;
  balance_atoms: string;
  address_balance_atoms: string;
  in_flight_atoms: string;
  accrued_fees_atoms: string;
}>;

type TotalsRow = Row<{
  balance_atoms: string;
  address_balance_atoms: string;
  in_flight_atoms: string;
  accrued_fees_atoms: string;
  nonce: number;
}>;

type UsageRow = Row<{
  day: number;
  in_flight_count: number;
  in_flight_atoms: string;
  spent_atoms: string;
  abandon_cost_atoms: string;
}>;

const NONCES = 2 ** 32;
/** Rows of `sender_usage` that are dropped at once. */
const DROPPED_AT_ONCE = 5_000;

/** A stored word as one of those that exist. */
export function oneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === text);
  if (value === undefined) throw new Error(`unknown state ${text} in storage`);
  return value;
}

const U64_DIGITS = 20;

/** Fixed-width digits, which sort as numbers: SQLite integers end at 2^63, and reach JavaScript as doubles. */
export function u64Text(value: bigint): string {
  return value.toString().padStart(U64_DIGITS, "0");
}

export function bigintOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function ledgerViewOf(row: LedgerTableRow): LedgerRow {
  return {
    atMs: row.at_ms,
    kind: oneOf<LedgerKind>(row.kind, ledgerKinds),
    reference: row.reference,
    keyId: row.key_id,
    balanceAtoms: BigInt(row.balance_atoms),
    addressBalanceAtoms: BigInt(row.address_balance_atoms),
    inFlightAtoms: BigInt(row.in_flight_atoms),
    accruedFeesAtoms: BigInt(row.accrued_fees_atoms),
  };
}

interface Counters {
  readonly totals: FundTotals;
  readonly nonce: number;
}

/**
 * The `FundBooks` of a Fund object, whatever its chain; what only one chain has is added by its store. What every
 * transition counts (totals, usage) is kept in memory beside its rows, and written once at the end of each transaction.
 */
export abstract class SqliteFundBooks implements FundBooks {
  readonly #storage: DurableObjectStorage;
  protected readonly sql: SqlStorage;
  readonly setDue: SetDue;
  readonly raise: Raise;
  #counters: Counters | null = null;
  #countersChanged = false;
  readonly #usage = new Map<string, Usage>();
  readonly #usageChanged = new Set<string>();
  #revoked: ReadonlySet<string> | null = null;
  readonly spentBytes: SpentBytes;
  /** How to take back what the transaction under way has changed in memory; null outside of one. */
  #undo: (() => void)[] | null = null;

  /**
   * @param raise nobody listens where there is none.
   * @param bytesTables what has bytes that only serve until it ends.
   */
  constructor(
    storage: DurableObjectStorage,
    setDue: SetDue,
    raise: Raise = () => {},
    bytesTables: readonly BytesTable[] = [],
  ) {
    this.#storage = storage;
    this.sql = storage.sql;
    this.spentBytes = new SpentBytes(storage.sql, bytesTables);
    this.setDue = setDue;
    this.raise = raise;
  }

  /** Runs a transition in one storage transaction, which may be inside another: all of its changes, or none. */
  transact<T>(transition: () => T): T {
    const outer = this.#undo;
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      const value = this.#storage.transactionSync(() => {
        const result = transition();
        if (outer === null) this.#writeCounters();
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

  addLedger(row: LedgerRow): void {
    this.sql.exec(
      `INSERT INTO ledger (at_ms, kind, reference, key_id, balance_atoms, address_balance_atoms, in_flight_atoms,
         accrued_fees_atoms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      row.atMs,
      row.kind,
      row.reference,
      row.keyId,
      row.balanceAtoms.toString(),
      row.addressBalanceAtoms.toString(),
      row.inFlightAtoms.toString(),
      row.accruedFeesAtoms.toString(),
    );
    const { totals, nonce } = this.#loadedCounters();
    this.#setCounters({
      nonce,
      totals: {
        balanceAtoms: totals.balanceAtoms + row.balanceAtoms,
        addressBalanceAtoms: totals.addressBalanceAtoms + row.addressBalanceAtoms,
        inFlightAtoms: totals.inFlightAtoms + row.inFlightAtoms,
        accruedFeesAtoms: totals.accruedFeesAtoms + row.accruedFeesAtoms,
      },
    });
  }

  totals(): FundTotals {
    return this.#loadedCounters().totals;
  }

  takeNonce(): number {
    const { totals, nonce } = this.#loadedCounters();
    this.#setCounters({ totals, nonce: (nonce + 1) % NONCES });
    return nonce;
  }

  usage(scope: string): Usage {
    const known = this.#usage.get(scope);
    if (known !== undefined) return known;
    const [row] = this.sql.exec<UsageRow>("SELECT * FROM usage WHERE scope = ?", scope).toArray();
    const usage: Usage = {
      day: row?.day ?? utcDay(0),
      inFlightCount: row?.in_flight_count ?? 0,
      inFlightAtoms: BigInt(row?.in_flight_atoms ?? 0),
      spentTodayAtoms: BigInt(row?.spent_atoms ?? 0),
      abandonCostTodayAtoms: BigInt(row?.abandon_cost_atoms ?? 0),
    };
    this.#usage.set(scope, usage);
    return usage;
  }

  putUsage(scope: string, usage: Usage): void {
    const before = this.usage(scope);
    this.#undo?.push(() => this.#usage.set(scope, before));
    this.#usage.set(scope, usage);
    this.#usageChanged.add(scope);
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

  senderUsage(sender: string, keyId: string | null, day: number): SenderUsage {
    const [row] = this.sql
      .exec<Row<{ spent: string; stopped: number }>>(
        `SELECT CAST(COALESCE(SUM(spent_atoms), 0) AS TEXT) AS spent, COALESCE(MAX(stopped), 0) AS stopped
         FROM sender_usage WHERE day = ?1 AND sender = ?2 AND (?3 IS NULL OR key_id = ?3)`,
        day,
        sender,
        keyId,
      )
      .toArray();
    return { spentAtoms: BigInt(row?.spent ?? 0), stopped: row?.stopped === 1 };
  }

  addSenderSpend(sender: string, keyId: string, day: number, changeAtoms: bigint): void {
    const change = changeAtoms.toString();
    if (changeAtoms > 0n)
      this.sql.exec(
        `INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (?, ?, ?, CAST(? AS INTEGER), 0)
         ON CONFLICT (day, sender, key_id) DO UPDATE SET spent_atoms = spent_atoms + excluded.spent_atoms`,
        day,
        sender,
        keyId,
        change,
      );
    else
      this.sql.exec(
        `UPDATE sender_usage SET spent_atoms = spent_atoms + CAST(? AS INTEGER)
         WHERE day = ? AND sender = ? AND key_id = ?`,
        change,
        day,
        sender,
        keyId,
      );
  }

  stopSender(sender: string, keyId: string, day: number): void {
    this.sql.exec(
      `INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (?, ?, ?, 0, 1)
       ON CONFLICT (day, sender, key_id) DO UPDATE SET stopped = 1`,
      day,
      sender,
      keyId,
    );
  }

  /** Forgets senders of days that no clock comes back to, some at a time. */
  dropOldSenderUsage(nowMs: number): void {
    this.sql.exec(
      `DELETE FROM sender_usage WHERE (day, sender, key_id) IN
         (SELECT day, sender, key_id FROM sender_usage WHERE day < ? LIMIT ${DROPPED_AT_ONCE})`,
      utcDay(nowMs) - 1,
    );
  }

  /** Newest first. */
  listLedger({ limit, cursor }: PageRequest): Page<LedgerRow> {
    const below = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const rows = this.sql
      .exec<LedgerTableRow>("SELECT * FROM ledger WHERE sequence < ? ORDER BY sequence DESC LIMIT ?", below, limit + 1)
      .toArray();
    return pageOf(
      rows.map((row) => ({ ...row, seq: row.sequence })),
      limit,
      ledgerViewOf,
    );
  }

  /** The last ledger row from before then; 0 where there is none. */
  sequenceBefore(atMs: number): number {
    const [row] = this.sql
      .exec<{ sequence: number }>("SELECT sequence FROM ledger WHERE at_ms < ? ORDER BY sequence DESC LIMIT 1", atMs)
      .toArray();
    return row?.sequence ?? 0;
  }

  /** Drops what memory has of rows that change, now and if they change back. */
  protected forget(drop: () => void): void {
    drop();
    this.onRollback(drop);
  }

  /** Takes back what the transaction under way has changed in memory, if it is rolled back. */
  protected onRollback(undo: () => void): void {
    this.#undo?.push(undo);
  }

  #loadedCounters(): Counters {
    if (this.#counters !== null) return this.#counters;
    const [row] = this.sql.exec<TotalsRow>("SELECT * FROM totals").toArray();
    this.#counters = {
      nonce: row?.nonce ?? 0,
      totals: {
        balanceAtoms: BigInt(row?.balance_atoms ?? 0),
        addressBalanceAtoms: BigInt(row?.address_balance_atoms ?? 0),
        inFlightAtoms: BigInt(row?.in_flight_atoms ?? 0),
        accruedFeesAtoms: BigInt(row?.accrued_fees_atoms ?? 0),
      },
    };
    return this.#counters;
  }

  #setCounters(counters: Counters): void {
    const before = this.#counters;
    this.#undo?.push(() => {
      this.#counters = before;
    });
    this.#counters = counters;
    this.#countersChanged = true;
  }

  #writeCounters(): void {
    if (this.#countersChanged) {
      const { totals, nonce } = this.#loadedCounters();
      this.sql.exec(
        `INSERT OR REPLACE INTO totals (only_row, balance_atoms, address_balance_atoms, in_flight_atoms,
           accrued_fees_atoms, nonce) VALUES (1, ?, ?, ?, ?, ?)`,
        totals.balanceAtoms.toString(),
        totals.addressBalanceAtoms.toString(),
        totals.inFlightAtoms.toString(),
        totals.accruedFeesAtoms.toString(),
        nonce,
      );
    }
    for (const scope of this.#usageChanged) {
      const usage = this.usage(scope);
      this.sql.exec(
        `INSERT OR REPLACE INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms)
         VALUES (?, ?, ?, ?, ?, ?)`,
        scope,
        usage.day,
        usage.inFlightCount,
        usage.inFlightAtoms.toString(),
        usage.spentTodayAtoms.toString(),
        usage.abandonCostTodayAtoms.toString(),
      );
    }
    this.#countersChanged = false;
    this.#usageChanged.clear();
  }
}
