/** `replaced_in` of a version that is live: no checkpoint comes after it. */
export const STILL_LIVE = Number.MAX_SAFE_INTEGER;

/**
 * Tables of objects and transactions. `object_versions` keeps every version, with the checkpoint that wrote it and the
 * one that replaced or deleted it; `live_objects` names the current one of each object that exists, with what owned
 * objects are looked up and sorted by.
 */
export const STORE_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS object_versions (
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    digest TEXT NOT NULL,
    owner_kind TEXT NOT NULL,
    owner_address TEXT,
    initial_shared_version INTEGER,
    type TEXT NOT NULL,
    has_public_transfer INTEGER NOT NULL,
    contents BLOB NOT NULL,
    previous_transaction TEXT NOT NULL,
    storage_rebate INTEGER NOT NULL,
    written_in INTEGER NOT NULL,
    replaced_in INTEGER NOT NULL,
    PRIMARY KEY (id, version)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS object_versions_by_owner
    ON object_versions (owner_address, replaced_in) WHERE owner_address IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS live_objects (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    owner_address TEXT,
    type TEXT NOT NULL,
    negative_balance INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS live_objects_by_owner
    ON live_objects (owner_address, type, negative_balance, id, version) WHERE owner_address IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS transactions (
    digest TEXT PRIMARY KEY,
    bytes BLOB NOT NULL,
    signatures TEXT NOT NULL,
    executed BLOB NOT NULL
  ) WITHOUT ROWID`,
] as const;
