import { Buffer } from "node:buffer";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import * as z from "zod";

/** The platform's own tables, and those that SQLite makes by itself. */
const FOREIGN = /^(_cf_|sqlite_)/;

const schemaRows = z.array(
  z.object({ type: z.enum(["table", "index", "trigger"]), name: z.string(), sql: z.string().nullable() }),
);

type Value = SQLOutputValue | ArrayBuffer;

/** Reads all rows of a query. */
type ReadRows = (query: string) => readonly Readonly<Record<string, Value>>[];

function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof ArrayBuffer) return literal(new Uint8Array(value));
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return String(value);
}

function insertsOf(read: ReadRows, table: string): readonly string[] {
  return read(`SELECT * FROM ${table}`).map((row) => {
    const columns = Object.keys(row).join(", ");
    return `INSERT INTO ${table} (${columns}) VALUES (${Object.values(row).map(literal).join(", ")});`;
  });
}

/**
 * An object's storage as SQL text that makes it again: tables, their rows in the order of their row ids, indexes, and
 * triggers last, because some of them forbid changes.
 */
export function dumpSql(database: DatabaseSync): string {
  return dumpRows((query) => database.prepare(query).all());
}

/** As `dumpSql`, for storage that is read by queries alone. */
export function dumpRows(read: ReadRows): string {
  const schema = schemaRows
    .parse(read("SELECT type, name, sql FROM sqlite_master ORDER BY rowid"))
    .filter(({ name }) => !FOREIGN.test(name));
  const statements = (type: "table" | "index" | "trigger") =>
    schema.flatMap((entry) => (entry.type === type && entry.sql !== null ? [`${entry.sql};`] : []));
  const tables = schema.filter(({ type }) => type === "table");
  const inserts = tables.flatMap(({ name }) => insertsOf(read, name));
  return [...statements("table"), ...inserts, ...statements("index"), ...statements("trigger"), ""].join("\n");
}
