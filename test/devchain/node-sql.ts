import { DatabaseSync } from "node:sqlite";
import type { Sql } from "./sql.ts";

/** The chain's storage on Node, for tests: a file, or a database in memory when no path is given. */
export function nodeSql(path = ":memory:"): Sql {
  const database = new DatabaseSync(path);
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();

  function statement(query: string) {
    const known = statements.get(query);
    if (known) return known;
    const prepared = database.prepare(query);
    statements.set(query, prepared);
    return prepared;
  }

  return {
    exec(query, ...bindings) {
      return statement(query)
        .all(...bindings)
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
          ),
        );
    },
    transaction(body) {
      database.exec("BEGIN");
      try {
        const result = body();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}
