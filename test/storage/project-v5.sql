CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE project (
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
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
CREATE TABLE creation (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL
  ) STRICT;
CREATE TABLE wallet (
    seq INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    chain TEXT NOT NULL,
    wallet_id TEXT NOT NULL,
    month INTEGER NOT NULL,
    admitted_at_ms INTEGER NOT NULL,
    address TEXT
  ) STRICT;
CREATE TABLE sealed (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    master_key_version INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
CREATE TABLE due (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, reference)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE wallet_claim (
    scope TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
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
CREATE TABLE event_source (
    source TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    dropped INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE quota_told (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    month INTEGER NOT NULL,
    wallets_per_month INTEGER NOT NULL
  ) STRICT;
INSERT INTO schema_version (version) VALUES (5);
INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, export_enabled, salt, session_epoch, created_at_ms) VALUES ('prj_8238bcccefb208b50ac1', 'the fixture''s project', 7, 'scrypt', 0, X'9b59d65a603c631af22b2e212aad64102dac1da59764a3fc01736a9288d448d5', 0, 4102444806968);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (1, 'fund', 'fund_59d2e59163bffe676774', 'SUI_LOCALNET', 4102444807146);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (2, 'key', 'key_71ba2937a56c3fcb4d09', 'SUI_LOCALNET', 4102444808546);
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (1, 4102444806968, 'project.create', 'prj_8238bcccefb208b50ac1', '{"name":"fixture''s fund","secretDerivation":"scrypt","walletsPerMonth":null}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (2, 4102444807146, 'fund.create', 'fund_59d2e59163bffe676774', '{"name":"fixture''s fund","network":"SUI_LOCALNET","createDepositAddress":true,"sponsorshipFee":"0","lowBalance":null,"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":"500000000","maxStorageCost":null,"maxInFlightCount":null,"maxInFlightAmount":null,"maxSpendPerDay":"100000000000","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":null},"mode":"coin"}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (3, 4102444808400, 'webhook.create', 'whk_405f6f006db94a466a20', '{"url":"https://hooks.example.com/fixture","events":["wallet.created","fund.deposit","sponsorship.completed","sponsorship.expired"]}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (4, 4102444808443, 'webhook.rotate_secret', 'whk_405f6f006db94a466a20', '{}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (5, 4102444808546, 'key.create', 'key_71ba2937a56c3fcb4d09', '{"name":"app","network":"SUI_LOCALNET","rights":["gas"],"fundId":"fund_59d2e59163bffe676774","limits":{"qps":100,"cups":1000},"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":null,"maxStorageCost":null,"maxInFlightCount":1000,"maxInFlightAmount":"50000000000","maxSpendPerDay":null,"maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (6, 4102444808563, 'project.update', 'prj_8238bcccefb208b50ac1', '{"name":"the fixture''s project","walletsPerMonth":7}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (7, 4102444808577, 'fund.update', 'fund_59d2e59163bffe676774', '{"paused":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (8, 4102444808593, 'fund.update', 'fund_59d2e59163bffe676774', '{"paused":false}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (9, 4102444808611, 'key.update', 'key_71ba2937a56c3fcb4d09', '{"rights":["wallet","gas"],"limits":{"qps":50,"cups":1000}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (10, 4102444808628, 'key.update', 'key_71ba2937a56c3fcb4d09', '{"policy":{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"]},"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxStorageCost":"1000000000","maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (11, 4102444808737, 'fund.update', 'fund_59d2e59163bffe676774', '{"lowBalance":"1000000000","sponsorshipFee":"1000"}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (12, 4102444808765, 'fund.update', 'fund_59d2e59163bffe676774', '{"policy":{"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (13, 4102448462318, 'fund.withdraw', 'fund_59d2e59163bffe676774', '{"to":"0x04dd9e81b5f13143b6938e7e02e079b14753e6cef21f20bc6c4d8c8a1771eed2","amount":"1000","from":"fees"}');
INSERT INTO creation (id, fingerprint) VALUES ('key_71ba2937a56c3fcb4d09', '28WphhXjPuIiFH2mGpk-Vkf8Hgoq3OTvjGcytWe6VEM');
INSERT INTO wallet (seq, name, chain, wallet_id, month, admitted_at_ms, address) VALUES (1, 'prj_8238bcccefb208b50ac1:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'sui', 'the fixture''s wallet', 25200, 4102452105636, '0xf92b674cec24bae5b7b576407d73600e49c12a51c86b30b4f1373bc68d38f1cc');
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('fund_59d2e59163bffe676774', 'fund', 1, 0, 0);
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('prj_8238bcccefb208b50ac1:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'wallet', 1, 0, 0);
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('whk_405f6f006db94a466a20', 'webhook', 1, 0, 0);
INSERT INTO due (kind, reference, at_ms) VALUES ('deliver', '', 4102452110931);
INSERT INTO due (kind, reference, at_ms) VALUES ('prune', '', 4102452704910);
INSERT INTO wallet_claim (scope, name, at_ms) VALUES ('key_71ba2937a56c3fcb4d09/svc_wal_createWallet/the fixture''s attempt', 'prj_8238bcccefb208b50ac1:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 4102452105636);
INSERT INTO webhook (seq, id, url, events, disabled_cause, sealed_secret, previous_secret, previous_until_ms, failures, dropped, created_at_ms) VALUES (1, 'whk_405f6f006db94a466a20', 'https://hooks.example.com/fixture', 'wallet.created fund.deposit sponsorship.completed sponsorship.expired', NULL, X'0101d636e1ec25a84af25b64a205ae9755abd3d68e055d777d3f5429d0d6b5617097061c440b85b40fec026f88880c0628fbcf689c117665e34561c44feeb70cbd0506d4b7f9d62ec02d5ec0d9724ca8e7920dc9825b4e5ef93485976143', X'01019c10ea2b58cec9b0d1358ac8b808b30caceaba7d5d54e2f2938e4f16b1788203a0c4ad0c0651a0a522f1deee2d68431db33c471f131bdbf635938477fce3afce1ef46e39908d42c5b683907d62ab20d77f05bcce55e4e672682d0d2e', 4102531208443, 15, 0, 4102444808400);
INSERT INTO listeners_version (only_row, version) VALUES (1, 1);
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (1, 'whk_405f6f006db94a466a20', 'evt_baa911158d487253baf2', 'fund.deposit', '{"type":"fund.deposit","timestamp":"2100-01-01T00:00:08.858Z","data":{"fundId":"fund_59d2e59163bffe676774","network":"SUI_LOCALNET","amount":"1000000000","balance":"3814944480"}}', 'pending', 3, 4102444809364, 4102454028824, 4102452105420, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (2, 'whk_405f6f006db94a466a20', 'evt_99c93a42fd2b82fe6ab6', 'sponsorship.completed', '{"type":"sponsorship.completed","timestamp":"2100-01-01T00:00:10.985Z","data":{"fundId":"fund_59d2e59163bffe676774","network":"SUI_LOCALNET","keyId":"key_71ba2937a56c3fcb4d09","digest":"CvMN7NsdG2YAz9HDeGo1JBXD5Z6o3Mu9qsrDWGEmbRcM","sender":"0x04dd9e81b5f13143b6938e7e02e079b14753e6cef21f20bc6c4d8c8a1771eed2","charged":"1361760","fee":"1000"}}', 'pending', 3, 4102444811492, 4102454084437, 4102452105854, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (3, 'whk_405f6f006db94a466a20', 'evt_309b12d0de90f7e0d2f6', 'sponsorship.completed', '{"type":"sponsorship.completed","timestamp":"2100-01-01T00:00:11.224Z","data":{"fundId":"fund_59d2e59163bffe676774","network":"SUI_LOCALNET","keyId":"key_71ba2937a56c3fcb4d09","digest":"98mUktENm6eXziWSQ4GDEhfvsDgFAiZ3ESErxVXv68LE","sender":"0x04dd9e81b5f13143b6938e7e02e079b14753e6cef21f20bc6c4d8c8a1771eed2","charged":"2370280","fee":"1000"}}', 'pending', 3, 4102444811492, 4102453984786, 4102452105835, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (4, 'whk_405f6f006db94a466a20', 'evt_e1d22b7588ce1ad3299e', 'sponsorship.expired', '{"type":"sponsorship.expired","timestamp":"2100-01-01T01:01:01.812Z","data":{"fundId":"fund_59d2e59163bffe676774","network":"SUI_LOCALNET","keyId":"key_71ba2937a56c3fcb4d09","digest":"7umUJQFNVDKjMyDeYG5WVLStTmzGtSDirry6wky7m4dQ","sender":"0x04dd9e81b5f13143b6938e7e02e079b14753e6cef21f20bc6c4d8c8a1771eed2","expiresAt":"2100-01-01T01:00:11.000Z"}}', 'pending', 2, 4102448462369, 4102452415423, 4102452105391, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (5, 'whk_405f6f006db94a466a20', 'evt_e6a4d045ff201ca45984', 'sponsorship.expired', '{"type":"sponsorship.expired","timestamp":"2100-01-01T02:01:44.357Z","data":{"fundId":"fund_59d2e59163bffe676774","network":"SUI_LOCALNET","keyId":"key_71ba2937a56c3fcb4d09","digest":"H6NTaZtNSg25KiFoBwNEQ5b5e4FshaEj9RF8mhr81Nbk","sender":"0x04dd9e81b5f13143b6938e7e02e079b14753e6cef21f20bc6c4d8c8a1771eed2","expiresAt":"2100-01-01T02:01:39.000Z"}}', 'pending', 1, 4102452104885, 4102452111194, 4102452105899, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (6, 'whk_405f6f006db94a466a20', 'evt_663e0454b0e50dd1cdf1', 'sponsorship.expired', '{"type":"sponsorship.expired","timestamp":"2100-01-01T02:01:44.358Z","data":{"fundId":"fund_59d2e59163bffe676774","network":"SUI_LOCALNET","keyId":"key_71ba2937a56c3fcb4d09","digest":"CwfsamY3n79s5mp5FgaUk8hGa8baRx5568bYAWUKVKuc","sender":"0x04dd9e81b5f13143b6938e7e02e079b14753e6cef21f20bc6c4d8c8a1771eed2","expiresAt":"2100-01-01T02:01:02.000Z"}}', 'pending', 1, 4102452104885, 4102452110931, 4102452105902, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (7, 'whk_405f6f006db94a466a20', 'evt_e60d158a33ab94cc1f76', 'fund.deposit', '{"type":"fund.deposit","timestamp":"2100-01-01T02:01:44.806Z","data":{"fundId":"fund_59d2e59163bffe676774","network":"SUI_LOCALNET","amount":"20000000000","balance":"23806205800"}}', 'pending', 1, 4102452104885, 4102452110985, 4102452105913, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (8, 'whk_405f6f006db94a466a20', 'evt_38ee258ea85f46ed3e22', 'wallet.created', '{"type":"wallet.created","timestamp":"2100-01-01T02:01:45.663Z","data":{"chain":"sui","walletId":"the fixture''s wallet","address":"0xf92b674cec24bae5b7b576407d73600e49c12a51c86b30b4f1373bc68d38f1cc"}}', 'pending', 1, 4102452105663, 4102452111388, 4102452105924, NULL, 'no connection');
INSERT INTO event_source (source, seq, dropped) VALUES ('fund_59d2e59163bffe676774', 7, 0);
CREATE INDEX member_by_kind ON member (kind, seq);
CREATE INDEX wallet_by_month ON wallet (month);
CREATE INDEX sealed_by_version ON sealed (master_key_version, retry_at_ms);
CREATE INDEX due_by_time ON due (at_ms);
CREATE INDEX wallet_claim_by_time ON wallet_claim (at_ms);
CREATE UNIQUE INDEX delivery_by_event ON delivery (webhook_id, event_id);
CREATE INDEX delivery_in_order ON delivery (webhook_id, seq);
CREATE INDEX delivery_pending ON delivery (webhook_id, next_at_ms) WHERE state = 'pending';
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
