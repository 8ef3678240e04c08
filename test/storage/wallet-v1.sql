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
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO wallet (only_row, project_id, chain, wallet_id, public_key, record, created_at_ms, idempotency_scope, idempotency_fingerprint) VALUES (1, 'prj_8cca46613165acbfbf30', 'sui', 'the fixture''s wallet', X'e947acc7d7305af81f81231477d8023365bb92c5af09befb1992f4073e95a259', X'495657310100019db65b50e06d3ad08b5345105c6da6efa47c996f739c911d19fd3aa7528a0eed3c48bc718a2b6555a0338ba1ca6c45a09164671c1c7052ec632c63b4ff0a0f6d553385757425970f12824e67a6f6f644ef114007e3b0a5c1dd880177f2a9bde4f78bd5675efa3dfa43063c2c0791c301a2be1e27cc14ec6f3082f0faf3af0eb1d7844cc975b49d6ceb68bb524987da27f627aa51788e0d823df849f8cd5a43a22e62cee700c08703e3', 4102452115064, NULL, NULL);
CREATE INDEX due_by_time ON due (at_ms);
CREATE TRIGGER wallet_is_for_ever BEFORE DELETE ON wallet BEGIN SELECT RAISE(ABORT, 'wallets are never deleted'); END;
