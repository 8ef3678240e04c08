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
  , policy TEXT NOT NULL DEFAULT '{
    "moveTargets": {"allow": null, "deny": null},
    "senders": {"allow": null, "deny": null},
    "maxGasBudget": null,
    "maxStorageCost": null,
    "maxInFlightCount": 1000,
    "maxInFlightAmount": "50000000000",
    "maxSpendPerDay": null,
    "maxSpendPerSenderPerDay": null,
    "maxAbandonCostPerDay": "500000000"
  }', session_epoch INTEGER NOT NULL DEFAULT 0, sessions_per_second INTEGER) STRICT;
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
CREATE TABLE due (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, reference)
  ) STRICT, WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (5);
INSERT INTO access_key (key_id, project_id, name, network, rights, fund_id, qps, cups, status, secret_hash, created_at_ms, policy, session_epoch, sessions_per_second) VALUES ('key_3211c67fedf5cd133197', 'prj_2c3177c3dd0b82e78e31', 'app', 'SUI_LOCALNET', 'wallet,gas', 'fund_d2dae694f1e6c62e352d', 50, 1000, 'active', X'820e9538ab5cd121663ed65ec7387e0dec3d55fa9ac6ee94acfa66ed480c5603', 4102444807415, '{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"],"deny":null},"senders":{"allow":null,"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null,"maxStorageCost":"1000000000","maxInFlightCount":1000,"maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}', 0, 1);
CREATE INDEX due_by_time ON due (at_ms);
