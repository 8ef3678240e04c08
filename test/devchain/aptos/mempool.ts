import { bytesColumn, numberColumn, type Sql, type SqlRow, textColumn } from "../sql.ts";
import type { Address } from "./address.ts";
import { ApiError } from "./errors.ts";
import { decodeSigned, type Signed } from "./signed.ts";

/** Of mempool_config.rs: transactions of one account, and how long one may wait whatever its own expiration says. */
const CAPACITY_PER_ACCOUNT = 100;
const SYSTEM_TTL_MS = 600_000;

const SCHEMA = `CREATE TABLE IF NOT EXISTS aptos_mempool (
  sender TEXT NOT NULL, sequence_number INTEGER NOT NULL, hash TEXT NOT NULL UNIQUE, bytes BLOB NOT NULL,
  block INTEGER NOT NULL, admitted_ms INTEGER NOT NULL, expires_s INTEGER NOT NULL,
  PRIMARY KEY (sender, sequence_number)) WITHOUT ROWID`;

/** Those with a nonce instead. */
const ORDERLESS_SCHEMA = `CREATE TABLE IF NOT EXISTS aptos_mempool_orderless (
  sender TEXT NOT NULL, nonce TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, bytes BLOB NOT NULL,
  block INTEGER NOT NULL, admitted_ms INTEGER NOT NULL, expires_s INTEGER NOT NULL,
  PRIMARY KEY (sender, nonce)) WITHOUT ROWID`;
const TABLES = ["aptos_mempool", "aptos_mempool_orderless"] as const;

export interface Waiting {
  readonly signed: Signed;
  /** The first block that it can be in. */
  readonly block: number;
  readonly admittedMs: number;
}

export type Mempool = ReturnType<typeof createMempool>;

/** Transactions that were admitted and not executed yet; those with a gap before them wait until it is filled. */
export function createMempool(sql: Sql) {
  sql.exec(SCHEMA);
  sql.exec(ORDERLESS_SCHEMA);
  const decoded = new Map<string, Signed>();

  function waiting(row: SqlRow): Waiting {
    const hash = textColumn(row, "hash");
    const signed = decoded.get(hash) ?? decodeSigned(bytesColumn(row, "bytes"));
    return { signed, block: numberColumn(row, "block"), admittedMs: numberColumn(row, "admitted_ms") };
  }

  function at(sender: Address, sequenceNumber: bigint): Waiting | undefined {
    const [row] = sql.exec(
      "SELECT * FROM aptos_mempool WHERE sender = ? AND sequence_number = ?",
      sender,
      Number(sequenceNumber),
    );
    return row && waiting(row);
  }

  function withNonce(sender: Address, nonce: bigint): Waiting | undefined {
    const query = "SELECT * FROM aptos_mempool_orderless WHERE sender = ? AND nonce = ?";
    const [row] = sql.exec(query, sender, String(nonce));
    return row && waiting(row);
  }

  function remove({ hash }: Signed): void {
    for (const table of TABLES) sql.exec(`DELETE FROM ${table} WHERE hash = ?`, hash);
    decoded.delete(hash);
  }

  /** @throws ApiError when there is something else with this number that it cannot replace, or too much. */
  function insert(one: Waiting): void {
    const { sender, raw, nonce } = one.signed;
    const before = nonce === undefined ? at(sender, raw.sequence_number) : withNonce(sender, nonce);
    if (before !== undefined) {
      if (!replaces(before.signed, one.signed)) return;
      remove(before.signed);
    }
    requireRoom(sql, sender);
    decoded.set(one.signed.hash, one.signed);
    sql.exec(
      `INSERT INTO ${nonce === undefined ? "aptos_mempool" : "aptos_mempool_orderless"} VALUES (?, ?, ?, ?, ?, ?, ?)`,
      sender,
      nonce === undefined ? Number(raw.sequence_number) : String(nonce),
      one.signed.hash,
      one.signed.bytes,
      one.block,
      one.admittedMs,
      Number(raw.expiration_timestamp_secs),
    );
  }

  return {
    at,
    insert,
    remove,

    /** Whether an account has as many waiting as it may. */
    isFullFor: (sender: Address): boolean => countOf(sql, sender) >= CAPACITY_PER_ACCOUNT,

    byHash(hash: string): Waiting | undefined {
      const rows = TABLES.flatMap((table) => sql.exec(`SELECT * FROM ${table} WHERE hash = ?`, hash));
      return rows[0] && waiting(rows[0]);
    },

    /**
     * The next transaction of each sender that may be in a block up to this one, and all orderless ones, in the order of
     * their coming.
     */
    heads(block: number): Waiting[] {
      const orderless = sql.exec("SELECT * FROM aptos_mempool_orderless WHERE block <= ?", block).map(waiting);
      const ordered = sql
        .exec(
          `SELECT m.* FROM aptos_mempool m JOIN
             (SELECT sender, MIN(sequence_number) AS lowest FROM aptos_mempool GROUP BY sender) h
             ON h.sender = m.sender AND h.lowest = m.sequence_number
           WHERE m.block <= ? ORDER BY m.block, m.admitted_ms, m.hash`,
          block,
        )
        .map(waiting);
      if (orderless.length === 0) return ordered;
      return [...ordered, ...orderless].toSorted(
        (a, b) => a.block - b.block || a.admittedMs - b.admittedMs || (a.signed.hash < b.signed.hash ? -1 : 1),
      );
    },

    /** Throws out what has expired, by the ledger's time or by how long it has waited. */
    expire(ledgerSeconds: number, nowMs: number): void {
      const rows = TABLES.flatMap((table) =>
        sql.exec(
          `DELETE FROM ${table} WHERE expires_s <= ? OR admitted_ms <= ? RETURNING hash`,
          ledgerSeconds,
          nowMs - SYSTEM_TTL_MS,
        ),
      );
      for (const row of rows) decoded.delete(textColumn(row, "hash"));
    },
  };
}

/**
 * Whether `next` takes the place of a transaction with the same number. It does with a higher gas price alone. The same
 * transaction signed otherwise is taken for the same one: it is answered as if it were admitted, and the first stays.
 * (aptos-core mempool transaction_store.rs)
 */
function replaces({ raw: before }: Signed, { raw: next }: Signed): boolean {
  if (hexOf(before.payload) !== hexOf(next.payload)) throw invalidUpdate("a different payload");
  if (before.expiration_timestamp_secs !== next.expiration_timestamp_secs) {
    throw invalidUpdate("a different expiration timestamp");
  }
  if (before.max_gas_amount !== next.max_gas_amount) throw invalidUpdate("a different max gas amount");
  if (before.gas_unit_price > next.gas_unit_price) throw invalidUpdate("a higher gas price");
  return before.gas_unit_price < next.gas_unit_price;
}

function hexOf(payload: Signed["raw"]["payload"]): string {
  return payload.bcsToHex().toString();
}

function invalidUpdate(what: string): ApiError {
  return new ApiError(400, "invalid_transaction_update", `Transaction already in mempool with ${what}`);
}

function countOf(sql: Sql, sender: Address): number {
  const query = (table: string) => sql.exec(`SELECT COUNT(*) AS waiting FROM ${table} WHERE sender = ?`, sender);
  return TABLES.flatMap(query).reduce((sum, row) => sum + numberColumn(row, "waiting"), 0);
}

function requireRoom(sql: Sql, sender: Address): void {
  const count = countOf(sql, sender);
  if (count < CAPACITY_PER_ACCOUNT) return;
  const message =
    `Mempool over capacity for account. Number of transactions from account: ${count} ` +
    `Capacity per account: ${CAPACITY_PER_ACCOUNT}`;
  throw new ApiError(507, "mempool_is_full", message);
}
