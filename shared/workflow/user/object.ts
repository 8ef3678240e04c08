import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { fullBucket, type TokenBucket, takeCalls } from "../../access/rate-limit.ts";
import { formatCoin } from "../../amounts.ts";
import { createDeps, type Deps } from "../../bindings/deps.ts";
import type { Env, ObjectMethods } from "../../bindings/env.ts";
import type {
  BeginInput,
  BeginResult,
  OverCap,
  PinInput,
  PinResult,
  ReserveResult,
  WorkflowUserObject,
} from "../../bindings/workflow-user.ts";
import { migrate } from "../../durable/migrations.ts";
import { IDEMPOTENCY_TTL_MS } from "../../idempotency.ts";
import { type Chain, chains } from "../../networks.ts";
import type { HeldCap } from "../../policy/rules.ts";
import {
  type Attempt,
  begin,
  brokenCap,
  type CallEnd,
  endCall,
  minus,
  NO_USAGE,
  type PinnedTransaction,
  pin,
  type UserUsage,
} from "./attempt.ts";
import type { ProvenWallet } from "./known-wallet.ts";
import {
  HELD_AMOUNT_MIGRATION,
  HELD_GAS_MIGRATION,
  type OpenSponsorship,
  OpenSponsorships,
  type WantedSponsorship,
} from "./open-sponsorships.ts";
import { UserSessions } from "./sessions.ts";

const DAY_MS = 86_400_000;
/** Each is kept for a day, with a transaction. Far more than one person can do. */
const MAX_ATTEMPTS = 2_000;
/** Of one user within minutes. */
const MAX_RECENT = 20;
/** A day's usage is kept through the next one: until then an attempt of that day can come to nothing. */
const USAGE_DAYS = 2;

export const migrations = [
  `CREATE TABLE attempt (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    calls_at_it INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    begun_at_ms INTEGER NOT NULL,
    transaction_id TEXT,
    content TEXT,
    chain TEXT,
    gas_budget TEXT,
    counted_day INTEGER
  ) STRICT;
  CREATE INDEX attempt_by_age ON attempt (begun_at_ms);
  CREATE INDEX attempt_by_transaction ON attempt (transaction_id);
  CREATE TABLE usage (
    chain TEXT NOT NULL,
    day INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    gas TEXT NOT NULL,
    PRIMARY KEY (chain, day)
  ) STRICT, WITHOUT ROWID`,
  HELD_GAS_MIGRATION,
  `CREATE TABLE known_wallet (
    chain TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    is_on_chain INTEGER NOT NULL,
    proof BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${HELD_AMOUNT_MIGRATION}`,
];

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

interface StoredAttempt {
  readonly attempt: Attempt;
  /** The UTC day, since 1970, to which its transaction was counted; null: none, or another attempt's is counted. */
  readonly countedDay: number | null;
}

/**
 * One user of the app's workflows, named by the id of their wallet: how often they call, which attempts they have made,
 * and what these come to in a day. A call is `begin`, then `fix` once it has a transaction, then `leave`.
 */
export class WorkflowUser extends DurableObject<Env> implements ObjectMethods<WorkflowUserObject> {
  readonly #deps: Deps;
  readonly #held: OpenSponsorships;
  readonly #sessions: UserSessions;
  #bucket: TokenBucket | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#held = new OpenSponsorships(ctx.storage.sql);
    this.#sessions = new UserSessions(this.#deps.clock);
  }

  async takeRateToken(callsPerSecond: number): Promise<number> {
    const nowMs = this.#deps.clock.nowMs();
    const taken = takeCalls(this.#bucket ?? fullBucket(callsPerSecond, nowMs), callsPerSecond, 1, nowMs);
    this.#bucket = taken.bucket;
    return taken.waitsMs[0] ?? 0;
  }

  takeSession(chain: Chain, refused: Uint8Array | null): Promise<Uint8Array | null> {
    return this.#sessions.take(chain, refused);
  }

  async putSession(chain: Chain, token: Uint8Array | null): Promise<void> {
    this.#sessions.put(chain, token);
  }

  async knownWallet(chain: Chain): Promise<ProvenWallet | null> {
    const [row] = this.ctx.storage.sql
      .exec<{ address: string; is_on_chain: number; proof: ArrayBuffer }>(
        "SELECT address, is_on_chain, proof FROM known_wallet WHERE chain = ?",
        chain,
      )
      .toArray();
    if (row === undefined) return null;
    return { address: row.address, isOnChain: row.is_on_chain !== 0, proof: new Uint8Array(row.proof) };
  }

  async recordWallet(chain: Chain, { address, isOnChain, proof }: ProvenWallet): Promise<void> {
    this.ctx.storage.sql.exec(
      "INSERT OR REPLACE INTO known_wallet (chain, address, is_on_chain, proof) VALUES (?, ?, ?, ?)",
      chain,
      address,
      isOnChain ? 1 : 0,
      new Uint8Array(proof).buffer,
    );
  }

  async reserveSlot(wanted: WantedSponsorship, cap: HeldCap, key: string | null): Promise<ReserveResult> {
    const slot = key ?? crypto.randomUUID();
    const taken = this.#held.reserve(slot, wanted, cap, this.#deps.clock.nowMs());
    const { heldAtOnce, heldGasAtoms } = cap;
    const ofGas = `${formatCoin(wanted.chain, heldGasAtoms ?? 0n)} of gas for transactions that wait to be executed`;
    const ofCount = `${heldAtOnce} sponsorships that wait to be executed`;
    if (taken.kind === "none") return this.#overCap(taken.cap === "heldGasAtoms" ? ofGas : ofCount, taken.freeAtMs);
    await this.#arm();
    const { isNew, maxGasAtoms, isRest, freeAtMs } = taken;
    return { kind: "held", slot, isNew, maxGasAtoms, overShare: isRest ? this.#overCap(ofGas, freeAtMs) : null };
  }

  async confirmSlot(slot: string, held: OpenSponsorship | null): Promise<void> {
    const waits = held === null || this.#wasSent(held.digest) ? null : held;
    this.#held.confirm(slot, waits, this.#deps.clock.nowMs());
    await this.#arm();
  }

  async begin({ key, fingerprint, chain, cap }: BeginInput): Promise<BeginResult> {
    this.#forgetOld();
    const stored = this.#load(key);
    const begun = begin(stored?.attempt ?? null, fingerprint);
    if (begun.kind === "conflict") return begun;
    const { transaction } = begun.attempt;
    const { attempts, oldestAtMs } = this.#kept();
    if (stored === null && attempts >= MAX_ATTEMPTS)
      return this.#overCap(`${MAX_ATTEMPTS} attempts a day`, (oldestAtMs ?? 0) + IDEMPOTENCY_TTL_MS);
    if (transaction === null) {
      const broken = brokenCap({ chain, gasBudgetAtoms: 0n }, this.#usage(chain, this.#today()), cap);
      if (broken !== null) return this.#overCap(broken);
    }
    this.#save(key, { attempt: begun.attempt, countedDay: stored?.countedDay ?? null });
    await this.#arm();
    return { kind: "begun", transaction, wasSent: begun.attempt.mayHaveExecuted };
  }

  async pin({ key, transaction: offered, origin, cap }: PinInput): Promise<PinResult> {
    const stored = this.#load(key);
    if (stored === null) throw new Error("an attempt must begin before its transaction is fixed");
    const day = this.#today();
    const { chain } = offered.capUsage;
    const isCounted = this.#isCounted(offered.id);
    const before = this.#usage(chain, day);
    const isOfAnotherAttempt = this.#isOfAnotherAttempt(offered.id, key);
    const pinned = pin(stored.attempt, offered, { origin, usage: before, cap, isOfAnotherAttempt, isCounted });
    if (pinned.kind === "over_cap") return this.#overCap(pinned.cap);
    if (pinned.kind === "taken") return pinned;
    const { transaction } = pinned.attempt;
    if (transaction === null) throw new Error("an attempt was fixed without a transaction");
    if (stored.attempt.transaction === null) {
      this.#saveUsage(chain, day, pinned.usage);
      this.#save(key, { attempt: pinned.attempt, countedDay: isCounted ? null : day });
    }
    return { kind: "pinned", transaction };
  }

  async endCall(key: string, how: CallEnd): Promise<void> {
    const stored = this.#load(key);
    if (stored === null) return;
    const { attempt } = stored;
    // From here on nobody takes it back.
    const countedDay = how === "refused" ? null : stored.countedDay;
    if (how === "maybe_sent" && attempt.transaction !== null) this.#held.remove(attempt.transaction.id);
    const left = endCall(attempt, how);
    if (left !== null) {
      this.#save(key, { attempt: left, countedDay });
      return;
    }
    this.ctx.storage.sql.exec("DELETE FROM attempt WHERE key = ?", key);
    if (attempt.transaction !== null && countedDay !== null) this.#uncount(attempt.transaction, countedDay);
  }

  async executedSince(chain: Chain, sinceMs: number): Promise<readonly string[]> {
    const rows = this.ctx.storage.sql.exec<{ content: string }>(
      `SELECT content FROM attempt WHERE chain = ? AND begun_at_ms >= ? AND content IS NOT NULL
       ORDER BY begun_at_ms DESC LIMIT ?`,
      chain,
      sinceMs,
      MAX_RECENT,
    );
    return rows.toArray().map(({ content }) => content);
  }

  override async alarm(): Promise<void> {
    this.#forgetOld();
    await this.#arm();
  }

  /** Where another attempt has the same transaction, it is the one that counts from now on. */
  #uncount({ id, capUsage }: PinnedTransaction, countedDay: number): void {
    const { sql } = this.ctx.storage;
    const [heir] = sql.exec<{ key: string }>("SELECT key FROM attempt WHERE transaction_id = ? LIMIT 1", id).toArray();
    if (heir !== undefined) {
      sql.exec("UPDATE attempt SET counted_day = ? WHERE key = ?", countedDay, heir.key);
      return;
    }
    this.#saveUsage(capUsage.chain, countedDay, minus(this.#usage(capUsage.chain, countedDay), capUsage));
  }

  #today(): number {
    return Math.floor(this.#deps.clock.nowMs() / DAY_MS);
  }

  #overCap(cap: string, untilMs = (this.#today() + 1) * DAY_MS): OverCap {
    return { kind: "over_cap", cap, retryAfterMs: Math.max(0, untilMs - this.#deps.clock.nowMs()) };
  }

  #forgetOld(): void {
    const { sql } = this.ctx.storage;
    sql.exec("DELETE FROM attempt WHERE begun_at_ms <= ?", this.#deps.clock.nowMs() - IDEMPOTENCY_TTL_MS);
    sql.exec("DELETE FROM usage WHERE day <= ?", this.#today() - USAGE_DAYS);
    this.#held.forget(this.#deps.clock.nowMs());
  }

  /** Wakes this object when there is something to forget, so that nothing is kept of a user who stays away. */
  async #arm(): Promise<void> {
    const { storage } = this.ctx;
    const { oldestAtMs, oldestDay } = this.#kept();
    const heldUntilMs = this.#held.soonestMs();
    const dueAtMs = [
      ...(oldestAtMs === null ? [] : [oldestAtMs + IDEMPOTENCY_TTL_MS]),
      ...(oldestDay === null ? [] : [(oldestDay + USAGE_DAYS) * DAY_MS]),
      ...(heldUntilMs === null ? [] : [heldUntilMs]),
    ];
    if (dueAtMs.length === 0 || (await storage.getAlarm()) !== null) return;
    await storage.setAlarm(this.#deps.clock.alarmAtMs(Math.min(...dueAtMs)));
  }

  #kept() {
    const [row] = this.ctx.storage.sql
      .exec(
        `SELECT (SELECT COUNT(*) FROM attempt) AS attempts, (SELECT MIN(begun_at_ms) FROM attempt) AS oldestAtMs,
           (SELECT MIN(day) FROM usage) AS oldestDay`,
      )
      .toArray();
    return keptRow.parse(row);
  }

  /** Executed, or it may have been: a repeat of what asked for it holds nothing anew. */
  #wasSent(transactionId: string): boolean {
    const { sql } = this.ctx.storage;
    return (
      sql.exec("SELECT 1 FROM attempt WHERE transaction_id = ? AND is_open = 1", transactionId).toArray().length > 0
    );
  }

  #isOfAnotherAttempt(transactionId: string, key: string): boolean {
    const { sql } = this.ctx.storage;
    const rows = sql.exec("SELECT 1 FROM attempt WHERE transaction_id = ? AND key <> ? LIMIT 1", transactionId, key);
    return rows.toArray().length > 0;
  }

  #isCounted(transactionId: string): boolean {
    const { sql } = this.ctx.storage;
    const rows = sql.exec(
      "SELECT 1 FROM attempt WHERE transaction_id = ? AND counted_day IS NOT NULL LIMIT 1",
      transactionId,
    );
    return rows.toArray().length > 0;
  }

  #usage(chain: Chain, day: number): UserUsage {
    const { sql } = this.ctx.storage;
    const [row] = sql.exec("SELECT transactions, gas FROM usage WHERE chain = ? AND day = ?", chain, day).toArray();
    if (row === undefined) return NO_USAGE;
    const { transactions, gas } = usageRow.parse(row);
    return { transactions, gasAtoms: gas };
  }

  #saveUsage(chain: Chain, day: number, { transactions, gasAtoms }: UserUsage): void {
    this.ctx.storage.sql.exec(
      `INSERT INTO usage (chain, day, transactions, gas) VALUES (?, ?, ?, ?)
       ON CONFLICT (chain, day) DO UPDATE SET transactions = excluded.transactions, gas = excluded.gas`,
      chain,
      day,
      transactions,
      gasAtoms.toString(),
    );
  }

  #load(key: string): StoredAttempt | null {
    const [row] = this.ctx.storage.sql.exec("SELECT * FROM attempt WHERE key = ?", key).toArray();
    if (row === undefined) return null;
    const { fingerprint, calls_at_it, is_open, transaction_id, content, chain, gas_budget, counted_day } =
      attemptRow.parse(row);
    const isFixed = transaction_id !== null && content !== null && chain !== null && gas_budget !== null;
    const transaction = isFixed
      ? { id: transaction_id, content, capUsage: { chain, gasBudgetAtoms: gas_budget } }
      : null;
    const attempt = { fingerprint, transaction, activeCalls: calls_at_it, mayHaveExecuted: is_open !== 0 };
    return { attempt, countedDay: counted_day };
  }

  #save(key: string, { attempt, countedDay }: StoredAttempt): void {
    const { fingerprint, transaction, activeCalls, mayHaveExecuted } = attempt;
    this.ctx.storage.sql.exec(
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
      this.#deps.clock.nowMs(),
      transaction?.id ?? null,
      transaction?.content ?? null,
      transaction?.capUsage.chain ?? null,
      transaction?.capUsage.gasBudgetAtoms.toString() ?? null,
      countedDay,
    );
  }
}
