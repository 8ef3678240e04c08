import { numberColumn, type Sql } from "../sql.ts";
import { fundsAsOf } from "./fund-store.ts";
import { OBJECT_COLUMNS, objectFromRow } from "./object-rows.ts";
import { type ChainObject, coinBalance, coinTypeOf } from "./objects.ts";
import { type CoinTypeBalance, negativeBalance, type ObjectStore, type OwnedObjectCursor, typeRange } from "./store.ts";

const LATEST_WRITTEN = `SELECT ${OBJECT_COLUMNS}, v.replaced_in FROM object_versions v
  WHERE v.id = ? AND v.written_in <= ? ORDER BY v.version DESC LIMIT 1`;

const VERSION_WRITTEN = `SELECT ${OBJECT_COLUMNS} FROM object_versions v
  WHERE v.id = ? AND v.version = ? AND v.written_in <= ?`;

const OWNED = `SELECT ${OBJECT_COLUMNS} FROM object_versions v
  WHERE v.owner_address = ? AND v.owner_kind <> 'object' AND v.replaced_in > ? AND v.written_in <= ?`;

/**
 * The store as it was after a checkpoint, which is what a node shows whose index is behind. An owner's objects are all
 * read and sorted here: enough for tests, not for load.
 */
export function storeAsOf(sql: Sql, store: ObjectStore, checkpoint: bigint): ObjectStore {
  const at = Number(checkpoint);

  function owned(owner: string): ChainObject[] {
    return sql.exec(OWNED, owner, at, at).map(objectFromRow);
  }

  function coinBalances(owner: string): CoinTypeBalance[] {
    const balances = new Map<string, bigint>();
    for (const { type, contents } of owned(owner)) {
      const coinType = coinTypeOf(type);
      if (coinType !== undefined) balances.set(coinType, (balances.get(coinType) ?? 0n) + coinBalance(contents));
    }
    return [...balances].map(([coinType, balanceMist]) => ({ coinType, balanceMist }));
  }

  return {
    ...store,
    funds: fundsAsOf(sql, at),

    liveObject(id) {
      const [row] = sql.exec(LATEST_WRITTEN, id, at);
      return row && numberColumn(row, "replaced_in") > at ? objectFromRow(row) : undefined;
    },

    objectAtVersion(id, version) {
      if (version > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
      const [row] = sql.exec(VERSION_WRITTEN, id, Number(version), at);
      return row && objectFromRow(row);
    },

    ownedObjects(owner, filter, after, limit) {
      const { exact, firstInstance, last } = typeRange(filter);
      const listed = owned(owner)
        .filter(({ type }) => type <= last && (type === exact || type >= firstInstance))
        .map((object) => ({ object, place: placeOf(object) }))
        .filter(({ place }) => after === undefined || comparePlaces(place, after) > 0)
        .sort((one, other) => comparePlaces(one.place, other.place));
      const page = listed.slice(0, limit);
      return {
        objects: page.map(({ object }) => object),
        next: listed.length > limit ? page.at(-1)?.place : undefined,
      };
    },

    coinBalance: (owner, coinType) =>
      coinBalances(owner).find((balance) => balance.coinType === coinType)?.balanceMist ?? 0n,

    coinBalances: (owner, afterCoinType, limit) =>
      coinBalances(owner)
        .filter(({ coinType }) => afterCoinType === undefined || coinType > afterCoinType)
        .sort((one, other) => compare(one.coinType, other.coinType))
        .slice(0, limit),
  };
}

function placeOf(object: ChainObject): OwnedObjectCursor {
  return { type: object.type, negativeBalance: negativeBalance(object), id: object.id };
}

function comparePlaces(one: OwnedObjectCursor, other: OwnedObjectCursor): number {
  return (
    compare(one.type, other.type) ||
    compare(BigInt(one.negativeBalance), BigInt(other.negativeBalance)) ||
    compare(one.id, other.id)
  );
}

function compare<Value extends string | bigint>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
