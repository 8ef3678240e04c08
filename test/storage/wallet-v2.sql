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
  ) STRICT;
CREATE TABLE wrong_secrets (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT;
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
INSERT INTO schema_version (version) VALUES (2);
INSERT INTO wallet (only_row, project_id, chain, wallet_id, public_key, record, created_at_ms, idempotency_scope, idempotency_fingerprint) VALUES (1, 'prj_8238bcccefb208b50ac1', 'sui', 'the fixture''s wallet', X'59933b31a84394f7485251cc046e63202117cd6df86ca63e441ce13fe0bf53f5', X'49565731010001a49f7817bbde44524ea19cd13150f5ac36bde88526430a06b202bb4c099d0867846294b3b91e8a8c314b2ea0d17b13a0cb1bbf1fdb1cd2065ea6dd163a63b60b05d7d7acd51a1b847ecd2411a64b58547c173bbaf6139795da86d2b99c31905510dd2133956bca17550caeddda1c0ac93a49a9ad7b31c2077e6a59da6d9a70f29d494b26df8f8e47a93a05d96e6f874a1a403bc1c7526245fcac00ca000be730bba58bb8968db01e55', 4102452105650, 'key_71ba2937a56c3fcb4d09/svc_wal_createWallet/the fixture''s attempt', 'BoQxjkmjKGNEAJgdQOsWhUyVyooikoqgktcujz6KmJ4');
CREATE INDEX due_by_time ON due (at_ms);
CREATE TRIGGER wallet_is_for_ever BEFORE DELETE ON wallet BEGIN SELECT RAISE(ABORT, 'wallets are never deleted'); END;
