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
INSERT INTO schema_version (version) VALUES (3);
INSERT INTO access_key (key_id, project_id, name, network, rights, fund_id, qps, cups, status, secret_hash, created_at_ms, policy, session_epoch) VALUES ('key_d8552cdc3e1b398ab06f', 'prj_8cca46613165acbfbf30', 'app', 'SUI_LOCALNET', 'wallet,gas', 'fund_dc0c6d68ae199faf4d25', 50, 1000, 'active', X'49d55e815b9b0532000f7afffe3b8c70f795923acaa4dda722d31a00d993ee78', 4102444828722, '{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"],"deny":null},"senders":{"allow":null,"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null,"maxStorageCost":"1000000000","maxInFlightCount":1000,"maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}', 0);
