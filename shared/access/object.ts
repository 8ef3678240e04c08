import type { AccessKeyObject, CreatedAccessKey, NewAccessKey, ShownAccessKey } from "../bindings/access-key.ts";
import { createDeps, type Deps } from "../bindings/deps.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type { TransferTerms } from "../bindings/transfer.ts";
import { equalBytes, toHex } from "../bytes.ts";
import { answerAlarm } from "../durable/alarm.ts";
import { DueTable } from "../durable/due-table.ts";
import { migrate } from "../durable/migrations.ts";
import { OUTBOX_INTERVALS, Outbox } from "../durable/outbox.ts";
import { MovingDurableObject, type TransferHooks } from "../durable/transfer/moving-object.ts";
import { Transfer } from "../durable/transfer/state.ts";
import { done, type Outcome } from "../errors.ts";
import { fractionsOf } from "../jitter.ts";
import { CONSOLIDATED } from "./consolidated.ts";
import { FundLease, SqlLeaseStore } from "./fund-lease.ts";
import { readKeyRow, writeKeyRow } from "./key-row.ts";
import { type LeaseAnswer, type LeaseRequest, NO_LEASE } from "./lease.ts";
import {
  type AccessKeyPatch,
  type AccessKeyRecord,
  type AdmissionRequest,
  type Admitted,
  badKey,
  callerOf,
  decideAdmission,
  FULL_BUCKETS,
  patchKey,
  type RateBuckets,
  SESSIONS_PER_SECOND,
} from "./record.ts";
import { type KeyRefusalQuery, RefusalCounts } from "./refusal-counts.ts";
import { migrations } from "./schema.ts";

/**
 * The Durable Object of one access key. It has the record, which only this object changes, and the rate bucket. The
 * record is held in memory beside storage. So admission reads no storage, and a change holds from the next call. The
 * key's fund may hold a lease: it then admits calls, and this object does not. A change ends the lease.
 */
export class AccessKey extends MovingDurableObject implements ObjectMethods<AccessKeyObject> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #outbox: Outbox;
  readonly #transfer: Transfer;
  #record: AccessKeyRecord | null;
  /** False until the key's sessions per second have been decided. */
  #isSettled = true;
  readonly #lease: FundLease;
  readonly #refusals: RefusalCounts;
  /** The rates of this object alone. The lease has the rate of the calls. */
  #buckets: RateBuckets = FULL_BUCKETS;
  #isTold = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations, { consolidated: CONSOLIDATED });
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), OUTBOX_INTERVALS);
    this.#outbox = new Outbox(ctx.storage.sql, this.#due, this.#deps);
    this.#transfer = new Transfer(ctx.storage);
    if (this.#transfer.isOpen) this.#due.rearm();
    this.#record = this.#load();
    this.#refusals = new RefusalCounts(ctx.storage.sql, {
      nowMs: () => this.#deps.clock.nowMs(),
      commit: (transition) => this.#transfer.isOpen && ctx.storage.transactionSync(transition),
      logFailure: (error) => this.#deps.log("access_key.refusals_failed", { error: String(error) }),
    });
    this.#lease = new FundLease(new SqlLeaseStore(ctx.storage.sql), {
      nowMs: () => this.#deps.clock.nowMs(),
      newLeaseId: () => toHex(this.#deps.randomBytes(8)),
      recall: ({ keyId, fundId }) =>
        fundId === null ? Promise.resolve({ returned: null }) : env.FUND.getByName(fundId).recallLease(keyId),
    });
  }

  async create(key: NewAccessKey): Promise<CreatedAccessKey> {
    const existing = this.#record;
    if (existing === null) {
      const made = this.#save({ ...key, status: "active", sessionEpoch: 0, createdAtMs: this.#deps.clock.nowMs() });
      return { view: this.#viewOf(made), secretIsRecorded: true };
    }
    if (!isSameKey(existing, key)) throw new Error(`${existing.keyId} exists with other content`);
    return { view: this.#viewOf(existing), secretIsRecorded: equalBytes(existing.secretHash, key.secretHash) };
  }

  async admit(request: AdmissionRequest): Promise<Outcome<Admitted>> {
    const leased = this.#transfer.isOpen ? await this.#prepareToCount(request) : null;
    if (leased !== null) return done(leased);
    const open = this.#transfer.refusal();
    if (!open.ok) return this.#isSecretOf(request) ? open : badKey();
    const nowMs = this.#deps.clock.nowMs();
    this.#due.rearmIfOverdue(nowMs);
    if (this.#record === null) this.#tellMissing();
    const buckets = { ...this.#buckets, calls: this.#record && this.#lease.bucketFor(this.#record) };
    const decision = decideAdmission(this.#record, buckets, request, nowMs, fractionsOf(this.#deps.randomBytes));
    this.#buckets = decision.buckets;
    this.#lease.setBucket(decision.buckets.calls);
    // A stranger who guesses the id of a key must not write into its storage.
    if (this.#isSecretOf(request)) this.#refusals.note(decision.outcome, request.calls.length);
    return decision.outcome;
  }

  async lease(request: LeaseRequest): Promise<LeaseAnswer> {
    const record = this.#record;
    const isOfFund = record !== null && record.fundId === request.fundId && record.rights.includes("gas");
    if (!this.#transfer.isOpen || !isOfFund || record.status !== "active") return NO_LEASE;
    this.#due.rearmIfOverdue(this.#deps.clock.nowMs());
    return this.#lease.grant(request, record);
  }

  /** Takes a lease back that counts this request's calls. Returns the admission instead if the fund may decide it. */
  async #prepareToCount(request: AdmissionRequest): Promise<Admitted | null> {
    if (!this.#isSettled && request.derivations?.some((cost) => cost > 0)) await this.#settle();
    const record = this.#record;
    const isCounted = record?.status === "active" && request.computeUnits === undefined;
    if (!this.#lease.isOut || !isCounted || !this.#isSecretOf(request)) return null;
    if (request.fundMayAdmit) return { caller: callerOf(record), calls: [], isLeased: true };
    await this.#lease.takeBack(record);
    return null;
  }

  /**
   * Logs a missing record once an instance. Only keys that this service issued get here, so the object's file is lost.
   */
  #tellMissing(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#deps.log("access_key.missing_record", { keyId: this.ctx.id.name ?? null });
  }

  async acknowledgeSessionEpoch(sessionEpoch: number): Promise<void> {
    if (this.#record === null || this.#record.sessionEpoch >= sessionEpoch) return;
    // A lease stays: its fund uses the id and the policy of the key, and no session.
    this.#save({ ...this.#record, sessionEpoch });
  }

  async view(): Promise<ShownAccessKey | null> {
    await this.#settle();
    return this.#record && this.#viewOf(this.#record);
  }

  async refusalCounts(query: KeyRefusalQuery) {
    return this.#record && this.#refusals.list(query);
  }

  async metrics() {
    return this.#record && { refusals: this.#refusals.totals() };
  }

  async update(patch: AccessKeyPatch): Promise<Outcome<ShownAccessKey> | null> {
    await this.#settle();
    const before = this.#record;
    if (before === null) return null;
    const open = this.#transfer.refusal();
    if (!open.ok) return open;
    const patched = patchKey(before, patch);
    if (!patched.ok) return patched;
    const changed = this.ctx.storage.transactionSync(() => {
      const { keyId, name, network, status } = patched.value;
      if (status === "disabled" && before.status !== "disabled")
        this.#outbox.raise({ type: "key.disabled", data: { keyId, name, network } });
      return this.#save(patched.value);
    });
    await this.#lease.endForChange(patched.value);
    return done(this.#viewOf(changed));
  }

  override async closeForTransfer(terms: TransferTerms): Promise<void> {
    this.#refusals.write();
    await super.closeForTransfer(terms);
    if (this.#record !== null) await this.#lease.endForChange(this.#record);
  }

  transferHooks(): TransferHooks {
    return {
      transfer: this.#transfer,
      due: this.#due,
      nowMs: () => this.#deps.clock.nowMs(),
      isUsed: () => this.#record !== null,
      reload: () => {
        this.#record = this.#load();
        this.#buckets = FULL_BUCKETS;
        this.#lease.reload();
      },
      isMigrated: () => true,
    };
  }

  override async alarm(): Promise<void> {
    if (!this.#transfer.isOpen) return;
    const { clock, log } = this.#deps;
    const keyId = this.ctx.id.name ?? null;
    const logFailure = (error: unknown) => log("access_key.alarm_failed", { keyId, error: String(error) });
    await answerAlarm({ due: this.#due, clock, logFailure }, async () => {
      if (this.#record === null) return;
      await this.#outbox.runDue(this.#record.keyId, this.env.PROJECT.getByName(this.#record.projectId));
    });
  }

  /** Returns whether a request proves the key. Without the proof, a caller must not learn where a project went. */
  #isSecretOf({ secretHash }: AdmissionRequest): boolean {
    return this.#record !== null && equalBytes(this.#record.secretHash, secretHash);
  }

  /** Gives a key from before this limit the value of a new key of its project. */
  async #settle(): Promise<void> {
    if (this.#isSettled || this.#record === null) return;
    const terms = await this.env.PROJECT.getByName(this.#record.projectId).derivationTerms();
    if (terms === null || this.#record === null) return;
    this.#isSettled = true;
    const { limits } = this.#record;
    this.#save({ ...this.#record, limits: { ...limits, sessionsPerSecond: SESSIONS_PER_SECOND[terms.derivation] } });
  }

  #load(): AccessKeyRecord | null {
    const stored = readKeyRow(this.ctx.storage.sql);
    if (stored === null) return null;
    this.#isSettled = stored.isSettled;
    return stored.record;
  }

  #save(record: AccessKeyRecord): AccessKeyRecord {
    writeKeyRow(this.ctx.storage.sql, record, this.#isSettled);
    this.#record = record;
    return record;
  }

  #viewOf({ secretHash: _, sessionEpoch: __, ...view }: AccessKeyRecord): ShownAccessKey {
    return { ...view, refusals: this.#refusals.summary() };
  }
}

/**
 * Compares the fields that an operator chose and that never change. The key may be renamed or disabled before a
 * repeat.
 */
function isSameKey(record: AccessKeyRecord, key: NewAccessKey): boolean {
  return (
    record.keyId === key.keyId &&
    record.projectId === key.projectId &&
    record.network === key.network &&
    record.fundId === key.fundId
  );
}
