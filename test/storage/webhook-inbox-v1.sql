CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE message (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    lease_until_ms INTEGER NOT NULL,
    answer TEXT,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE due (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, reference)
  ) STRICT, WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO message (id, fingerprint, lease_until_ms, answer, at_ms) VALUES ('the-fixture''s-event', '4GAszUTo1zTf6e3HDxUS4b73bNYBhGn73e1SsPpvzkU', 4102452229314, '{"started":[]}', 4102452109314);
INSERT INTO due (kind, reference, at_ms) VALUES ('forget', '', 4102455709314);
CREATE INDEX message_by_time ON message (at_ms);
CREATE INDEX due_by_time ON due (at_ms);
