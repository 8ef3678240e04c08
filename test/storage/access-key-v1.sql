CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE access_key (
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
  ) STRICT;
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO access_key (key_id, project_id, name, network, rights, fund_id, qps, cups, status, secret_hash, created_at_ms) VALUES ('key_76053aa4bd760231e262', 'prj_ae881c674dbf68a68b9c', 'app', 'SUI_LOCALNET', 'wallet,gas', 'fund_366043d4f998b62e66ef', 50, 1000, 'active', X'989884f92ed95390e7fe3907a013de184d9e2e33bf9097699543a1abd2b70f21', 4102444800367);
