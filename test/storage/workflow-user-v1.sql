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
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO attempt (key, fingerprint, calls_at_it, is_open, begun_at_ms, transaction_id, content, chain, gas_budget, counted_day) VALUES ('rfsbfTWxGDcyZTzwOQNISA9hW-XjQh9w0Im10QuhsK8', 'mR6bmEYF1MhxcNuz80oom6NGfuXV9jDiX62R_t1A58k', 0, 1, 4102452108821, 'HtCP3D6KtWHJ1uDpapMnGYuwPjMiPv4PiSfEi5djyZsJ', '', 'sui', '4000000', 47482);
INSERT INTO usage (chain, day, transactions, gas) VALUES ('sui', 47482, 1, '4000000');
CREATE INDEX attempt_by_age ON attempt (begun_at_ms);
CREATE INDEX attempt_by_transaction ON attempt (transaction_id);
