import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import {
  type AccessKeyPatch,
  type AccessKeyRecord,
  type AccessKeyView,
  type AdmissionRequest,
  type Admitted,
  decideAdmission,
  keyStatuses,
  patchKey,
  rightsSchema,
} from "../access/access-key.ts";
import type { TokenBucket } from "../access/rate-limit.ts";
import { equalBytes } from "../bytes.ts";
import { createDeps, type Deps } from "../deps.ts";
import type { Env } from "../env.ts";
import { done, type Outcome } from "../errors.ts";
import { networkSchema } from "../networks.ts";
import { migrate } from "./migrations.ts";

export const migrations = [
  `CREATE TABLE access_key (
    key_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    network TEXT NOT NULL,
    rights TEXT NOT NULL,
    fund_id TEXT,
    qps INTEGER NOT NULL,
    cups INTEGER NOT NULL,
    status TEXT NOT NULL,
    secret_hash BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT`,
];

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
});

export type NewAccessKey = Omit<AccessKeyRecord, "status" | "createdAtMs">;

/**
 * One access key: its record, which only this object changes, and its rate bucket. The record is held in memory beside
 * storage, so that admission reads no storage and a change holds from the next call.
 */
export class AccessKey extends DurableObject<Env> {
  readonly #deps: Deps;
  #record: AccessKeyRecord | null;
  #bucket: TokenBucket | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#record = this.#load();
  }

  /** Creating the same key again answers the record as it is now. */
  async create(key: NewAccessKey): Promise<AccessKeyView> {
    if (this.#record !== null) {
      if (!isSameKey(this.#record, key)) throw new Error(`${this.#record.keyId} exists with other content`);
      return viewOf(this.#record);
    }
    return this.#save({ ...key, status: "active", createdAtMs: this.#deps.clock.nowMs() });
  }

  async admit(request: AdmissionRequest): Promise<Outcome<Admitted>> {
    const decision = decideAdmission(this.#record, this.#bucket, request, this.#deps.clock.nowMs());
    this.#bucket = decision.bucket;
    return decision.outcome;
  }

  /** Null: never created. */
  async view(): Promise<AccessKeyView | null> {
    return this.#record && viewOf(this.#record);
  }

  /** Null: never created. */
  async update(patch: AccessKeyPatch): Promise<Outcome<AccessKeyView> | null> {
    if (this.#record === null) return null;
    const patched = patchKey(this.#record, patch);
    return patched.ok ? done(this.#save(patched.value)) : patched;
  }

  #load(): AccessKeyRecord | null {
    const [row] = this.ctx.storage.sql.exec("SELECT * FROM access_key").toArray();
    if (row === undefined) return null;
    const { key_id, project_id, fund_id, qps, cups, secret_hash, created_at_ms, ...rest } = rowSchema.parse(row);
    return {
      ...rest,
      keyId: key_id,
      projectId: project_id,
      fundId: fund_id,
      limits: { qps, cups },
      secretHash: new Uint8Array(secret_hash),
      createdAtMs: created_at_ms,
    };
  }

  #save(record: AccessKeyRecord): AccessKeyView {
    this.ctx.storage.sql.exec(
      `INSERT INTO access_key
         (key_id, project_id, name, network, rights, fund_id, qps, cups, status, secret_hash, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key_id) DO UPDATE SET
         name = excluded.name, rights = excluded.rights, qps = excluded.qps, cups = excluded.cups,
         status = excluded.status`,
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
    );
    this.#record = record;
    return viewOf(record);
  }
}

/** By what never changes after creation: a repeat may come after the operator has renamed or disabled the key. */
function isSameKey(record: AccessKeyRecord, key: NewAccessKey): boolean {
  const same =
    record.keyId === key.keyId &&
    record.projectId === key.projectId &&
    record.network === key.network &&
    record.fundId === key.fundId;
  return same && equalBytes(record.secretHash, key.secretHash);
}

function viewOf({ secretHash: _, ...view }: AccessKeyRecord): AccessKeyView {
  return view;
}
