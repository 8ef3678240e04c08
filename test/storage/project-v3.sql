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
INSERT INTO schema_version (version) VALUES (3);
INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, export_enabled, salt, session_epoch, created_at_ms) VALUES ('prj_eb5961adafe2b99694ed', 'the fixture''s project', 7, 'scrypt', 0, X'13de89e4e840b97489ac4b36cf69896f4918c5ed6bf305e6b2fd1c558dbed83b', 0, 4102444800370);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (1, 'fund', 'fund_2a3ff78471035db6a22e', 'SUI_LOCALNET', 4102444800409);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (2, 'key', 'key_1e2d97652e6ed023302a', 'SUI_LOCALNET', 4102444800712);
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (1, 4102444800370, 'project.create', 'prj_eb5961adafe2b99694ed', '{"name":"fixture''s fund","secretDerivation":"scrypt","walletsPerMonth":null}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (2, 4102444800409, 'fund.create', 'fund_2a3ff78471035db6a22e', '{"name":"fixture''s fund","network":"SUI_LOCALNET","createDepositAddress":true,"mode":"coin","sponsorshipFee":"0","lowBalance":null,"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":"500000000","maxStorageCost":null,"maxInFlightCount":null,"maxInFlightAmount":null,"maxSpendPerDay":"100000000000","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":null}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (3, 4102444800712, 'key.create', 'key_1e2d97652e6ed023302a', '{"name":"app","network":"SUI_LOCALNET","rights":["gas"],"fundId":"fund_2a3ff78471035db6a22e","limits":{"qps":100,"cups":1000},"policy":{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":null},"maxGasBudget":null,"maxStorageCost":null,"maxInFlightCount":1000,"maxInFlightAmount":"50000000000","maxSpendPerDay":null,"maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":"500000000"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (4, 4102444800716, 'project.update', 'prj_eb5961adafe2b99694ed', '{"name":"the fixture''s project","walletsPerMonth":7}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (5, 4102444800720, 'fund.update', 'fund_2a3ff78471035db6a22e', '{"paused":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (6, 4102444800724, 'fund.update', 'fund_2a3ff78471035db6a22e', '{"paused":false}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (7, 4102444800729, 'key.update', 'key_1e2d97652e6ed023302a', '{"rights":["wallet","gas"],"limits":{"qps":50,"cups":1000}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (8, 4102444800732, 'key.update', 'key_1e2d97652e6ed023302a', '{"policy":{"moveTargets":{"allow":["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"]},"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxStorageCost":"1000000000","maxInFlightAmount":null,"maxSpendPerDay":"18446744073709551615"}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (9, 4102444800772, 'fund.update', 'fund_2a3ff78471035db6a22e', '{"lowBalance":"1000000000","sponsorshipFee":"1000"}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (10, 4102444800778, 'fund.update', 'fund_2a3ff78471035db6a22e', '{"policy":{"senders":{"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (11, 4102448460720, 'fund.withdraw', 'fund_2a3ff78471035db6a22e', '{"to":"0x36737402e31a5922f8a96269bfc0bad13da70498cdc5af1be42bb3ba382051d0","amount":"1000","from":"fees"}');
INSERT INTO creation (id, fingerprint) VALUES ('key_1e2d97652e6ed023302a', 'ICakisnuniCXDLFzPddl2vTjVmyeGLZfJjUQl7_riq0');
INSERT INTO wallet (seq, name, chain, wallet_id, month, admitted_at_ms, address) VALUES (1, 'prj_eb5961adafe2b99694ed:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'sui', 'the fixture''s wallet', 25200, 4102452103891, '0xbd88b745a5151ac80ca7afb3dc85d77ad670f2a7914a5f545c42b3401d17ab4f');
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('fund_2a3ff78471035db6a22e', 'fund', 1, 0, 0);
INSERT INTO sealed (name, kind, master_key_version, failures, retry_at_ms) VALUES ('prj_eb5961adafe2b99694ed:sui:LqR0sCu0zTSYYJQ_gTBuCfAEa30TRoLxqWuGBl7tpH8', 'wallet', 1, 0, 0);
CREATE INDEX member_by_kind ON member (kind, seq);
CREATE INDEX wallet_by_month ON wallet (month);
CREATE INDEX sealed_by_version ON sealed (master_key_version, retry_at_ms);
CREATE INDEX due_by_time ON due (at_ms);
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
