import { type Sql, type SqlRow, textColumn } from "../sql.ts";
import { type Account, accumulatorId } from "./accounts.ts";
import { type AccumulatorWrite, signedAmount } from "./funds.ts";

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS address_balances (
    address TEXT NOT NULL,
    coin_type TEXT NOT NULL,
    written_in INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    PRIMARY KEY (address, coin_type, written_in)
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS accumulators (
    id TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    coin_type TEXT NOT NULL
  ) WITHOUT ROWID`,
];

const BALANCE = `SELECT CAST(balance AS TEXT) AS balance FROM address_balances
  WHERE address = ? AND coin_type = ? AND written_in <= ? ORDER BY written_in DESC LIMIT 1`;

const BALANCES = `SELECT coin_type, CAST(balance AS TEXT) AS balance, MAX(written_in) FROM address_balances
  WHERE address = ? AND written_in <= ? GROUP BY coin_type ORDER BY coin_type`;

const PUT_BALANCE = `INSERT INTO address_balances (address, coin_type, written_in, balance) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET balance = excluded.balance`;

const NOW = Number.MAX_SAFE_INTEGER;

export interface AddressBalance {
  readonly coinType: string;
  readonly amount: bigint;
}

export interface FundReads {
  balance(account: Account): bigint;
  /** What an address holds in each coin type, without what it holds nothing of, sorted by type. */
  balances(address: string): AddressBalance[];
  /** The account that effects and coin reservations name by this id, if anything was ever deposited in it. */
  accountOf(accumulatorId: string): Account | undefined;
}

export type FundStore = ReturnType<typeof createFundStore>;

/** Address balances in SQLite. Every checkpoint's balance is kept, for nodes that are behind. */
export function createFundStore(sql: Sql) {
  for (const statement of SCHEMA) sql.exec(statement);
  const now = fundsAsOf(sql, NOW);

  return {
    ...now,

    apply(writes: readonly AccumulatorWrite[], checkpoint: bigint): void {
      for (const write of writes) {
        const { address, coinType } = write.account;
        const balance = now.balance(write.account) + signedAmount(write);
        if (balance < 0n) throw new Error(`the address balance of ${address} would fall below zero`);
        sql.exec(PUT_BALANCE, address, coinType, Number(checkpoint), String(balance));
        sql.exec(
          "INSERT OR IGNORE INTO accumulators (id, address, coin_type) VALUES (?, ?, ?)",
          accumulatorId(write.account),
          address,
          coinType,
        );
      }
    },
  };
}

/** Address balances as they were after a checkpoint. */
export function fundsAsOf(sql: Sql, checkpoint: number): FundReads {
  return {
    balance({ address, coinType }) {
      const [row] = sql.exec(BALANCE, address, coinType, checkpoint);
      return row === undefined ? 0n : amountColumn(row);
    },
    balances: (address) =>
      sql
        .exec(BALANCES, address, checkpoint)
        .map((row) => ({ coinType: textColumn(row, "coin_type"), amount: amountColumn(row) }))
        .filter(({ amount }) => amount > 0n),
    accountOf(id) {
      const [row] = sql.exec("SELECT address, coin_type FROM accumulators WHERE id = ?", id);
      return row && { address: textColumn(row, "address"), coinType: textColumn(row, "coin_type") };
    },
  };
}

function amountColumn(row: SqlRow): bigint {
  return BigInt(textColumn(row, "balance"));
}
