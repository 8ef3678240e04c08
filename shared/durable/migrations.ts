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

/** The schema that the first migrations end with, as one script. A new object runs it in a tenth of the time. */
export interface Consolidated {
  readonly version: number;
  readonly script: string;
}

/** The options of `migrate` beside the migrations. */
export interface MigrateOptions {
  /** A new object begins with it, and runs the later migrations only. If absent, it runs all. */
  readonly consolidated?: Consolidated;
  /** Runs after the newest version, in the same transaction. It decides what SQL alone cannot. */
  readonly finish?: (sql: SqlStorage) => void;
}

/**
 * Brings an object's SQLite schema to its newest version. The list is append-only. A landed migration is never edited,
 * because deployed objects have run it. It runs in the constructor, so no request sees an old schema.
 */
export function migrate(
  storage: DurableObjectStorage,
  migrations: readonly string[],
  { consolidated, finish = () => {} }: MigrateOptions = {},
): void {
  const { sql } = storage;
  const isNew = !isStored(storage);
  const from = isNew ? 0 : schemaVersionOf(sql);
  if (from > migrations.length) throw new Error(newerStateText(from, migrations.length));
  if (from === migrations.length) return;
  const start = isNew ? consolidated : undefined;
  storage.transactionSync(() => {
    sql.exec(SCHEMA_VERSION);
    if (start !== undefined) sql.exec(start.script);
    for (const migration of migrations.slice(start?.version ?? from)) sql.exec(migration);
    finish(sql);
    sql.exec("INSERT INTO schema_version (version) VALUES (?)", migrations.length);
  });
}
