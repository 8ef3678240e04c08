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
  , chain TEXT NOT NULL DEFAULT 'sui', gas_atoms TEXT NOT NULL DEFAULT '0') STRICT, WITHOUT ROWID;
CREATE TABLE known_wallet (
    chain TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    is_on_chain INTEGER NOT NULL,
    proof BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (3);
INSERT INTO attempt (key, fingerprint, calls_at_it, is_open, begun_at_ms, transaction_id, content, chain, gas_budget, counted_day) VALUES ('rfsbfTWxGDcyZTzwOQNISA9hW-XjQh9w0Im10QuhsK8', 'BNDOSS2KQGXOQ-LpRe3iMOFKnzhjDlaZcC7NeamHc5g', 0, 1, 4102452107559, '2N47SRe3b9T5X2cuDMGELHfJe4ANWQD58RG8LFJCGEVz', '', 'sui', '4000000', 47482);
INSERT INTO usage (chain, day, transactions, gas) VALUES ('sui', 47482, 1, '4000000');
INSERT INTO held_gas (place, digest, until_ms, chain, gas_atoms) VALUES ('yWkvHtS4S_TIqDXBChszk0RMSyt_ytxKr0wwE4hVjEc', 'CfECGTfBcZbt7gqQRUvvGYB5z2UMFtRsPpHVWCbUiHtJ', 4102452707000, 'sui', '4000000');
CREATE INDEX attempt_by_age ON attempt (begun_at_ms);
CREATE INDEX attempt_by_transaction ON attempt (transaction_id);
