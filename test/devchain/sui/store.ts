import { bytesColumn, numberColumn, type Sql, type SqlRow, textColumn } from "../sql.ts";
import { type ChainObject, coinBalance, coinObjectType, coinTypeOf, type Owner } from "./objects.ts";
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
  readonly deletedIds: readonly string[];
}

export interface CoinTypeBalance {
  readonly coinType: string;
  readonly balanceMist: bigint;
}

/** The columns that {@link objectFromRow} reads, of `object_versions v`. */
export const OBJECT_COLUMNS = `v.id, v.version, v.digest, v.owner_kind, v.owner_address, v.initial_shared_version, v.type,
  v.has_public_transfer, v.contents, v.previous_transaction, v.storage_rebate`;

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
      object.owner.kind === "address" ? object.owner.address : null,
      object.owner.kind === "shared" ? Number(object.owner.initialSharedVersion) : null,
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
      object.owner.kind === "address" ? object.owner.address : null,
      object.type,
      negativeBalance(object),
    );
  }

  return {
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
    applyChanges({ written, deletedIds }: ObjectChanges, checkpoint: bigint): void {
      for (const object of written) putObject(object, checkpoint);
      for (const id of deletedIds) {
        endLiveVersion(id, checkpoint);
        sql.exec("DELETE FROM live_objects WHERE id = ?", id);
      }
    },

    transaction(digest: string): TransactionRecord | undefined {
      const [row] = sql.exec("SELECT digest, bytes, signatures, executed FROM transactions WHERE digest = ?", digest);
      if (row === undefined) return undefined;
      return {
        digest,
        bytes: bytesColumn(row, "bytes"),
        signatures: textColumn(row, "signatures").split(" ").filter(Boolean),
        executed: bytesColumn(row, "executed"),
      };
    },

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

export function objectFromRow(row: SqlRow): ChainObject {
  return {
    id: textColumn(row, "id"),
    version: BigInt(numberColumn(row, "version")),
    digest: textColumn(row, "digest"),
    owner: ownerFromRow(row),
    type: textColumn(row, "type"),
    hasPublicTransfer: numberColumn(row, "has_public_transfer") === 1,
    contents: bytesColumn(row, "contents"),
    previousTransaction: textColumn(row, "previous_transaction"),
    storageRebate: BigInt(numberColumn(row, "storage_rebate")),
  };
}

function ownerFromRow(row: SqlRow): Owner {
  const kind = textColumn(row, "owner_kind");
  if (kind === "address") return { kind, address: textColumn(row, "owner_address") };
  if (kind === "shared") return { kind, initialSharedVersion: BigInt(numberColumn(row, "initial_shared_version")) };
  return { kind: "immutable" };
}
