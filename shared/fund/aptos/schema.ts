/** Part of version 3. Compared u64 numbers are text of 20 digits, as in the tables of Sui. */
export const APTOS_FUND_STORE_MIGRATION = `
  CREATE TABLE aptos_sponsorship (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    sender TEXT NOT NULL,
    sequence_number TEXT NOT NULL,
    raw_transaction BLOB NOT NULL,
    secondary_addresses TEXT NOT NULL,
    authenticators TEXT,
    hash TEXT,
    key_id TEXT NOT NULL,
    gas_budget TEXT NOT NULL,
    fee TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    charged TEXT,
    rebate TEXT,
    committed_version TEXT,
    resends INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX aptos_sponsorship_standing ON aptos_sponsorship (sender, sequence_number) WHERE state <> 'dead';
  CREATE INDEX aptos_sponsorship_live ON aptos_sponsorship (sender, sequence_number) WHERE state = 'signed';
  CREATE INDEX aptos_sponsorship_by_sender ON aptos_sponsorship (sender, created_at_ms);
  CREATE INDEX aptos_sponsorship_by_version ON aptos_sponsorship (committed_version)
    WHERE committed_version IS NOT NULL;

  CREATE TABLE aptos_own_transaction (
    hash TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    sequence_number TEXT NOT NULL,
    signed_transaction BLOB NOT NULL,
    gas_budget TEXT NOT NULL,
    amount TEXT NOT NULL,
    collected_fees TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    charged TEXT,
    committed_version TEXT,
    resends INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX aptos_own_transaction_pending ON aptos_own_transaction (state) WHERE state = 'pending';

  CREATE TABLE aptos_compared (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version TEXT NOT NULL
  ) STRICT;
`;

/** Part of version 5. */
export const APTOS_FUND_STORE_MIGRATION_5 = `
  CREATE INDEX aptos_sponsorship_dead ON aptos_sponsorship (sender, sequence_number, expires_at_ms)
    WHERE state = 'dead';
  CREATE TABLE aptos_used_sequence (
    reference TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    time_ms INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    said_again INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
