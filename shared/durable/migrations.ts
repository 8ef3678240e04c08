import { newerStateText } from "../directory/newer-state.ts";

const SCHEMA_VERSION = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)";

/** Returns true if anything was ever stored here. It does not write, as creating a table would. */
export function isStored({ sql }: DurableObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").toArray().length > 0;
}

function schemaVersionOf(sql: SqlStorage): number {
  return sql.exec<{ version: number | null }>("SELECT MAX(version) AS version FROM schema_version").one().version ?? 0;
}

/**
 * Creates the newest schema in an object that has stored nothing.
 *
 * @param schema creates what the migrations up to this version end with, and nothing that they have dropped.
 */
export function createNewestSchema(storage: DurableObjectStorage, schema: string, version: number): void {
  storage.transactionSync(() => {
    storage.sql.exec(`${SCHEMA_VERSION};${schema}`);
    storage.sql.exec("INSERT INTO schema_version (version) VALUES (?)", version);
  });
}

/**
 * Brings an object's SQLite schema to its newest version. The list is append-only. A landed migration is never edited,
 * because deployed objects have run it. It runs in the constructor, so no request sees an old schema.
 *
 * @param finish runs after the newest version, in the same transaction. It decides what SQL alone cannot.
 */
export function migrate(
  storage: DurableObjectStorage,
  migrations: readonly string[],
  finish: (sql: SqlStorage) => void = () => {},
): void {
  const { sql } = storage;
  const from = isStored(storage) ? schemaVersionOf(sql) : 0;
  if (from > migrations.length) throw new Error(newerStateText(from, migrations.length));
  if (from === migrations.length) return;
  storage.transactionSync(() => {
    sql.exec(SCHEMA_VERSION);
    for (const migration of migrations.slice(from)) sql.exec(migration);
    finish(sql);
    sql.exec("INSERT INTO schema_version (version) VALUES (?)", migrations.length);
  });
}
