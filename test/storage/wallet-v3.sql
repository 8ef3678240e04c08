CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE wallet (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    project_id TEXT NOT NULL,
    chain TEXT NOT NULL,
    wallet_id TEXT NOT NULL,
    public_key BLOB NOT NULL,
    record BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    idempotency_scope TEXT,
    idempotency_fingerprint TEXT
  , is_listed INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE due (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, reference)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
CREATE TABLE outbox_dropped (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    total INTEGER NOT NULL
  ) STRICT;
CREATE TABLE awaited_account (
    network TEXT PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    found INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
CREATE TABLE wrong_secret (
    key_id TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (3);
INSERT INTO wallet (only_row, project_id, chain, wallet_id, public_key, record, created_at_ms, idempotency_scope, idempotency_fingerprint, is_listed) VALUES (1, 'prj_43b940ee542a9e070753', 'sui', 'the fixture''s wallet', X'251d3c8ca573d3eb2d57263fc40f064acde49501a167eb93a8a3dacb8afcc1fc', X'49565731010001eec11a7f9e5ba7c757fa3a26b192295113539a29ba90a002c23f9bf3de52a43b7f237eda428c09dc5baebc2a0642f1015b5058b94ab3eb89d9c5229089d46c16a29b3e2d51f8d02ad56789d0cbf2456c32d64aa785339ac8c64d81f61c67391e872e1e762457523a3110125c4e86e0792e59fb9dc2ab8df99f3100157684da504785a30728b770203648755508b8bad5d92a919f8f73a5d4668b50aef2e759cc5657f1df642a03d71d', 4102452103983, 'key_55bdf81c5a7e44096a0a/svc_wal_createWallet/the fixture''s attempt', 'BoQxjkmjKGNEAJgdQOsWhUyVyooikoqgktcujz6KmJ4', 1);
CREATE INDEX due_by_time ON due (at_ms);
CREATE TRIGGER wallet_is_for_ever BEFORE DELETE ON wallet BEGIN SELECT RAISE(ABORT, 'wallets are never deleted'); END;
