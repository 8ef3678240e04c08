import { bytesColumn, numberColumn, type Sql, type SqlRow, textColumn } from "../sql.ts";
import { type Address, longAddress } from "./address.ts";
import type { UserPlace, UserPlaces } from "./blocks.ts";
import { ItemJson } from "./item-json.ts";
import type { Item, ItemChange } from "./move/world.ts";

/**
 * `aptos_items` keeps every slot of storage at every version that wrote it, so that the state of any past version can be
 * read; resources are null where the slot was deleted. `aptos_touched` is what an indexer keeps for accounts.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS aptos_chain (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS aptos_items (
    address TEXT NOT NULL, slot TEXT NOT NULL, version INTEGER NOT NULL, item TEXT,
    PRIMARY KEY (address, slot, version)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS aptos_transactions (
    version INTEGER PRIMARY KEY, block INTEGER NOT NULL, ordinal INTEGER NOT NULL, hash TEXT NOT NULL UNIQUE,
    sender TEXT NOT NULL, sequence_number INTEGER NOT NULL, admitted_ms INTEGER NOT NULL, bytes BLOB NOT NULL,
    json TEXT NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS aptos_transactions_by_block ON aptos_transactions (block, version)`,
  `CREATE INDEX IF NOT EXISTS aptos_transactions_by_sender ON aptos_transactions (sender, sequence_number)`,
  `CREATE TABLE IF NOT EXISTS aptos_orderless (
    version INTEGER PRIMARY KEY, sender TEXT NOT NULL, nonce TEXT NOT NULL, expires_s INTEGER NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS aptos_orderless_by_nonce ON aptos_orderless (sender, nonce, version)`,
  `CREATE TABLE IF NOT EXISTS aptos_touched (address TEXT NOT NULL, version INTEGER NOT NULL,
    PRIMARY KEY (address, version)) WITHOUT ROWID`,
];

export interface CommittedTransaction extends UserPlace {
  readonly hash: string;
  readonly sender: Address;
  /** -1 for an orderless transaction. */
  readonly sequenceNumber: bigint;
  /** Undefined for a transaction with a sequence number, and where it does not matter. */
  readonly orderless?: { readonly nonce: bigint; readonly expiresSeconds: bigint } | undefined;
  readonly admittedMs: number;
  readonly bytes: Uint8Array;
  /** As a node shows it, without what follows from its place. */
  readonly json: string;
}

export type Store = ReturnType<typeof createStore>;

/** State and transactions of the Aptos part of the chain in SQLite. */
export function createStore(sql: Sql) {
  for (const statement of SCHEMA) sql.exec(statement);

  const places: UserPlaces = {
    lastInBlock: (height) =>
      place(
        sql.exec(
          "SELECT version, block, ordinal FROM aptos_transactions WHERE block <= ? ORDER BY block DESC, version DESC LIMIT 1",
          height,
        ),
      ),
    lastAtVersion: (version) =>
      place(
        sql.exec(
          "SELECT version, block, ordinal FROM aptos_transactions WHERE version <= ? ORDER BY version DESC LIMIT 1",
          version,
        ),
      ),
  };

  return {
    places,

    value(name: string): string | undefined {
      const [row] = sql.exec("SELECT value FROM aptos_chain WHERE name = ?", name);
      return row && textColumn(row, "value");
    },

    setValue(name: string, value: string): void {
      sql.exec(
        "INSERT INTO aptos_chain (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name,
        value,
      );
    },

    /** A slot as it was after a version. */
    item(address: Address, slot: string, version: number): Item | undefined {
      const [row] = sql.exec(
        "SELECT item FROM aptos_items WHERE address = ? AND slot = ? AND version <= ? ORDER BY version DESC LIMIT 1",
        address,
        slot,
        version,
      );
      return row && itemOf(row);
    },

    /** All slots of an address after a version, by name. */
    itemsAt(address: Address, version: number): Item[] {
      const rows = sql.exec(
        `SELECT slot, item, MAX(version) FROM aptos_items WHERE address = ? AND version <= ? GROUP BY slot ORDER BY slot`,
        address,
        version,
      );
      return rows.flatMap((row) => itemOf(row) ?? []);
    },

    /** The slot of this name of every address that has one after a version, with the version that wrote it. */
    itemsInSlot(slot: string, version: number): { address: Address; item: Item; version: number }[] {
      const rows = sql.exec(
        `SELECT address, item, MAX(version) AS version FROM aptos_items WHERE slot = ? AND version <= ?
         GROUP BY address ORDER BY address`,
        slot,
        version,
      );
      return rows.flatMap((row) => {
        const item = itemOf(row);
        const address = longAddress(textColumn(row, "address"));
        return item === undefined ? [] : [{ address, item, version: numberColumn(row, "version") }];
      });
    },

    putItems(changes: readonly ItemChange[], version: number): void {
      for (const { address, slot, after } of changes) {
        const item =
          after === undefined ? null : JSON.stringify({ ...after, depositOctas: String(after.depositOctas) });
        sql.exec(
          `INSERT INTO aptos_items (address, slot, version, item) VALUES (?, ?, ?, ?)
           ON CONFLICT (address, slot, version) DO UPDATE SET item = excluded.item`,
          address,
          slot,
          version,
          item,
        );
      }
    },

    putTransaction(transaction: CommittedTransaction, touched: ReadonlySet<Address>): void {
      const { version, block, ordinal, hash, sender, sequenceNumber, admittedMs, bytes, json } = transaction;
      sql.exec(
        "INSERT INTO aptos_transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        version,
        block,
        ordinal,
        hash,
        sender,
        Number(sequenceNumber),
        admittedMs,
        bytes,
        json,
      );
      if (transaction.orderless !== undefined) {
        const { nonce, expiresSeconds } = transaction.orderless;
        const values = [version, sender, String(nonce), Number(expiresSeconds)] as const;
        sql.exec("INSERT INTO aptos_orderless (version, sender, nonce, expires_s) VALUES (?, ?, ?, ?)", ...values);
      }
      for (const address of touched) {
        sql.exec("INSERT INTO aptos_touched (address, version) VALUES (?, ?)", address, version);
      }
    },

    transactionByHash: (hash: string) => one(sql.exec("SELECT * FROM aptos_transactions WHERE hash = ?", hash)),

    transactionAt: (version: number) => one(sql.exec("SELECT * FROM aptos_transactions WHERE version = ?", version)),

    /** A sender's transactions from a sequence number on, up to a version. */
    transactionsOf: (sender: Address, from: bigint, limit: number, upTo: number) =>
      sql
        .exec(
          `SELECT * FROM aptos_transactions WHERE sender = ? AND sequence_number >= ? AND version <= ?
           ORDER BY sequence_number LIMIT ?`,
          sender,
          Number(from),
          upTo,
          limit,
        )
        .map(transactionOf),

    /** When the latest transaction of a sender with a nonce expires, up to a version. */
    nonceExpiry(sender: Address, nonce: bigint, upTo: number): bigint | undefined {
      const [row] = sql.exec(
        `SELECT expires_s FROM aptos_orderless WHERE sender = ? AND nonce = ? AND version <= ?
         ORDER BY version DESC LIMIT 1`,
        sender,
        String(nonce),
        upTo,
      );
      return row && BigInt(numberColumn(row, "expires_s"));
    },

    /** What protects each of a sender's transactions against a replay, orderless ones too, from one version to another. */
    summariesOf(sender: Address, from: number, upTo: number) {
      return sql
        .exec(
          `SELECT t.version, t.hash, t.sequence_number, o.nonce FROM aptos_transactions t
           LEFT JOIN aptos_orderless o ON o.version = t.version
           WHERE t.sender = ? AND t.version >= ? AND t.version <= ? ORDER BY t.version`,
          sender,
          from,
          upTo,
        )
        .map((row) => ({
          version: numberColumn(row, "version"),
          hash: textColumn(row, "hash"),
          replayProtector: row.nonce === null ? String(numberColumn(row, "sequence_number")) : textColumn(row, "nonce"),
        }));
    },

    transactionsUpTo: (version: number) =>
      sql.exec("SELECT * FROM aptos_transactions WHERE version <= ? ORDER BY version", version).map(transactionOf),

    /** Which accounts a transaction had to do with, up to a version. */
    touchedUpTo: (version: number) =>
      sql
        .exec("SELECT address, version FROM aptos_touched WHERE version <= ? ORDER BY version, address", version)
        .map((row) => ({ address: longAddress(textColumn(row, "address")), version: numberColumn(row, "version") })),
  };
}

function place([row]: readonly SqlRow[]): UserPlace | undefined {
  return (
    row && {
      version: numberColumn(row, "version"),
      block: numberColumn(row, "block"),
      ordinal: numberColumn(row, "ordinal"),
    }
  );
}

function itemOf(row: SqlRow): Item | undefined {
  return row.item === null ? undefined : ItemJson.parse(JSON.parse(textColumn(row, "item")));
}

function one([row]: readonly SqlRow[]): CommittedTransaction | undefined {
  return row && transactionOf(row);
}

function transactionOf(row: SqlRow): CommittedTransaction {
  return {
    version: numberColumn(row, "version"),
    block: numberColumn(row, "block"),
    ordinal: numberColumn(row, "ordinal"),
    hash: textColumn(row, "hash"),
    sender: longAddress(textColumn(row, "sender")),
    sequenceNumber: BigInt(numberColumn(row, "sequence_number")),
    admittedMs: numberColumn(row, "admitted_ms"),
    bytes: bytesColumn(row, "bytes"),
    json: textColumn(row, "json"),
  };
}
