import * as z from "zod";
import type { AccessKeyObject, CreatedAccessKey, NewAccessKey } from "../bindings/access-key.ts";
import { createDeps, type Deps } from "../bindings/deps.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import { equalBytes } from "../bytes.ts";
import { DueTable } from "../durable/due-table.ts";
import { migrate } from "../durable/migrations.ts";
import { OUTBOX_INTERVALS, Outbox } from "../durable/outbox.ts";
import { MovingDurableObject, type TransferHooks } from "../durable/transfer/moving-object.ts";
import { Transfer } from "../durable/transfer/state.ts";
import { done, type Outcome } from "../errors.ts";
import { networkSchema } from "../networks.ts";
import { decodePolicy, encodePolicy } from "../policy/policy-schema.ts";
import {
  type AccessKeyPatch,
  type AccessKeyRecord,
  type AccessKeyView,
  type AdmissionRequest,
  type Admitted,
  badKey,
  decideAdmission,
  FULL_BUCKETS,
  keyStatuses,
  patchKey,
  type RateBuckets,
  rightsSchema,
  SESSIONS_PER_SECOND,
} from "./record.ts";
import { migrations } from "./schema.ts";

const rowSchema = z.object({
  key_id: z.string(),
  project_id: z.string(),
  name: z.string(),
  network: networkSchema,
  rights: z.string().transform((text) => rightsSchema.parse(text.split(","))),
  fund_id: z.string().nullable(),
  qps: z.number(),
  cups: z.number(),
  status: z.enum(keyStatuses),
  secret_hash: z.instanceof(ArrayBuffer),
  created_at_ms: z.number(),
  policy: z.string().transform(decodePolicy),
  session_epoch: z.number(),
  sessions_per_second: z.number().nullable(),
});

/**
 * The Durable Object of one access key. It has the record, which only this object changes, and the rate bucket. The
 * record is held in memory beside storage. So admission reads no storage, and a change holds from the next call.
 */
export class AccessKey extends MovingDurableObject implements ObjectMethods<AccessKeyObject> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #outbox: Outbox;
  readonly #transfer: Transfer;
  #record: AccessKeyRecord | null;
  /** False until the key's sessions per second have been decided. */
  #isSettled = true;
  #buckets: RateBuckets = FULL_BUCKETS;
  #isTold = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), OUTBOX_INTERVALS);
    this.#outbox = new Outbox(ctx.storage.sql, this.#due, this.#deps);
    this.#transfer = new Transfer(ctx.storage);
    if (this.#transfer.isOpen) this.#due.rearm();
    this.#record = this.#load();
  }

  async create(key: NewAccessKey): Promise<CreatedAccessKey> {
    const existing = this.#record;
    if (existing === null) {
      const view = this.#save({ ...key, status: "active", sessionEpoch: 0, createdAtMs: this.#deps.clock.nowMs() });
      return { view, secretIsRecorded: true };
    }
    if (!isSameKey(existing, key)) throw new Error(`${existing.keyId} exists with other content`);
    return { view: viewOf(existing), secretIsRecorded: equalBytes(existing.secretHash, key.secretHash) };
  }

  async admit(request: AdmissionRequest): Promise<Outcome<Admitted>> {
    const open = this.#transfer.refusal();
    if (!open.ok) return this.#isSecretOf(request) ? open : badKey();
    if (!this.#isSettled && request.derivations?.some((cost) => cost > 0)) await this.#settle();
    const nowMs = this.#deps.clock.nowMs();
    this.#due.rearmIfOverdue(nowMs);
    if (this.#record === null) this.#tellMissing();
    const decision = decideAdmission(this.#record, this.#buckets, request, nowMs, () => this.#random());
    this.#buckets = decision.buckets;
    return decision.outcome;
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
    if (this.#record !== null && this.#record.sessionEpoch < sessionEpoch)
      this.#save({ ...this.#record, sessionEpoch });
  }

  async view(): Promise<AccessKeyView | null> {
    await this.#settle();
    return this.#record && viewOf(this.#record);
  }

  async update(patch: AccessKeyPatch): Promise<Outcome<AccessKeyView> | null> {
    await this.#settle();
    const before = this.#record;
    if (before === null) return null;
    const open = this.#transfer.refusal();
    if (!open.ok) return open;
    const patched = patchKey(before, patch);
    if (!patched.ok) return patched;
    const view = this.ctx.storage.transactionSync(() => {
      const { keyId, name, network, status } = patched.value;
      if (status === "disabled" && before.status !== "disabled")
        this.#outbox.raise({ type: "key.disabled", data: { keyId, name, network } });
      return this.#save(patched.value);
    });
    return done(view);
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
      },
      isMigrated: () => true,
    };
  }

  override async alarm(): Promise<void> {
    if (!this.#transfer.isOpen) return;
    this.#due.beginAlarm();
    try {
      if (this.#record === null) return;
      const { keyId, projectId } = this.#record;
      await this.#outbox.runDue(keyId, this.env.PROJECT.getByName(projectId));
    } finally {
      this.#due.endAlarm(this.#deps.clock.nowMs());
    }
  }

  /** Returns whether a request proves the key. Without the proof, nobody learns where a project went. */
  #isSecretOf({ secretHash }: AdmissionRequest): boolean {
    return this.#record !== null && equalBytes(this.#record.secretHash, secretHash);
  }

  /** Returns 0 up to 1. */
  #random(): number {
    return (this.#deps.randomBytes(1)[0] ?? 0) / 256;
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
    const [row] = this.ctx.storage.sql.exec("SELECT * FROM access_key").toArray();
    if (row === undefined) return null;
    const { key_id, project_id, fund_id, qps, cups, sessions_per_second, ...parsed } = rowSchema.parse(row);
    const { secret_hash, created_at_ms, session_epoch, ...rest } = parsed;
    this.#isSettled = sessions_per_second !== null;
    return {
      ...rest,
      keyId: key_id,
      projectId: project_id,
      fundId: fund_id,
      limits: { qps, cups, sessionsPerSecond: sessions_per_second ?? SESSIONS_PER_SECOND.scrypt },
      secretHash: new Uint8Array(secret_hash),
      createdAtMs: created_at_ms,
      sessionEpoch: session_epoch,
    };
  }

  #save(record: AccessKeyRecord): AccessKeyView {
    this.ctx.storage.sql.exec(
      `INSERT INTO access_key
         (key_id, project_id, name, network, rights, fund_id, qps, cups, status, secret_hash, created_at_ms, policy,
          session_epoch, sessions_per_second)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key_id) DO UPDATE SET
         name = excluded.name, rights = excluded.rights, qps = excluded.qps, cups = excluded.cups,
         status = excluded.status, policy = excluded.policy, session_epoch = excluded.session_epoch,
         sessions_per_second = excluded.sessions_per_second`,
      record.keyId,
      record.projectId,
      record.name,
      record.network,
      record.rights.join(","),
      record.fundId,
      record.limits.qps,
      record.limits.cups,
      record.status,
      new Uint8Array(record.secretHash).buffer,
      record.createdAtMs,
      encodePolicy(record.policy),
      record.sessionEpoch,
      this.#isSettled ? record.limits.sessionsPerSecond : null,
    );
    this.#record = record;
    return viewOf(record);
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

function viewOf({ secretHash: _, sessionEpoch: __, ...view }: AccessKeyRecord): AccessKeyView {
  return view;
}
