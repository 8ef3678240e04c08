import { DatabaseSync } from "node:sqlite";
import type { Sql, SqlRow } from "./sql.ts";

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
        .map(sqlRow);
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

type NodeRow = ReturnType<ReturnType<DatabaseSync["prepare"]>["all"]>[number];

function isSqlRow(row: NodeRow): row is Record<string, Exclude<NodeRow[string], bigint>> {
  for (const name in row) if (typeof row[name] === "bigint") return false;
  return true;
}

/** Gives the row itself: a copy of each would take a tenth of the time of a long test. */
function sqlRow(row: NodeRow): SqlRow {
  if (!isSqlRow(row)) throw new Error("a row with a bigint, which nobody has asked for");
  return row;
}
