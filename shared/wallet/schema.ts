import { DUE_TABLE, DUE_TABLE_MIGRATION } from "../durable/due-table.ts";
import { createNewestSchema, isStored, migrate } from "../durable/migrations.ts";
import { OUTBOX_MIGRATION } from "../durable/outbox.ts";

const WALLET_COLUMNS = `
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    project_id TEXT NOT NULL,
    chain TEXT NOT NULL,
    wallet_id TEXT NOT NULL,
    public_key BLOB NOT NULL,
    record BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    idempotency_scope TEXT,
    idempotency_fingerprint TEXT
  `;
const IS_LISTED = "is_listed INTEGER NOT NULL DEFAULT 0";
const WALLET_IS_FOR_EVER =
  "CREATE TRIGGER wallet_is_for_ever BEFORE DELETE ON wallet BEGIN SELECT RAISE(ABORT, 'wallets are never deleted'); END";

const AWAITED_ACCOUNT = `
  CREATE TABLE awaited_account (
    network TEXT PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    found INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`;

const WRONG_SECRET = `
  CREATE TABLE wrong_secret (
    key_id TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`;

/** Migrations of a wallet's storage, in order. A landed one never changes. */
export const migrations = [
  `CREATE TABLE wallet (${WALLET_COLUMNS}) STRICT;
  ${WALLET_IS_FOR_EVER};
  CREATE TABLE wrong_secrets (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT;
  ${DUE_TABLE_MIGRATION}`,
  OUTBOX_MIGRATION + AWAITED_ACCOUNT,
  `ALTER TABLE wallet ADD COLUMN ${IS_LISTED};
  DROP TABLE wrong_secrets;
  ${WRONG_SECRET}`,
  // A wallet has a handful of due rows. From this version on, the rare tables may be missing.
  "DROP INDEX due_by_time",
] as const;

/** The newest schema. A table costs a page of 4 KiB in each wallet, so a new wallet begins without the rare ones. */
const NEWEST = `CREATE TABLE wallet (${WALLET_COLUMNS}, ${IS_LISTED}) STRICT;
  ${WALLET_IS_FOR_EVER};
  ${DUE_TABLE}`;

const RARE_TABLES = `${OUTBOX_MIGRATION}${AWAITED_ACCOUNT};${WRONG_SECRET}`.replaceAll(
  "CREATE TABLE",
  "CREATE TABLE IF NOT EXISTS",
);

/** Brings the storage of a wallet to the newest schema. */
export function migrateWallet(storage: DurableObjectStorage): void {
  if (isStored(storage)) migrate(storage, migrations);
  else createNewestSchema(storage, NEWEST, migrations.length);
}

/**
 * Creates the tables of events, awaited accounts and wrong secrets, unless they exist. Call it in each commit that
 * writes to one of them. The caller must not remember the call, because a failed commit rolls the tables back.
 */
export function createRareTables(sql: SqlStorage): void {
  sql.exec(RARE_TABLES);
}
