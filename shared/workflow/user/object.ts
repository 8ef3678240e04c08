import { DurableObject } from "cloudflare:workers";
import { fullBucket, type TokenBucket, takeCalls } from "../../access/rate-limit.ts";
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
import { formatCoin } from "../../coin-text.ts";
import { migrate } from "../../durable/migrations.ts";
import { isStorageFull, readStorageUse } from "../../durable/storage-budget.ts";
import { IDEMPOTENCY_TTL_MS } from "../../idempotency.ts";
import type { Chain } from "../../networks.ts";
import type { HeldCap } from "../../policy/rule.ts";
import { begin, brokenCap, type CallEnd, endCall, pin } from "./attempt.ts";
import type { ProvenWallet } from "./known-wallet.ts";
import { type OpenSponsorship, OpenSponsorships, type WantedSponsorship } from "./open-sponsorships.ts";
import { migrations } from "./schema.ts";
import { UserSessions } from "./sessions.ts";
import { UserStore } from "./store.ts";
import { UserAlarm } from "./user-alarm.ts";

const DAY_MS = 86_400_000;
/** The limit on attempts. Each is kept for a day, with a transaction. One person makes far fewer. */
const MAX_ATTEMPTS = 2_000;
/** The limit on sponsorships that wait at the same time, for any policy of the app. Each slot lasts an hour at most. */
const MAX_SLOTS = 2_000;
/** The disk budget of a user, 64 MiB. A transaction of an attempt may have 128 KiB, and stays for a day. */
const USER_BYTES = 64 * 1_024 ** 2;
/** The days for which usage is kept. An attempt of yesterday can still end without effect today. */
const USAGE_DAYS = 2;

/**
 * Keeps the rate of calls, the attempts, and the daily usage of one user of the app's workflows. The wallet id names
 * the object. A call is `begin`, then `pin` once it has a transaction, then `endCall`.
 */
export class WorkflowUser extends DurableObject<Env> implements ObjectMethods<WorkflowUserObject> {
  readonly #deps: Deps;
  readonly #store: UserStore;
  readonly #open: OpenSponsorships;
  readonly #sessions: UserSessions;
  readonly #alarm: UserAlarm;
  #bucket: TokenBucket | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#store = new UserStore(ctx.storage.sql, this.#deps.clock);
    this.#open = new OpenSponsorships(ctx.storage.sql);
    this.#sessions = new UserSessions(this.#deps.clock);
    this.#alarm = new UserAlarm(ctx.storage, this.#deps.clock);
    this.#arm();
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
    return this.#store.wallet(chain);
  }

  async recordWallet(chain: Chain, wallet: ProvenWallet): Promise<void> {
    this.#store.putWallet(chain, wallet);
  }

  async reserveSlot(wanted: WantedSponsorship, cap: HeldCap, key: string | null): Promise<ReserveResult> {
    const slot = key ?? crypto.randomUUID();
    const { heldGasAtoms } = cap;
    const heldAtOnce = Math.min(cap.heldAtOnce ?? MAX_SLOTS, MAX_SLOTS);
    const reserved = this.#open.reserve(slot, wanted, { heldAtOnce, heldGasAtoms }, this.#deps.clock.nowMs());
    const ofGas = `${formatCoin(wanted.chain, heldGasAtoms ?? 0n)} of gas for transactions that wait to be executed`;
    const ofCount = `${heldAtOnce} sponsorships that wait to be executed`;
    if (reserved.kind === "none")
      return this.#overCap(reserved.cap === "heldGasAtoms" ? ofGas : ofCount, reserved.freeAtMs);
    this.#arm();
    const { isNew, maxGasAtoms, isRest, freeAtMs } = reserved;
    return { kind: "held", slot, isNew, maxGasAtoms, overShare: isRest ? this.#overCap(ofGas, freeAtMs) : null };
  }

  async confirmSlot(slot: string, held: OpenSponsorship | null): Promise<void> {
    const waits = held === null || this.#store.wasSent(held.digest) ? null : held;
    this.#open.confirm(slot, waits, this.#deps.clock.nowMs());
    this.#arm();
  }

  async begin({ key, fingerprint, chain, cap }: BeginInput): Promise<BeginResult> {
    this.#deleteOld();
    const stored = this.#store.attempt(key);
    const begun = begin(stored?.attempt ?? null, fingerprint);
    if (begun.kind === "conflict") return begun;
    const { transaction } = begun.attempt;
    const { attempts, oldestAtMs } = this.#store.kept();
    const firstEndsAtMs = (oldestAtMs ?? 0) + IDEMPOTENCY_TTL_MS;
    if (stored === null && attempts >= MAX_ATTEMPTS)
      return this.#overCap(`${MAX_ATTEMPTS} attempts a day`, firstEndsAtMs);
    if (stored === null && isStorageFull(readStorageUse(this.ctx.storage.sql, USER_BYTES)))
      return this.#overCap("the storage for a day's transactions", firstEndsAtMs);
    if (transaction === null) {
      const broken = brokenCap({ chain, gasBudgetAtoms: 0n }, this.#store.usage(chain, this.#today()), cap);
      if (broken !== null) return this.#overCap(broken);
    }
    this.#store.putAttempt(key, { attempt: begun.attempt, countedDay: stored?.countedDay ?? null });
    this.#arm();
    return { kind: "begun", transaction, wasSent: begun.attempt.mayHaveExecuted };
  }

  async pin({ key, transaction: offered, origin, cap }: PinInput): Promise<PinResult> {
    const stored = this.#store.attempt(key);
    if (stored === null) throw new Error("an attempt must begin before its transaction is fixed");
    const day = this.#today();
    const { chain } = offered.capUsage;
    const isCounted = this.#store.isCounted(offered.id);
    const pinned = pin(stored.attempt, offered, {
      origin,
      usage: this.#store.usage(chain, day),
      cap,
      isOfAnotherAttempt: this.#store.isOfAnotherAttempt(offered.id, key),
      isCounted,
    });
    if (pinned.kind === "over_cap") return this.#overCap(pinned.cap);
    if (pinned.kind === "taken") return pinned;
    const { transaction } = pinned.attempt;
    if (transaction === null) throw new Error("an attempt was fixed without a transaction");
    if (stored.attempt.transaction === null) {
      this.#store.putUsage(chain, day, pinned.usage);
      this.#store.putAttempt(key, { attempt: pinned.attempt, countedDay: isCounted ? null : day });
    }
    return { kind: "pinned", transaction };
  }

  async endCall(key: string, how: CallEnd): Promise<void> {
    const stored = this.#store.attempt(key);
    if (stored === null) return;
    const { attempt } = stored;
    const { transaction } = attempt;
    // A node has refused the transaction. It counts permanently.
    const countedDay = how === "refused" ? null : stored.countedDay;
    if (how === "open" && transaction !== null) this.#open.remove(transaction.id);
    const left = endCall(attempt, how);
    if (left !== null) {
      this.#store.putAttempt(key, { attempt: left, countedDay });
      return;
    }
    this.#store.deleteAttempt(key);
    if (transaction !== null && countedDay !== null) this.#store.uncount(transaction, countedDay);
  }

  async executedSince(chain: Chain, sinceMs: number): Promise<readonly string[]> {
    return this.#store.contentsSince(chain, sinceMs);
  }

  override async alarm(): Promise<void> {
    this.#alarm.fired();
    try {
      this.#deleteOld();
      this.#arm();
    } catch (error) {
      this.#deps.log("workflow_user.alarm_failed", { user: this.ctx.id.name ?? null, error: String(error) });
      this.#arm("failed_work");
    }
  }

  #today(): number {
    return Math.floor(this.#deps.clock.nowMs() / DAY_MS);
  }

  #overCap(cap: string, untilMs = (this.#today() + 1) * DAY_MS): OverCap {
    return { kind: "over_cap", cap, retryAfterMs: Math.max(0, untilMs - this.#deps.clock.nowMs()) };
  }

  #deleteOld(): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#store.pullBack(nowMs);
    this.#store.deleteOld(nowMs - IDEMPOTENCY_TTL_MS, this.#today() - USAGE_DAYS);
    this.#open.forget(nowMs);
  }

  /** Sets the alarm to the end of the oldest row, so that no data of an absent user is kept. */
  #arm(after: "work" | "failed_work" = "work"): void {
    const { oldestAtMs, oldestDay } = this.#store.kept();
    const heldUntilMs = this.#open.soonestMs();
    const dueAtMs = [
      ...(oldestAtMs === null ? [] : [oldestAtMs + IDEMPOTENCY_TTL_MS]),
      ...(oldestDay === null ? [] : [(oldestDay + USAGE_DAYS) * DAY_MS]),
      ...(heldUntilMs === null ? [] : [heldUntilMs]),
    ];
    this.#alarm.arm(dueAtMs.length === 0 ? null : Math.min(...dueAtMs), after);
  }
}
