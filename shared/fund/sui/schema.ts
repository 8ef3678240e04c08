// Sui only (FUND_STORE_MIGRATION_2, FUND_STORE_MIGRATION_8): version 2 is older than Aptos funds, version 8 has a new state.

/**
 * Version 1. Amounts and versions of u64 are text of 20 digits. SQLite integers end at 2^63 and reach JavaScript as
 * doubles. Fixed-width digits are exact and sort as numbers.
 */
export const FUND_STORE_MIGRATION = `
  CREATE TABLE coin (
    object_id TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    state TEXT NOT NULL,
    holder TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX coin_by_balance ON coin (state, balance_mist, object_id);
  CREATE INDEX coin_by_holder ON coin (holder) WHERE holder IS NOT NULL;

  CREATE TABLE sponsorship (
    digest TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    transaction_bytes BLOB NOT NULL,
    sender TEXT NOT NULL,
    key_id TEXT NOT NULL,
    gas_object_id TEXT NOT NULL,
    gas_budget_mist TEXT NOT NULL,
    expiration_epoch TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    look_ups INTEGER NOT NULL,
    charged_mist TEXT
  ) STRICT;

  CREATE TABLE own_transaction (
    digest TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    transaction_bytes BLOB NOT NULL,
    gas_object_id TEXT NOT NULL,
    expiration_epoch TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    look_ups INTEGER NOT NULL,
    split_mist TEXT NOT NULL
  ) STRICT;
  CREATE INDEX own_transaction_pending ON own_transaction (state) WHERE state = 'pending';

  CREATE TABLE ledger (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    in_flight_mist TEXT NOT NULL,
    total_balance_mist TEXT NOT NULL,
    total_in_flight_mist TEXT NOT NULL
  ) STRICT;
`;

/**
 * Version 2. Free coins have an index of their own, so that a search skips held coins at no cost. Running totals and
 * usage are one row each instead of columns of every ledger row.
 */
export const FUND_STORE_MIGRATION_2 = `
  ALTER TABLE coin ADD COLUMN maintenance INTEGER NOT NULL DEFAULT 0;
  DROP INDEX coin_by_balance;
  CREATE INDEX coin_free ON coin (balance_mist, object_id) WHERE state = 'free' AND maintenance = 0;
  CREATE INDEX coin_maintenance ON coin (object_id) WHERE maintenance = 1;

  ALTER TABLE sponsorship DROP COLUMN look_ups;
  ALTER TABLE sponsorship ADD COLUMN signed_at_ms INTEGER;
  ALTER TABLE sponsorship ADD COLUMN fee_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE sponsorship ADD COLUMN rebate_mist TEXT;
  ALTER TABLE sponsorship ADD COLUMN maintenance_mist TEXT;
  UPDATE sponsorship SET signed_at_ms = created_at_ms WHERE state IN ('signed', 'complete', 'expired');
  CREATE INDEX sponsorship_expired ON sponsorship (expires_at_ms) WHERE state = 'expired';
  CREATE INDEX sponsorship_by_sender ON sponsorship (sender, created_at_ms);

  ALTER TABLE own_transaction RENAME COLUMN split_mist TO created_mist;
  ALTER TABLE own_transaction RENAME COLUMN look_ups TO resends;
  ALTER TABLE own_transaction ADD COLUMN purpose TEXT NOT NULL DEFAULT 'split';
  ALTER TABLE own_transaction ADD COLUMN gas_budget_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE own_transaction ADD COLUMN inputs TEXT NOT NULL DEFAULT '';
  ALTER TABLE own_transaction ADD COLUMN redeemed_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE own_transaction ADD COLUMN sweeps INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE own_transaction ADD COLUMN paid_out_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE own_transaction ADD COLUMN collected_fees_mist TEXT NOT NULL DEFAULT '0';

  CREATE TABLE totals (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    balance_mist TEXT NOT NULL,
    address_balance_mist TEXT NOT NULL,
    in_flight_mist TEXT NOT NULL,
    accrued_fees_mist TEXT NOT NULL,
    nonce INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals
    SELECT 1, total_balance_mist, '0', total_in_flight_mist, '0', 0 FROM ledger ORDER BY sequence DESC LIMIT 1;
  ALTER TABLE ledger DROP COLUMN total_balance_mist;
  ALTER TABLE ledger DROP COLUMN total_in_flight_mist;
  ALTER TABLE ledger ADD COLUMN address_balance_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE ledger ADD COLUMN accrued_fees_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE ledger ADD COLUMN key_id TEXT;

  CREATE TABLE usage (
    scope TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    in_flight_count INTEGER NOT NULL,
    in_flight_mist TEXT NOT NULL,
    spent_mist TEXT NOT NULL,
    abandon_cost_mist TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage
    SELECT key_id, 0, COUNT(*), CAST(SUM(CAST(gas_budget_mist AS INTEGER)) AS TEXT), '0', '0'
    FROM sponsorship WHERE state IN ('prepared', 'signed', 'expired') GROUP BY key_id;
  INSERT INTO usage
    SELECT '', 0, COUNT(*), CAST(COALESCE(SUM(CAST(gas_budget_mist AS INTEGER)), 0) AS TEXT), '0', '0'
    FROM sponsorship WHERE state IN ('prepared', 'signed', 'expired');

  CREATE TABLE revoked_key (key_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  CREATE TABLE idempotency (
    scope TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    digest TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_expiry ON idempotency (expires_at_ms);
`;

/**
 * Part of version 5. Coins that the fund owns through consensus pay for nothing. They wait here until a treasury
 * transaction takes them in. A transaction's row has the chain's checkpoint of its making. For an older row, its age
 * replaces the checkpoint (`coversLife`).
 */
export const FUND_STORE_MIGRATION_5 = `
  ALTER TABLE sponsorship ADD COLUMN max_storage_mist TEXT;
  ALTER TABLE sponsorship ADD COLUMN since_checkpoint TEXT;
  ALTER TABLE own_transaction ADD COLUMN since_checkpoint TEXT;
  CREATE TABLE party_coin (
    object_id TEXT PRIMARY KEY,
    start_version TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    tries INTEGER NOT NULL,
    holder TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX party_coin_waiting ON party_coin (tries, balance_mist DESC, object_id DESC) WHERE holder IS NULL;
  CREATE INDEX party_coin_by_holder ON party_coin (holder) WHERE holder IS NOT NULL;
`;

/**
 * Part of version 6. Rows of `sponsorship` move here under the same numbers, which stay the order of lists. Digests and
 * addresses are packed. The bytes have a table of their own, so that they leave no holes in the pages of ended rows.
 * A row that grows splits a full page in two. So a live row has some `room`, which it gives up when it ends.
 */
export const FUND_STORE_MIGRATION_6 = `
  CREATE TABLE sponsorship_row (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    digest ANY NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    sender ANY NOT NULL,
    key_number INTEGER NOT NULL,
    gas_object_id ANY,
    gas_budget_mist TEXT NOT NULL,
    fee_mist TEXT NOT NULL,
    expiration_epoch TEXT NOT NULL,
    since_checkpoint TEXT,
    max_storage_mist TEXT,
    created_at_ms INTEGER NOT NULL,
    signed_at_ms INTEGER,
    expires_at_ms INTEGER NOT NULL,
    charged_mist TEXT,
    rebate_mist TEXT,
    maintenance_mist TEXT,
    room BLOB
  ) STRICT;
  CREATE INDEX sponsorship_row_live ON sponsorship_row (state, expires_at_ms) WHERE state <= 4;
  CREATE TABLE sponsorship_bytes (
    seq INTEGER PRIMARY KEY,
    transaction_bytes BLOB NOT NULL
  ) STRICT;
  INSERT INTO sponsorship_row (seq, digest, state, sender, key_number, gas_budget_mist, fee_mist, expiration_epoch,
      created_at_ms, expires_at_ms)
    SELECT MAX(rowid), '', 0, '', 0, '', '', '', 0, 0 FROM sponsorship HAVING MAX(rowid) IS NOT NULL;
  DELETE FROM sponsorship_row;
`;

/**
 * Part of version 8. It changes no table. From this version on, a sponsorship may be `unresolvable`, which an older
 * build cannot read. The higher version makes such a build refuse the state.
 */
export const FUND_STORE_MIGRATION_8 = "SELECT 8";

/**
 * Part of version 11. A sponsorship without gas is released when it expires. One that expired before this version is
 * released at its end.
 */
export const FUND_STORE_MIGRATION_11 = `
  ALTER TABLE sponsorship_row ADD COLUMN released INTEGER NOT NULL DEFAULT 0;
`;
