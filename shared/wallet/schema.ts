import { DUE_TABLE_MIGRATION } from "../durable/due-table.ts";
import { OUTBOX_MIGRATION } from "../durable/outbox.ts";

/** Migrations of a wallet's storage, in order. A landed one never changes. */
export const migrations = [
  `CREATE TABLE wallet (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    project_id TEXT NOT NULL,
    chain TEXT NOT NULL,
    wallet_id TEXT NOT NULL,
    public_key BLOB NOT NULL,
    record BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    idempotency_scope TEXT,
    idempotency_fingerprint TEXT
  ) STRICT;
  CREATE TRIGGER wallet_is_for_ever BEFORE DELETE ON wallet BEGIN SELECT RAISE(ABORT, 'wallets are never deleted'); END;
  CREATE TABLE wrong_secrets (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT;
  ${DUE_TABLE_MIGRATION}`,
  `${OUTBOX_MIGRATION}
  CREATE TABLE awaited_account (
    network TEXT PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    found INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`,
  `ALTER TABLE wallet ADD COLUMN is_listed INTEGER NOT NULL DEFAULT 0;
  DROP TABLE wrong_secrets;
  CREATE TABLE wrong_secret (
    key_id TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
];
