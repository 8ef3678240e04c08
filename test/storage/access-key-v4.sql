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
  }', session_epoch INTEGER NOT NULL DEFAULT 0) STRICT;
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
INSERT INTO schema_version (version) VALUES (4);
INSERT INTO access_key (key_id, project_id, name, network, rights, fund_id, qps, cups, status, secret_hash, created_at_ms, policy, session_epoch) VALUES ('key_71ba2937a56c3fcb4d09', 'prj_8238bcccefb208b50ac1', 'app', 'SUI_LOCALNET', 'wallet,gas', 'fund_59d2e59163bffe676774', 50, 1000, 'active', X'a1ea097fe47007bca20857e934797cb87b0c31cac776749bf16bf1b252d3ddf8', 4102444808538, '{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"],"deny":null},"senders":{"allow":null,"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null,"maxStorageCost":"1000000000","maxInFlightCount":1000,"maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}', 0);
CREATE INDEX due_by_time ON due (at_ms);
