// Aptos only (APTOS_FUND_STORE_MIGRATION_10): only Aptos names a row and its transaction differently.

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

/**
 * Part of version 6. Rows of `aptos_sponsorship` move here under the same numbers, which stay the order of lists. Ids,
 * hashes and addresses are packed. Compared u64 numbers are eight bytes. Bytes and signatures have a table of their own,
 * so that they leave no holes in the pages of ended rows. A row that grows splits a full page in two. So a live row has
 * some `room`, which it gives up when it ends.
 */
export const APTOS_FUND_STORE_MIGRATION_6 = `
  CREATE TABLE aptos_sponsorship_row (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id ANY NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    sender ANY NOT NULL,
    sequence_number BLOB NOT NULL,
    secondary_addresses TEXT,
    key_number INTEGER NOT NULL,
    gas_budget TEXT NOT NULL,
    fee TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    resends INTEGER NOT NULL,
    hash ANY,
    charged TEXT,
    rebate TEXT,
    committed_version BLOB,
    room BLOB
  ) STRICT;
  CREATE UNIQUE INDEX aptos_sponsorship_row_standing ON aptos_sponsorship_row (sender, sequence_number)
    WHERE state <> 4;
  CREATE INDEX aptos_sponsorship_row_live ON aptos_sponsorship_row (sender, sequence_number) WHERE state = 2;
  CREATE INDEX aptos_sponsorship_row_dead ON aptos_sponsorship_row (sender, sequence_number, expires_at_ms)
    WHERE state = 4;
  CREATE INDEX aptos_sponsorship_row_by_version ON aptos_sponsorship_row (committed_version)
    WHERE committed_version IS NOT NULL;
  CREATE TABLE aptos_sponsorship_bytes (
    seq INTEGER PRIMARY KEY,
    raw_transaction BLOB NOT NULL,
    authenticators TEXT
  ) STRICT;
  INSERT INTO aptos_sponsorship_row (seq, id, state, sender, sequence_number, key_number, gas_budget, fee,
      created_at_ms, expires_at_ms, resends)
    SELECT MAX(rowid), '', 0, '', x'', 0, '', '', 0, 0, 0 FROM aptos_sponsorship HAVING MAX(rowid) IS NOT NULL;
  DELETE FROM aptos_sponsorship_row;
`;

/**
 * Part of version 10. Four bytes distinguish the hashes of millions of rows. A whole hash would take three times as
 * much space.
 */
export const APTOS_FUND_STORE_MIGRATION_10 = `
  CREATE INDEX aptos_sponsorship_row_by_hash ON aptos_sponsorship_row (substr(hash, 2, 4)) WHERE hash IS NOT NULL;
`;

/**
 * Part of version 11. From this version on, the sequence number of an orderless row is 16 bytes, which end with its
 * nonce. An older build cannot read that.
 */
export const APTOS_FUND_STORE_MIGRATION_11 = `
  ALTER TABLE aptos_sponsorship_bytes ADD COLUMN since_version BLOB;
`;
