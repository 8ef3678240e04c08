import { bytesColumn, type Sql, type SqlRow, textColumn } from "../sql.ts";
import { createFundStore, type FundReads } from "./fund-store.ts";
import type { AccumulatorWrite } from "./funds.ts";
import { OBJECT_COLUMNS, objectFromRow } from "./object-rows.ts";
import {
  type ChainObject,
  coinBalance,
  coinObjectType,
  coinTypeOf,
  consensusStart,
  type Owner,
  ownerAddress,
} from "./objects.ts";
import { STILL_LIVE, STORE_SCHEMA } from "./schema.ts";

/** A place in an owner's objects, which are listed by type, larger coins first, then id. */
export interface OwnedObjectCursor {
  readonly type: string;
  readonly negativeBalance: string;
  readonly id: string;
}

export interface OwnedObjectsPage {
  readonly objects: readonly ChainObject[];
  readonly next: OwnedObjectCursor | undefined;
}

/** A committed transaction. `executed` is the protobuf `ExecutedTransaction` without its `transaction`. */
export interface TransactionRecord {
  readonly digest: string;
  readonly bytes: Uint8Array;
  readonly signatures: readonly string[];
  readonly executed: Uint8Array;
}

export interface ObjectChanges {
  readonly written: readonly ChainObject[];
  /** Objects that were deleted or wrapped. */
  readonly removedIds: readonly string[];
  readonly funds: readonly AccumulatorWrite[];
}

export interface CoinTypeBalance {
  readonly coinType: string;
  readonly balanceMist: bigint;
}

const LIVE_OBJECT = `SELECT ${OBJECT_COLUMNS} FROM live_objects l
  JOIN object_versions v ON v.id = l.id AND v.version = l.version WHERE l.id = ?`;

const OBJECT_AT_VERSION = `SELECT ${OBJECT_COLUMNS} FROM object_versions v WHERE v.id = ? AND v.version = ?`;

const INSERT_VERSION = `INSERT INTO object_versions (id, version, digest, owner_kind, owner_address,
  initial_shared_version, type, has_public_transfer, contents, previous_transaction, storage_rebate,
  written_in, replaced_in) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const END_LIVE_VERSION = `UPDATE object_versions SET replaced_in = ?
  WHERE id = ? AND version = (SELECT version FROM live_objects WHERE id = ?)`;

const UPSERT_LIVE = `INSERT INTO live_objects (id, version, owner_address, type, negative_balance)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, owner_address = excluded.owner_address,
    type = excluded.type, negative_balance = excluded.negative_balance`;

// No CAST around the cursor's balance: with it, SQLite would use only the type of the row value for its index search,
// and every later page of equal types would walk over all earlier ones.
const OWNED_AFTER = `SELECT ${OBJECT_COLUMNS}, CAST(l.negative_balance AS TEXT) AS negative_balance
  FROM live_objects l JOIN object_versions v ON v.id = l.id AND v.version = l.version
  WHERE l.owner_address = ? AND (l.type, l.negative_balance, l.id) > (?, ?, ?)
    AND l.type <= ? AND (l.type = ? OR l.type >= ?)
  ORDER BY l.type, l.negative_balance, l.id LIMIT ?`;

const BALANCE = `SELECT CAST(COALESCE(SUM(-negative_balance), 0) AS TEXT) AS balance
  FROM live_objects WHERE owner_address = ? AND type = ?`;

const BALANCES = `SELECT type, CAST(SUM(-negative_balance) AS TEXT) AS balance FROM live_objects
  WHERE owner_address = ? AND type > ? AND type <= ? GROUP BY type ORDER BY type LIMIT ?`;

/** Sorts after every character that a type can hold. */
const AFTER_ALL_TYPES = "~";
/** Lower than every negated balance: the chain's whole supply is below 2^63. */
const BEFORE_ALL_BALANCES = "-9223372036854775808";

const GENESIS_CHECKPOINT = 0n;

export type ObjectStore = ReturnType<typeof createObjectStore>;

/** Objects and transactions of the chain in SQLite. Everything is read by key or by index range. */
export function createObjectStore(sql: Sql) {
  for (const statement of STORE_SCHEMA) sql.exec(statement);
  const funds = createFundStore(sql);

  function endLiveVersion(id: string, checkpoint: bigint): void {
    sql.exec(END_LIVE_VERSION, Number(checkpoint), id, id);
  }

  function putObject(object: ChainObject, checkpoint: bigint = GENESIS_CHECKPOINT): void {
    endLiveVersion(object.id, checkpoint);
    sql.exec(
      INSERT_VERSION,
      object.id,
      Number(object.version),
      object.digest,
      object.owner.kind,
      object.owner.kind === "object" ? object.owner.parent : (ownerAddress(object.owner) ?? null),
      startVersion(object.owner),
      object.type,
      object.hasPublicTransfer ? 1 : 0,
      object.contents,
      object.previousTransaction,
      Number(object.storageRebate),
      Number(checkpoint),
      STILL_LIVE,
    );
    sql.exec(
      UPSERT_LIVE,
      object.id,
      Number(object.version),
      ownerAddress(object.owner) ?? null,
      object.type,
      negativeBalance(object),
    );
  }

  const fundReads: FundReads = funds;

  return {
    /** What addresses hold outside of objects. */
    funds: fundReads,

    /** The object as it is now, or undefined when it was never created or is deleted. */
    liveObject(id: string): ChainObject | undefined {
      const [row] = sql.exec(LIVE_OBJECT, id);
      return row && objectFromRow(row);
    },

    objectAtVersion(id: string, version: bigint): ChainObject | undefined {
      if (version > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
      const [row] = sql.exec(OBJECT_AT_VERSION, id, Number(version));
      return row && objectFromRow(row);
    },

    /**
     * A page of an address's objects. `filter` is a canonical type: with type arguments it matches exactly,
     * a generic type without them matches all its instances, as the node's filter does.
     */
    ownedObjects(
      owner: string,
      filter: string | undefined,
      after: OwnedObjectCursor | undefined,
      limit: number,
    ): OwnedObjectsPage {
      const { exact, firstInstance, last: highest } = typeRange(filter);
      const start = after ?? { type: exact, negativeBalance: BEFORE_ALL_BALANCES, id: "" };
      const rows = sql.exec(
        OWNED_AFTER,
        owner,
        start.type,
        start.negativeBalance,
        start.id,
        highest,
        exact,
        firstInstance,
        limit + 1,
      );
      const kept = rows.slice(0, limit);
      const last = kept.at(-1);
      const next = rows.length > limit && last !== undefined ? cursorOf(last) : undefined;
      return { objects: kept.map(objectFromRow), next };
    },

    /** The sum of an address's coins of one type, in that coin's smallest unit. */
    coinBalance(owner: string, coinType: string): bigint {
      const [row] = sql.exec(BALANCE, owner, coinObjectType(coinType));
      return row === undefined ? 0n : BigInt(textColumn(row, "balance"));
    },

    coinBalances(owner: string, afterCoinType: string | undefined, limit: number): CoinTypeBalance[] {
      const after = coinObjectType(afterCoinType ?? "").slice(0, afterCoinType === undefined ? -1 : undefined);
      return sql.exec(BALANCES, owner, after, coinObjectType(AFTER_ALL_TYPES), limit).map((row) => ({
        coinType: coinTypeOf(textColumn(row, "type")) ?? "",
        balanceMist: BigInt(textColumn(row, "balance")),
      }));
    },

    putObject,

    /** Writes what a transaction in this checkpoint changed. */
    applyChanges({ written, removedIds, funds: writes }: ObjectChanges, checkpoint: bigint): void {
      for (const object of written) putObject(object, checkpoint);
      for (const id of removedIds) {
        endLiveVersion(id, checkpoint);
        sql.exec("DELETE FROM live_objects WHERE id = ?", id);
      }
      funds.apply(writes, checkpoint);
    },

    transaction(digest: string): TransactionRecord | undefined {
      const [row] = sql.exec("SELECT digest, bytes, signatures, executed FROM transactions WHERE digest = ?", digest);
      return row && transactionFromRow(row);
    },

    /** All of them, by digest. */
    transactions: (): readonly TransactionRecord[] =>
      sql.exec("SELECT digest, bytes, signatures, executed FROM transactions ORDER BY digest").map(transactionFromRow),

    putTransaction({ digest, bytes, signatures, executed }: TransactionRecord): void {
      sql.exec(
        "INSERT INTO transactions (digest, bytes, signatures, executed) VALUES (?, ?, ?, ?)",
        digest,
        bytes,
        signatures.join(" "),
        executed,
      );
    },
  };
}

function transactionFromRow(row: SqlRow): TransactionRecord {
  return {
    digest: textColumn(row, "digest"),
    bytes: bytesColumn(row, "bytes"),
    signatures: textColumn(row, "signatures").split(" ").filter(Boolean),
    executed: bytesColumn(row, "executed"),
  };
}

/** What sorts larger coins first; 0 for what is no coin. */
export function negativeBalance(object: ChainObject): string {
  return coinTypeOf(object.type) === undefined ? "0" : String(-coinBalance(object.contents));
}

/** A filter matches the type itself and everything from its first instance to the last type of the range. */
export function typeRange(filter: string | undefined): { exact: string; firstInstance: string; last: string } {
  if (filter === undefined) return { exact: "", firstInstance: "", last: AFTER_ALL_TYPES };
  if (filter.includes("<")) return { exact: filter, firstInstance: filter, last: filter };
  return { exact: filter, firstInstance: `${filter}<`, last: `${filter}<${AFTER_ALL_TYPES}` };
}

function cursorOf(row: SqlRow): OwnedObjectCursor {
  return {
    type: textColumn(row, "type"),
    negativeBalance: textColumn(row, "negative_balance"),
    id: textColumn(row, "id"),
  };
}

function startVersion(owner: Owner): number | null {
  const start = consensusStart(owner);
  return start === undefined ? null : Number(start);
}
