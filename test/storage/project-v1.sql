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
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, export_enabled, salt, session_epoch, created_at_ms) VALUES ('prj_ae881c674dbf68a68b9c', 'the fixture''s project', 7, 'scrypt', 0, X'd4283f43e4e37192a06be46eed6dd5a800d382246ffebe73d0817dd8a170bfa9', 0, 4102444800172);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (1, 'fund', 'fund_366043d4f998b62e66ef', 'SUI_LOCALNET', 4102444800188);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (2, 'key', 'key_76053aa4bd760231e262', 'SUI_LOCALNET', 4102444800367);
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (1, 4102444800172, 'project.create', 'prj_ae881c674dbf68a68b9c', '{"name":"fixture''s fund","secretDerivation":"scrypt","walletsPerMonth":null}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (2, 4102444800188, 'fund.create', 'fund_366043d4f998b62e66ef', '{"name":"fixture''s fund","network":"SUI_LOCALNET","createDepositAddress":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (3, 4102444800367, 'key.create', 'key_76053aa4bd760231e262', '{"name":"app","network":"SUI_LOCALNET","rights":["gas"],"fundId":"fund_366043d4f998b62e66ef","limits":{"qps":100,"cups":1000}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (4, 4102444800371, 'project.update', 'prj_ae881c674dbf68a68b9c', '{"name":"the fixture''s project","walletsPerMonth":7}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (5, 4102444800374, 'fund.update', 'fund_366043d4f998b62e66ef', '{"paused":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (6, 4102444800377, 'fund.update', 'fund_366043d4f998b62e66ef', '{"paused":false}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (7, 4102444800380, 'key.update', 'key_76053aa4bd760231e262', '{"rights":["wallet","gas"],"limits":{"qps":50,"cups":1000}}');
CREATE INDEX member_by_kind ON member (kind, seq);
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
