import * as z from "zod";
import { networkSchema } from "../networks.ts";
import { decodePolicy, encodePolicy } from "../policy/policy-schema.ts";
import { type AccessKeyRecord, keyStatuses, rightsSchema, SESSIONS_PER_SECOND } from "./record.ts";

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
  policy: z.string().transform((text) => decodePolicy(text, "key")),
  session_epoch: z.number(),
  sessions_per_second: z.number().nullable(),
});

/** A stored access key. */
export interface StoredKey {
  readonly record: AccessKeyRecord;
  /** False until the key's sessions per second have been decided. */
  readonly isSettled: boolean;
}

/** Reads the key's row. Null if the key was never created. */
export function readKeyRow(sql: SqlStorage): StoredKey | null {
  const [row] = sql.exec("SELECT * FROM access_key").toArray();
  if (row === undefined) return null;
  const { key_id, project_id, fund_id, qps, cups, sessions_per_second, ...parsed } = rowSchema.parse(row);
  const { secret_hash, created_at_ms, session_epoch, ...rest } = parsed;
  const record = {
    ...rest,
    keyId: key_id,
    projectId: project_id,
    fundId: fund_id,
    limits: { qps, cups, sessionsPerSecond: sessions_per_second ?? SESSIONS_PER_SECOND.scrypt },
    secretHash: new Uint8Array(secret_hash),
    createdAtMs: created_at_ms,
    sessionEpoch: session_epoch,
  };
  return { record, isSettled: sessions_per_second !== null };
}

/** Writes the key's row. Its sessions per second stay undecided unless they are settled. */
export function writeKeyRow(sql: SqlStorage, record: AccessKeyRecord, isSettled: boolean): void {
  sql.exec(
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
    encodePolicy(record.policy, "key"),
    record.sessionEpoch,
    isSettled ? record.limits.sessionsPerSecond : null,
  );
}
