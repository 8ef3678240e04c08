CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE project (
    seq INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL UNIQUE,
    listed_at_ms INTEGER NOT NULL
  ) STRICT;
CREATE TABLE secret_check (
    secret TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (secret, version)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE secret_mismatch (
    secret TEXT NOT NULL,
    version INTEGER NOT NULL,
    told_at_ms INTEGER NOT NULL,
    PRIMARY KEY (secret, version)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE newest_schema (
    object TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (2);
INSERT INTO project (seq, project_id, listed_at_ms) VALUES (1, 'prj_2f7cfa08755a7da9f074', 4102444807344);
INSERT INTO secret_check (secret, version, value) VALUES ('KEY_PEPPERS', 1, 'Ft2T9GTq553zyw9zy5G4jQ');
INSERT INTO secret_check (secret, version, value) VALUES ('MASTER_KEYS', 1, 'cE4MYFIUTxj3QORv513lPw');
INSERT INTO newest_schema (object, version) VALUES ('AccessKey', 5);
INSERT INTO newest_schema (object, version) VALUES ('Directory', 2);
INSERT INTO newest_schema (object, version) VALUES ('Fund', 5);
INSERT INTO newest_schema (object, version) VALUES ('Project', 6);
INSERT INTO newest_schema (object, version) VALUES ('Wallet', 3);
INSERT INTO newest_schema (object, version) VALUES ('WebhookInbox', 1);
INSERT INTO newest_schema (object, version) VALUES ('WorkflowUser', 3);
