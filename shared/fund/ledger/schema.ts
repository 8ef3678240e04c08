/** Version 3 of the tables that all funds have. A fund may hold another coin than SUI. */
export const FUND_BOOKS_MIGRATION_3 = `
  ALTER TABLE ledger RENAME COLUMN balance_mist TO balance_atoms;
  ALTER TABLE ledger RENAME COLUMN address_balance_mist TO address_balance_atoms;
  ALTER TABLE ledger RENAME COLUMN in_flight_mist TO in_flight_atoms;
  ALTER TABLE ledger RENAME COLUMN accrued_fees_mist TO accrued_fees_atoms;
  ALTER TABLE totals RENAME COLUMN balance_mist TO balance_atoms;
  ALTER TABLE totals RENAME COLUMN address_balance_mist TO address_balance_atoms;
  ALTER TABLE totals RENAME COLUMN in_flight_mist TO in_flight_atoms;
  ALTER TABLE totals RENAME COLUMN accrued_fees_mist TO accrued_fees_atoms;
  ALTER TABLE usage RENAME COLUMN in_flight_mist TO in_flight_atoms;
  ALTER TABLE usage RENAME COLUMN spent_mist TO spent_atoms;
  ALTER TABLE usage RENAME COLUMN abandon_cost_mist TO abandon_cost_atoms;
  ALTER TABLE idempotency RENAME COLUMN digest TO reference;
`;

/**
 * Part of version 5. Each sender's spending of a day gets a row of its own, instead of a sum over its sponsorships.
 * A sender spends far less than 2^63 in a day, so the sums are integers that SQLite adds up.
 */
export const FUND_BOOKS_MIGRATION_5 = `
  CREATE TABLE sender_usage (
    day INTEGER NOT NULL,
    sender TEXT NOT NULL,
    key_id TEXT NOT NULL,
    spent_atoms INTEGER NOT NULL,
    stopped INTEGER NOT NULL,
    PRIMARY KEY (day, sender, key_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO sender_usage
    SELECT created_at_ms / 86400000, sender, key_id,
      SUM(MAX(CAST(COALESCE(charged_mist, gas_budget_mist) AS INTEGER), 0) + CAST(fee_mist AS INTEGER)), 0
    FROM sponsorship
    WHERE state <> 'dead' AND created_at_ms / 86400000 >= (SELECT MAX(created_at_ms) / 86400000 - 1 FROM sponsorship)
    GROUP BY 1, 2, 3;
  INSERT INTO sender_usage
    SELECT created_at_ms / 86400000, sender, key_id,
      SUM(MAX(CAST(COALESCE(charged, gas_budget) AS INTEGER), 0) + CAST(fee AS INTEGER)), 0
    FROM aptos_sponsorship
    WHERE state <> 'dead'
      AND created_at_ms / 86400000 >= (SELECT MAX(created_at_ms) / 86400000 - 1 FROM aptos_sponsorship)
    GROUP BY 1, 2, 3;
  DROP INDEX sponsorship_by_sender;
  DROP INDEX aptos_sponsorship_by_sender;
`;
