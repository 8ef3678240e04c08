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
INSERT INTO schema_version (version) VALUES (4);
INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, export_enabled, salt, session_epoch, created_at_ms) VALUES ('prj_87ff9d6e78e52df8006a', 'the fixture''s project', 7, 'scrypt', 0, X'a1ab4b6e731b04cdc69b02b8c56e35cd9c25f22a08edd8cde7aad7544cd7dbfc', 0, 4102444807861);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (1, 'fund', 'fund_62d063bead27c8d8f5ce', 'SUI_LOCALNET', 4102444807991);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (2, 'key', 'key_53c66724b543014d1e90', 'SUI_LOCALNET', 4102444808859);
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (1, 4102444807861, 'project.create', 'prj_87ff9d6e78e52df8006a', '{"name":"fixture''s fund","secretDerivation":"scrypt","walletsPerMonth":null}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (2, 4102444807991, 'fund.create', 'fund_62d063bead27c8d8f5ce', '{"name":"fixture''s fund","network":"SUI_LOCALNET","createDepositAddress":true,"mode":"coin","sponsorshipFee":"0","lowBalance":null,"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":"500000000","maxStorageCost":null,"maxInFlightCount":null,"maxInFlightAmount":null,"maxSpendPerDay":"100000000000","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":null}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (3, 4102444808859, 'key.create', 'key_53c66724b543014d1e90', '{"name":"app","network":"SUI_LOCALNET","rights":["gas"],"fundId":"fund_62d063bead27c8d8f5ce","limits":{"qps":100,"cups":1000},"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":null,"maxStorageCost":null,"maxInFlightCount":1000,"maxInFlightAmount":"50000000000","maxSpendPerDay":null,"maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (4, 4102444808883, 'project.update', 'prj_87ff9d6e78e52df8006a', '{"name":"the fixture''s project","walletsPerMonth":7}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (5, 4102444808903, 'fund.update', 'fund_62d063bead27c8d8f5ce', '{"paused":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (6, 4102444808936, 'fund.update', 'fund_62d063bead27c8d8f5ce', '{"paused":false}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (7, 4102444808951, 'key.update', 'key_53c66724b543014d1e90', '{"rights":["wallet","gas"],"limits":{"qps":50,"cups":1000}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (8, 4102444808973, 'key.update', 'key_53c66724b543014d1e90', '{"policy":{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"]},"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxStorageCost":"1000000000","maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (9, 4102444809112, 'fund.update', 'fund_62d063bead27c8d8f5ce', '{"lowBalance":"1000000000","sponsorshipFee":"1000"}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (10, 4102444809150, 'fund.update', 'fund_62d063bead27c8d8f5ce', '{"policy":{"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (11, 4102448462002, 'fund.withdraw', 'fund_62d063bead27c8d8f5ce', '{"to":"0xc5f58c1de28085ac4c417a669bcd95912493332566b4d8c80b4308352aa8b7b4","amount":"1000","from":"fees"}');
INSERT INTO creation (id, fingerprint) VALUES ('key_53c66724b543014d1e90', 'UHGvK9yiid-VUwBSkTTtoM2Zgk22h1F1iy-uGsq8gyg');
INSERT INTO wallet (seq, name, chain, wallet_id, month, admitted_at_ms, address) VALUES (1, 'prj_87ff9d6e78e52df8006a:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'sui', 'the fixture''s wallet', 25200, 4102452107417, '0x8fedac7eb0d62a5d5612a7bef8e8379d8ba776197e602fa946233d6ccc11eb6d');
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('fund_62d063bead27c8d8f5ce', 'fund', 1, 0, 0);
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('prj_87ff9d6e78e52df8006a:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'wallet', 1, 0, 0);
INSERT INTO wallet_claim (scope, name, at_ms) VALUES ('key_53c66724b543014d1e90/svc_wal_createWallet/the fixture''s attempt', 'prj_87ff9d6e78e52df8006a:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 4102452107417);
CREATE INDEX member_by_kind ON member (kind, seq);
CREATE INDEX wallet_by_month ON wallet (month);
CREATE INDEX sealed_by_version ON sealed (master_key_version, retry_at_ms);
CREATE INDEX due_by_time ON due (at_ms);
CREATE INDEX wallet_claim_by_time ON wallet_claim (at_ms);
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
