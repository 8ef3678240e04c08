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
  }') STRICT;
INSERT INTO schema_version (version) VALUES (2);
INSERT INTO access_key (key_id, project_id, name, network, rights, fund_id, qps, cups, status, secret_hash, created_at_ms, policy) VALUES ('key_e3d341c69811b5e7e728', 'prj_16880e989169d1a361c0', 'app', 'SUI_LOCALNET', 'wallet,gas', 'fund_7216d7c40b4511a14b40', 50, 1000, 'active', X'ee428468092ed6742c80b8338e7a0cf6f9b0f59abf4056a39a1aa31c795643ab', 4102444805760, '{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"],"deny":null},"senders":{"allow":null,"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null,"maxStorageCost":"1000000000","maxInFlightCount":1000,"maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}');
