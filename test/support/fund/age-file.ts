import { DatabaseSync } from "node:sqlite";
import { type Ask, definitionsOfVersion5, type Ended, turnIntoVersion5 } from "./version-5.ts";

function askOf(database: DatabaseSync): Ask {
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return (query, ...bindings) => {
    const statement = statements.get(query) ?? database.prepare(query);
    statements.set(query, statement);
    return statement
      .all(...bindings)
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
        ),
      );
  };
}

/** Turns the file of a fund into that of version 5, with many ended rows. The service has to be down. */
export function ageFile(path: string, ended: Ended): void {
  const memory = new DatabaseSync(":memory:");
  const definitions = definitionsOfVersion5(askOf(memory));
  memory.close();
  const database = new DatabaseSync(path);
  database.exec("BEGIN");
  turnIntoVersion5(askOf(database), definitions, ended);
  database.exec("COMMIT");
  database.close();
}
