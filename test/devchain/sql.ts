/** A value as it is bound. Integers beyond 2^53 are bound as decimal text, which an INTEGER column takes exactly. */
export type SqlBinding = string | number | null | Uint8Array;

/** A value as it is read: integers beyond 2^53 must be selected as `CAST(… AS TEXT)`. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array;

export type SqlRow = Record<string, SqlValue>;

/**
 * The little of SQLite that the chain needs, so that it runs on a Durable Object's storage
 * and, in tests, on `node:sqlite`.
 */
export interface Sql {
  /** Runs one statement and returns all its rows. */
  exec(query: string, ...bindings: SqlBinding[]): SqlRow[];
  /** Runs `body` in one transaction; whatever it throws undoes all its writes. */
  transaction<Result>(body: () => Result): Result;
}

export function durableObjectSql(storage: DurableObjectStorage): Sql {
  return {
    exec: (query, ...bindings) => storage.sql.exec(query, ...bindings).toArray(),
    transaction: (body) => storage.transactionSync(body),
  };
}

/**
 * Wraps a storage so that it can be closed for good: afterwards every use throws what `closed` gives. Whoever still
 * holds it can then write nothing into what the storage is used for next.
 */
export function closable(sql: Sql, closed: () => Error): { readonly sql: Sql; close(): void } {
  let open = true;
  const whileOpen = () => {
    if (!open) throw closed();
    return sql;
  };
  return {
    sql: {
      exec: (query, ...bindings) => whileOpen().exec(query, ...bindings),
      transaction: (body) => whileOpen().transaction(body),
    },
    close() {
      open = false;
    },
  };
}

/** Removes every table; the runtime's own ones are not to be touched. */
export function dropTables(sql: Sql): void {
  const tables = sql
    .exec("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .map((row) => textColumn(row, "name"))
    .filter((name) => !name.startsWith("sqlite_") && !name.startsWith("_cf_"));
  sql.transaction(() => {
    for (const name of tables) sql.exec(`DROP TABLE "${name}"`);
  });
}

export function textColumn(row: SqlRow, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw new Error(`column ${name} is not text`);
  return value;
}

export function numberColumn(row: SqlRow, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw new Error(`column ${name} is not a number`);
  return value;
}

export function bytesColumn(row: SqlRow, name: string): Uint8Array {
  const value = row[name];
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new Error(`column ${name} is not a blob`);
}
