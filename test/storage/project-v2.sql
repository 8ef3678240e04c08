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
INSERT INTO schema_version (version) VALUES (2);
INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, export_enabled, salt, session_epoch, created_at_ms) VALUES ('prj_fee4bd47dd615a7dc799', 'the fixture''s project', 7, 'scrypt', 0, X'd969ed4e2aa551f69c002496e37847770e30f328adfd7dfc5a4924d18c2a52a1', 0, 4102444805071);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (1, 'fund', 'fund_2121fc4cbd6f0a0028f1', 'SUI_LOCALNET', 4102444805111);
INSERT INTO member (seq, kind, id, network, listed_at_ms) VALUES (2, 'key', 'key_196b8dac5226da61ca10', 'SUI_LOCALNET', 4102444805551);
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (1, 4102444805071, 'project.create', 'prj_fee4bd47dd615a7dc799', '{"name":"fixture''s fund","secretDerivation":"scrypt","walletsPerMonth":null}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (2, 4102444805111, 'fund.create', 'fund_2121fc4cbd6f0a0028f1', '{"name":"fixture''s fund","network":"SUI_LOCALNET","createDepositAddress":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (3, 4102444805551, 'key.create', 'key_196b8dac5226da61ca10', '{"name":"app","network":"SUI_LOCALNET","rights":["gas"],"fundId":"fund_2121fc4cbd6f0a0028f1","limits":{"qps":100,"cups":1000}}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (4, 4102444805560, 'project.update', 'prj_fee4bd47dd615a7dc799', '{"name":"the fixture''s project","walletsPerMonth":7}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (5, 4102444805567, 'fund.update', 'fund_2121fc4cbd6f0a0028f1', '{"paused":true}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (6, 4102444805574, 'fund.update', 'fund_2121fc4cbd6f0a0028f1', '{"paused":false}');
INSERT INTO audit (seq, at_ms, action, target, detail) VALUES (7, 4102444805582, 'key.update', 'key_196b8dac5226da61ca10', '{"rights":["wallet","gas"],"limits":{"qps":50,"cups":1000}}');
INSERT INTO creation (id, fingerprint) VALUES ('key_196b8dac5226da61ca10', 'klXgmERwNhYpya7KcQaR4bpjFEx6A6mFfwjMqXT7Gso');
CREATE INDEX member_by_kind ON member (kind, seq);
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
