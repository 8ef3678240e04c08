import { AUDIT_CHAIN_MIGRATION } from "../audit/log.ts";
import { DUE_TABLE_MIGRATION } from "../durable/due-table.ts";
import { TRANSFER_MIGRATION } from "../durable/transfer/state.ts";
import { REFUSED_CALLS_MIGRATION_9 } from "../fund/explain/sqlite-refused-calls.ts";
import { STORAGE_HIGH_MIGRATION } from "./storage.ts";

const WALLETS = `
  CREATE TABLE wallet (
    seq INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    chain TEXT NOT NULL,
    wallet_id TEXT NOT NULL,
    month INTEGER NOT NULL,
    admitted_at_ms INTEGER NOT NULL,
    address TEXT
  ) STRICT;
  CREATE INDEX wallet_by_month ON wallet (month);
`;

/** Stores the wallet that each Idempotency-Key was used for. The wallet itself stores the result. */
const WALLET_CLAIMS = `
  CREATE TABLE wallet_claim (
    scope TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX wallet_claim_by_time ON wallet_claim (at_ms);
`;

/** Stores the month and the limit of the last `quota.reached` event. */
const QUOTA_TOLD = `
  CREATE TABLE quota_told (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    month INTEGER NOT NULL,
    wallets_per_month INTEGER NOT NULL
  ) STRICT;
`;

/** Stores the time of the last event about a wallet whose record differs from the address handed out. */
const MISSING_TOLD = "ALTER TABLE wallet ADD COLUMN missing_told_at_ms INTEGER NOT NULL DEFAULT 0";

const DELIVERIES = `
  CREATE TABLE delivery (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL,
    next_at_ms INTEGER,
    last_at_ms INTEGER,
    last_status INTEGER,
    last_error TEXT
  ) STRICT;
  CREATE UNIQUE INDEX delivery_by_event ON delivery (webhook_id, event_id);
  CREATE INDEX delivery_in_order ON delivery (webhook_id, seq);
  CREATE INDEX delivery_pending ON delivery (webhook_id, next_at_ms) WHERE state = 'pending';
  CREATE TABLE event_source (
    source TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    dropped INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Stores the number of deliveries that wait for an endpoint. The database keeps it, because counting 100,000 takes too
 * long.
 */
const DELIVERIES_WAITING = `
  ALTER TABLE webhook ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
  UPDATE webhook SET waiting =
    (SELECT COUNT(*) FROM delivery WHERE delivery.webhook_id = webhook.id AND delivery.state = 'pending');
  CREATE TRIGGER delivery_begins AFTER INSERT ON delivery WHEN NEW.state = 'pending'
    BEGIN UPDATE webhook SET waiting = waiting + 1 WHERE id = NEW.webhook_id; END;
  CREATE TRIGGER delivery_goes_on AFTER UPDATE OF state ON delivery WHEN NEW.state <> OLD.state
    BEGIN UPDATE webhook SET waiting = waiting + (NEW.state = 'pending') - (OLD.state = 'pending')
      WHERE id = NEW.webhook_id; END;
  CREATE TRIGGER delivery_is_forgotten AFTER DELETE ON delivery WHEN OLD.state = 'pending'
    BEGIN UPDATE webhook SET waiting = waiting - 1 WHERE id = OLD.webhook_id; END;
`;

const WEBHOOKS = `
  CREATE TABLE webhook (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    disabled_cause TEXT,
    sealed_secret BLOB NOT NULL,
    previous_secret BLOB,
    previous_until_ms INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE listeners_version (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version INTEGER NOT NULL
  ) STRICT;
`;

/** Funds from before this table have a row of version 0. The project reads their version from them. */
const SEALED = `
  CREATE TABLE sealed (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    master_key_version INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sealed_by_version ON sealed (master_key_version, retry_at_ms);
  INSERT INTO sealed (name, kind, master_key_version) SELECT id, 'fund', 0 FROM member WHERE kind = 'fund';
`;

/** A webhook without a format is `standard`. */
const WEBHOOK_FORMAT = "ALTER TABLE webhook ADD COLUMN format TEXT";

/** Migrations of a project's storage, in order. A landed one never changes. */
export const migrations = [
  `CREATE TABLE project (
    project_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    wallets_per_month INTEGER,
    secret_derivation TEXT NOT NULL,
    export_enabled INTEGER NOT NULL DEFAULT 0,
    salt BLOB NOT NULL,
    session_epoch INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE member (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    network TEXT NOT NULL,
    listed_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX member_by_kind ON member (kind, seq);
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END`,
  `CREATE TABLE creation (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL
  ) STRICT`,
  WALLETS + SEALED + DUE_TABLE_MIGRATION,
  WALLET_CLAIMS,
  WEBHOOKS + DELIVERIES + QUOTA_TOLD,
  `${MISSING_TOLD};${DELIVERIES_WAITING}`,
  STORAGE_HIGH_MIGRATION + TRANSFER_MIGRATION,
  AUDIT_CHAIN_MIGRATION,
  `${WEBHOOK_FORMAT};${REFUSED_CALLS_MIGRATION_9}`,
] as const;
