CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE attempt (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    calls_at_it INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    begun_at_ms INTEGER NOT NULL,
    transaction_id TEXT,
    content TEXT,
    chain TEXT,
    gas_budget TEXT,
    counted_day INTEGER
  ) STRICT;
CREATE TABLE usage (
    chain TEXT NOT NULL,
    day INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    gas TEXT NOT NULL,
    PRIMARY KEY (chain, day)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE held_gas (
    place TEXT PRIMARY KEY,
    digest TEXT,
    until_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (2);
INSERT INTO attempt (key, fingerprint, calls_at_it, is_open, begun_at_ms, transaction_id, content, chain, gas_budget, counted_day) VALUES ('rfsbfTWxGDcyZTzwOQNISA9hW-XjQh9w0Im10QuhsK8', 's9Uc2LBRRcOUNEeexOO2VDeGfH-huv5HWpdlqoN6TTI', 0, 1, 4102452105636, 'H5k4FgdqTJXF2g2DVL9DJwyHaNwk9W8xWRh2uqVXbWvF', '', 'sui', '4000000', 47482);
INSERT INTO usage (chain, day, transactions, gas) VALUES ('sui', 47482, 1, '4000000');
INSERT INTO held_gas (place, digest, until_ms) VALUES ('a1160459-b950-4255-a566-63e0b0005ec0', 'BAyqFwS49HgMRnE3opEFhDFc2DvrATcdCgdmEuhxXHkX', 4102452705000);
CREATE INDEX attempt_by_age ON attempt (begun_at_ms);
CREATE INDEX attempt_by_transaction ON attempt (transaction_id);
