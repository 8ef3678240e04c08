const HELD_GAS = `
  CREATE TABLE held_gas (
    place TEXT PRIMARY KEY,
    digest TEXT,
    until_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`;

const HELD_AMOUNT = `
  ALTER TABLE held_gas ADD COLUMN chain TEXT NOT NULL DEFAULT 'sui';
  ALTER TABLE held_gas ADD COLUMN gas_atoms TEXT NOT NULL DEFAULT '0'`;

/** Migrations of a workflow user's storage, in order. A landed one never changes. */
export const migrations = [
  `CREATE TABLE attempt (
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
  CREATE INDEX attempt_by_age ON attempt (begun_at_ms);
  CREATE INDEX attempt_by_transaction ON attempt (transaction_id);
  CREATE TABLE usage (
    chain TEXT NOT NULL,
    day INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    gas TEXT NOT NULL,
    PRIMARY KEY (chain, day)
  ) STRICT, WITHOUT ROWID`,
  HELD_GAS,
  `CREATE TABLE known_wallet (
    chain TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    is_on_chain INTEGER NOT NULL,
    proof BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${HELD_AMOUNT}`,
] as const;
