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
  , missing_told_at_ms INTEGER NOT NULL DEFAULT 0) STRICT;
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
  , waiting INTEGER NOT NULL DEFAULT 0) STRICT;
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
INSERT INTO schema_version (version) VALUES (6);
INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, export_enabled, salt, session_epoch, created_at_ms) VALUES ('prj_3ae7e655d45ca1c69799', 'the fixture''s project', 7, 'scrypt', 0, X'3f8ed8559c979be0e98de7cd723f10336839b79163468ff697e4a7510ba0f1db', 0, 4102444816178);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (1, 'fund', 'fund_9045c4e49aa82d9d5fcc', 'SUI_LOCALNET', 4102444816341);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (2, 'key', 'key_872d859d2960ca3033ad', 'SUI_LOCALNET', 4102444817256);
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (1, 4102444816178, 'project.create', 'prj_3ae7e655d45ca1c69799', '{"name":"fixture''s fund","secretDerivation":"scrypt","walletsPerMonth":null}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (2, 4102444816341, 'fund.create', 'fund_9045c4e49aa82d9d5fcc', '{"name":"fixture''s fund","network":"SUI_LOCALNET","createDepositAddress":true,"sponsorshipFee":"0","lowBalance":null,"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":"500000000","maxStorageCost":null,"maxInFlightCount":null,"maxInFlightAmount":null,"maxSpendPerDay":"100000000000","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":null},"mode":"coin"}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (3, 4102444817141, 'webhook.create', 'whk_71910da90998c397b0ee', '{"url":"https://hooks.example.com/fixture","events":["wallet.created","fund.deposit","sponsorship.completed","sponsorship.expired"]}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (4, 4102444817207, 'webhook.rotate_secret', 'whk_71910da90998c397b0ee', '{}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (5, 4102444817257, 'key.create', 'key_872d859d2960ca3033ad', '{"name":"app","network":"SUI_LOCALNET","rights":["gas"],"fundId":"fund_9045c4e49aa82d9d5fcc","limits":{"sessionsPerSecond":1,"qps":100,"cups":1000},"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":null,"maxStorageCost":null,"maxInFlightCount":1000,"maxInFlightAmount":"50000000000","maxSpendPerDay":null,"maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (6, 4102444817283, 'project.update', 'prj_3ae7e655d45ca1c69799', '{"name":"the fixture''s project","walletsPerMonth":7}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (7, 4102444817304, 'fund.update', 'fund_9045c4e49aa82d9d5fcc', '{"paused":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (8, 4102444817335, 'fund.update', 'fund_9045c4e49aa82d9d5fcc', '{"paused":false}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (9, 4102444817342, 'key.update', 'key_872d859d2960ca3033ad', '{"rights":["wallet","gas"],"limits":{"qps":50,"cups":1000}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (10, 4102444817357, 'key.update', 'key_872d859d2960ca3033ad', '{"policy":{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"]},"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxStorageCost":"1000000000","maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (11, 4102444817430, 'fund.update', 'fund_9045c4e49aa82d9d5fcc', '{"lowBalance":"1000000000","sponsorshipFee":"1000"}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (12, 4102444817590, 'fund.update', 'fund_9045c4e49aa82d9d5fcc', '{"policy":{"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (13, 4102448464081, 'fund.withdraw', 'fund_9045c4e49aa82d9d5fcc', '{"to":"0x8bbcaff7493e320dd7965d37f9b0264861a7a7bb996040bfece79f4e98c3ebae","amount":"1000","from":"fees"}');
INSERT INTO creation (id, fingerprint) VALUES ('key_872d859d2960ca3033ad', 'qGLp0m7ZU2qmvK-XiE_6kYyKlmuHlcZKGBkuuwK0K3o');
INSERT INTO wallet (seq, name, chain, wallet_id, month, admitted_at_ms, address, missing_told_at_ms) VALUES (1, 'prj_3ae7e655d45ca1c69799:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'sui', 'the fixture''s wallet', 25200, 4102452105047, '0xde0f45bfd477647973951ab88be8b80c6ea2a8fc2dc23a217388a253c56766b6', 0);
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('fund_9045c4e49aa82d9d5fcc', 'fund', 1, 0, 0);
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('prj_3ae7e655d45ca1c69799:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'wallet', 1, 0, 0);
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('whk_71910da90998c397b0ee', 'webhook', 1, 0, 0);
INSERT INTO due (kind, reference, at_ms) VALUES ('deliver', '', 4102452165096);
INSERT INTO due (kind, reference, at_ms) VALUES ('prune', '', 4102452704972);
INSERT INTO wallet_claim (scope, name, at_ms) VALUES ('key_872d859d2960ca3033ad/svc_wal_createWallet/the fixture''s attempt', 'prj_3ae7e655d45ca1c69799:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 4102452105047);
INSERT INTO webhook (seq, id, url, events, disabled_cause, sealed_secret, previous_secret, previous_until_ms, failures, dropped, created_at_ms, waiting) VALUES (1, 'whk_71910da90998c397b0ee', 'https://hooks.example.com/fixture', 'wallet.created fund.deposit sponsorship.completed sponsorship.expired', NULL, X'01011a6a3820b9fcf83005d869465c861eae8b3c1af7af870283c12bfeba08cf42d6c6ddaa6d0796798ac48c9e888aa612d2583edfe8a0d1c8ccfc4d8e1b428f99937ce35e8c09bb6f2c44c243ed1c2f39efaaf9b95ad2c1e1a4077c864b', X'0101891875fdaf49fb5118c68bac2b15ceeba9f141c56a88a8b59e89aefb5c4d6be87a33423e0c7377484972f11122c22bf9def0549e7dbbb7bf29d3e518dc39bfafbb91d7c64b5b962f7315063962f5043f77a384a67b2face7e179c5e4', 4102531217207, 12, 0, 4102444817141, 9);
INSERT INTO listeners_version (only_row, version) VALUES (1, 1);
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (1, 'whk_71910da90998c397b0ee', 'evt_5a3bcbae3e1f9c7fe4a3', 'fund.deposit', '{"type":"fund.deposit","timestamp":"2100-01-01T00:00:18.063Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","amount":"1000000000","balance":"3814944480"}}', 'pending', 2, 4102444818594, 4102452165096, 4102448463277, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (2, 'whk_71910da90998c397b0ee', 'evt_14524588738b6c422262', 'fund.deposit', '{"type":"fund.deposit","timestamp":"2100-01-01T00:00:18.678Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","amount":"20000000","balance":"3832924720"}}', 'pending', 3, 4102444819181, 4102453925602, 4102452105096, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (3, 'whk_71910da90998c397b0ee', 'evt_ed8db89dc51e21fc0cc2', 'sponsorship.completed', '{"type":"sponsorship.completed","timestamp":"2100-01-01T00:00:20.850Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","keyId":"key_872d859d2960ca3033ad","digest":"3DMeLzNN3zbovYam57yZSckNqTsCacmVtLtMRgDUi51W","sender":"0x8bbcaff7493e320dd7965d37f9b0264861a7a7bb996040bfece79f4e98c3ebae","charged":"1361760","fee":"1000"}}', 'pending', 3, 4102444821372, 4102454029113, 4102452105088, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (4, 'whk_71910da90998c397b0ee', 'evt_fa92034a6636a39c8e35', 'sponsorship.completed', '{"type":"sponsorship.completed","timestamp":"2100-01-01T00:00:20.980Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","keyId":"key_872d859d2960ca3033ad","digest":"HD4Dn5FzpGYdNw6DFMcN4NswtNkKnvL1pPkKoYHESiLc","sender":"0x8bbcaff7493e320dd7965d37f9b0264861a7a7bb996040bfece79f4e98c3ebae","charged":"2370280","fee":"1000"}}', 'pending', 2, 4102444821372, 4102448793103, 4102448463438, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (5, 'whk_71910da90998c397b0ee', 'evt_32b5093c3ec7eebf2e44', 'sponsorship.expired', '{"type":"sponsorship.expired","timestamp":"2100-01-01T01:01:03.374Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","keyId":"key_872d859d2960ca3033ad","digest":"FYSpV9B72RwHrxEevDaGhw6GsTacAGhZxJ8JyWirY54A","sender":"0x8bbcaff7493e320dd7965d37f9b0264861a7a7bb996040bfece79f4e98c3ebae","expiresAt":"2100-01-01T01:00:21.000Z"}}', 'pending', 2, 4102448463994, 4102452426075, 4102452104996, NULL, 'no connection');
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (6, 'whk_71910da90998c397b0ee', 'evt_643c12687fdb831ef560', 'sponsorship.expired', '{"type":"sponsorship.expired","timestamp":"2100-01-01T02:01:44.285Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","keyId":"key_872d859d2960ca3033ad","digest":"3bU8gycNJqbdGkPEUWaW3Csm6mvWgjuP5bKh4QWKbioV","sender":"0x8bbcaff7493e320dd7965d37f9b0264861a7a7bb996040bfece79f4e98c3ebae","expiresAt":"2100-01-01T02:01:38.000Z"}}', 'pending', 0, 4102452104983, 4102452104983, NULL, NULL, NULL);
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (7, 'whk_71910da90998c397b0ee', 'evt_87898361e83bc825a2af', 'sponsorship.expired', '{"type":"sponsorship.expired","timestamp":"2100-01-01T02:01:44.286Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","keyId":"key_872d859d2960ca3033ad","digest":"4YRU4vTQsG6dPiAod2t3JA44rGdHdxeMFTGmSQoPXd3b","sender":"0x8bbcaff7493e320dd7965d37f9b0264861a7a7bb996040bfece79f4e98c3ebae","expiresAt":"2100-01-01T02:01:04.000Z"}}', 'pending', 0, 4102452104983, 4102452104983, NULL, NULL, NULL);
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (8, 'whk_71910da90998c397b0ee', 'evt_782179f01d68bc39f67b', 'fund.deposit', '{"type":"fund.deposit","timestamp":"2100-01-01T02:01:44.553Z","data":{"fundId":"fund_9045c4e49aa82d9d5fcc","network":"SUI_LOCALNET","amount":"20000000000","balance":"23826174040"}}', 'pending', 0, 4102452104983, 4102452104983, NULL, NULL, NULL);
INSERT INTO delivery (seq, webhook_id, event_id, type, body, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error) VALUES (9, 'whk_71910da90998c397b0ee', 'evt_19aca51c6f464c95ef0d', 'wallet.created', '{"type":"wallet.created","timestamp":"2100-01-01T02:01:45.083Z","data":{"chain":"sui","walletId":"the fixture''s wallet","address":"0xde0f45bfd477647973951ab88be8b80c6ea2a8fc2dc23a217388a253c56766b6"}}', 'pending', 0, 4102452105083, 4102452105083, NULL, NULL, NULL);
INSERT INTO event_source (source, seq, dropped) VALUES ('fund_9045c4e49aa82d9d5fcc', 8, 0);
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
CREATE TRIGGER delivery_begins AFTER INSERT ON delivery WHEN NEW.state = 'pending'
    BEGIN UPDATE webhook SET waiting = waiting + 1 WHERE id = NEW.webhook_id; END;
CREATE TRIGGER delivery_goes_on AFTER UPDATE OF state ON delivery WHEN NEW.state <> OLD.state
    BEGIN UPDATE webhook SET waiting = waiting + (NEW.state = 'pending') - (OLD.state = 'pending')
      WHERE id = NEW.webhook_id; END;
CREATE TRIGGER delivery_is_forgotten AFTER DELETE ON delivery WHEN OLD.state = 'pending'
    BEGIN UPDATE webhook SET waiting = waiting - 1 WHERE id = OLD.webhook_id; END;
