import { DUE_TABLE_MIGRATION } from "../../durable/due-table.ts";

/** Migrations of an inbox's storage, in order. A landed one never changes. */
export const migrations = [
  `CREATE TABLE message (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    lease_until_ms INTEGER NOT NULL,
    answer TEXT,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX message_by_time ON message (at_ms);
  ${DUE_TABLE_MIGRATION}`,
] as const;
