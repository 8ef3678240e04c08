import * as z from "zod";
import type { Clock } from "../../bindings/ports.ts";
import { type Chain, chains } from "../../networks.ts";
import { type Attempt, minus, NO_USAGE, type PinnedTransaction, type UserUsage } from "./attempt.ts";
import type { ProvenWallet } from "./known-wallet.ts";

const attemptRow = z.object({
  fingerprint: z.string(),
  calls_at_it: z.number(),
  is_open: z.number(),
  transaction_id: z.string().nullable(),
  content: z.string().nullable(),
  chain: z.enum(chains).nullable(),
  gas_budget: z.string().transform(BigInt).nullable(),
  counted_day: z.number().nullable(),
});
const keptRow = z.object({
  attempts: z.number(),
  oldestAtMs: z.number().nullable(),
  oldestDay: z.number().nullable(),
});
const usageRow = z.object({ transactions: z.number(), gas: z.string().transform(BigInt) });

/** The limit on contents that one reading of recent transactions returns. */
const MAX_RECENT = 20;

/** An attempt as it is stored. */
export interface StoredAttempt {
  readonly attempt: Attempt;
  /**
   * The UTC day since 1970 that counts its transaction. Null without one, or if another attempt's transaction is
   * counted.
   */
  readonly countedDay: number | null;
}

/** Keeps the attempts, the daily usage and the known wallets of one user of the workflows. */
export class UserStore {
  readonly #sql: SqlStorage;
  readonly #clock: Clock;

  constructor(sql: SqlStorage, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  /** Returns the recorded wallet. Null if no call has recorded one. */
  wallet(chain: Chain): ProvenWallet | null {
    const [row] = this.#sql
      .exec<{ address: string; is_on_chain: number; proof: ArrayBuffer }>(
        "SELECT address, is_on_chain, proof FROM known_wallet WHERE chain = ?",
        chain,
      )
      .toArray();
    if (row === undefined) return null;
    return { address: row.address, isOnChain: row.is_on_chain !== 0, proof: new Uint8Array(row.proof) };
  }

  putWallet(chain: Chain, { address, isOnChain, proof }: ProvenWallet): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO known_wallet (chain, address, is_on_chain, proof) VALUES (?, ?, ?, ?)",
      chain,
      address,
      isOnChain ? 1 : 0,
      new Uint8Array(proof).buffer,
    );
  }

  /** Returns an attempt. Null if the key has none. */
  attempt(key: string): StoredAttempt | null {
    const [row] = this.#sql.exec("SELECT * FROM attempt WHERE key = ?", key).toArray();
    if (row === undefined) return null;
    const { fingerprint, calls_at_it, is_open, transaction_id, content, chain, gas_budget, counted_day } =
      attemptRow.parse(row);
    const isPinned = transaction_id !== null && content !== null && chain !== null && gas_budget !== null;
    const transaction = isPinned
      ? { id: transaction_id, content, capUsage: { chain, gasBudgetAtoms: gas_budget } }
      : null;
    const attempt = { fingerprint, transaction, activeCalls: calls_at_it, mayHaveExecuted: is_open !== 0 };
    return { attempt, countedDay: counted_day };
  }

  putAttempt(key: string, { attempt, countedDay }: StoredAttempt): void {
    const { fingerprint, transaction, activeCalls, mayHaveExecuted } = attempt;
    this.#sql.exec(
      `INSERT INTO attempt
         (key, fingerprint, calls_at_it, is_open, begun_at_ms, transaction_id, content, chain, gas_budget, counted_day)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET
         calls_at_it = excluded.calls_at_it, is_open = excluded.is_open, transaction_id = excluded.transaction_id,
         content = excluded.content, chain = excluded.chain, gas_budget = excluded.gas_budget,
         counted_day = excluded.counted_day`,
      key,
      fingerprint,
      activeCalls,
      mayHaveExecuted ? 1 : 0,
      this.#clock.nowMs(),
      transaction?.id ?? null,
      transaction?.content ?? null,
      transaction?.capUsage.chain ?? null,
      transaction?.capUsage.gasBudgetAtoms.toString() ?? null,
      countedDay,
    );
  }

  deleteAttempt(key: string): void {
    this.#sql.exec("DELETE FROM attempt WHERE key = ?", key);
  }

  /** True if an attempt has this transaction, and it was executed or may have been. */
  wasSent(transactionId: string): boolean {
    return this.#has("transaction_id = ? AND is_open = 1", transactionId);
  }

  isOfAnotherAttempt(transactionId: string, key: string): boolean {
    return this.#has("transaction_id = ? AND key <> ?", transactionId, key);
  }

  isCounted(transactionId: string): boolean {
    return this.#has("transaction_id = ? AND counted_day IS NOT NULL", transactionId);
  }

  #has(condition: string, ...values: readonly string[]): boolean {
    return this.#sql.exec(`SELECT 1 FROM attempt WHERE ${condition} LIMIT 1`, ...values).toArray().length > 0;
  }

  /** Returns the contents of a chain's pinned transactions since a time, newest first. */
  contentsSince(chain: Chain, sinceMs: number): readonly string[] {
    const rows = this.#sql.exec<{ content: string }>(
      `SELECT content FROM attempt WHERE chain = ? AND begun_at_ms >= ? AND content IS NOT NULL
       ORDER BY begun_at_ms DESC LIMIT ?`,
      chain,
      sinceMs,
      MAX_RECENT,
    );
    return rows.toArray().map(({ content }) => content);
  }

  /** Returns the usage of a day. @param day UTC day since 1970. */
  usage(chain: Chain, day: number): UserUsage {
    const [row] = this.#sql
      .exec("SELECT transactions, gas FROM usage WHERE chain = ? AND day = ?", chain, day)
      .toArray();
    if (row === undefined) return NO_USAGE;
    const { transactions, gas } = usageRow.parse(row);
    return { transactions, gasAtoms: gas };
  }

  putUsage(chain: Chain, day: number, { transactions, gasAtoms }: UserUsage): void {
    this.#sql.exec(
      `INSERT INTO usage (chain, day, transactions, gas) VALUES (?, ?, ?, ?)
       ON CONFLICT (chain, day) DO UPDATE SET transactions = excluded.transactions, gas = excluded.gas`,
      chain,
      day,
      transactions,
      gasAtoms.toString(),
    );
  }

  /**
   * Subtracts a transaction from the usage. If another attempt has the same one, that attempt counts it from now on.
   */
  uncount({ id, capUsage }: PinnedTransaction, countedDay: number): void {
    const [heir] = this.#sql
      .exec<{ key: string }>("SELECT key FROM attempt WHERE transaction_id = ? LIMIT 1", id)
      .toArray();
    if (heir !== undefined) {
      this.#sql.exec("UPDATE attempt SET counted_day = ? WHERE key = ?", countedDay, heir.key);
      return;
    }
    const { chain } = capUsage;
    this.putUsage(chain, countedDay, minus(this.usage(chain, countedDay), capUsage));
  }

  /** Moves attempts that a fast clock has made to now. Otherwise they would be kept until that clock's time. */
  pullBack(nowMs: number): void {
    const { latestMs } = this.#sql
      .exec<{ latestMs: number | null }>("SELECT MAX(begun_at_ms) AS latestMs FROM attempt")
      .one();
    if (latestMs === null || latestMs <= nowMs) return;
    this.#sql.exec("UPDATE attempt SET begun_at_ms = ? WHERE begun_at_ms > ?", nowMs, nowMs);
  }

  /** Deletes attempts that began by a time, and usage of days up to one. */
  deleteOld(beganByMs: number, lastDay: number): void {
    this.#sql.exec("DELETE FROM attempt WHERE begun_at_ms <= ?", beganByMs);
    this.#sql.exec("DELETE FROM usage WHERE day <= ?", lastDay);
  }

  /** Counts the attempts, and finds the oldest rows. Null without rows. */
  kept() {
    const [row] = this.#sql
      .exec(
        `SELECT (SELECT COUNT(*) FROM attempt) AS attempts, (SELECT MIN(begun_at_ms) FROM attempt) AS oldestAtMs,
           (SELECT MIN(day) FROM usage) AS oldestDay`,
      )
      .toArray();
    return keptRow.parse(row);
  }
}
