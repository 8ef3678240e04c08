import { Buffer } from "node:buffer";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import * as z from "zod";

/** The platform's own tables, and those that SQLite makes by itself. */
const FOREIGN = /^(_cf_|sqlite_)/;

const schemaRows = z.array(
  z.object({ type: z.enum(["table", "index", "trigger"]), name: z.string(), sql: z.string().nullable() }),
);

function literal(value: SQLOutputValue): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return String(value);
}

function insertsOf(database: DatabaseSync, table: string): readonly string[] {
  return database
    .prepare(`SELECT * FROM ${table}`)
    .all()
    .map((row) => {
      const columns = Object.keys(row).join(", ");
      return `INSERT INTO ${table} (${columns}) VALUES (${Object.values(row).map(literal).join(", ")});`;
    });
}

/**
 * An object's storage as SQL text that makes it again: tables, their rows in the order of their row ids, indexes, and
 * triggers last, because some of them forbid changes.
 */
export function dumpSql(database: DatabaseSync): string {
  const schema = schemaRows
    .parse(database.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").all())
    .filter(({ name }) => !FOREIGN.test(name));
  const statements = (type: "table" | "index" | "trigger") =>
    schema.flatMap((entry) => (entry.type === type && entry.sql !== null ? [`${entry.sql};`] : []));
  const tables = schema.filter(({ type }) => type === "table");
  const inserts = tables.flatMap(({ name }) => insertsOf(database, name));
  return [...statements("table"), ...inserts, ...statements("index"), ...statements("trigger"), ""].join("\n");
}
