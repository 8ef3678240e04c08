import { fromBase64, toBase64 } from "../../crypto/base64.ts";

/** A stored value as JSON. SQLite knows no other kinds. An integer is one that JavaScript holds exactly. */
export type Cell = null | number | string | { readonly blob: string };

/** Rows of one table, each in the order of `columns`. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The place from which a reading continues: the key of the last row that was read, or null for a whole table. */
export interface TablePosition {
  readonly table: string;
  readonly key: readonly Cell[] | null;
}

/** Some rows of an object's storage, and the place of the next ones. Null after the last row. */
export interface TablesPart {
  readonly tables: readonly TableRows[];
  readonly next: TablePosition | null;
}

/** SQLite's own counters of AUTOINCREMENT. Without them, numbers of deleted rows would be used again. */
const SEQUENCES = "sqlite_sequence";
const ROWID = "rowid";
const CELL_OVERHEAD_BYTES = 4;

interface Table {
  readonly name: string;
  /** Columns to copy. `rowid` is among them if a table numbers its rows beside its own columns. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Lists the tables by name, without those of the platform, and without the names of `local`. */
function tablesOf(sql: SqlStorage, local: ReadonlySet<string>): readonly Table[] {
  const listed = sql
    .exec<{ name: string; wr: number }>(
      "SELECT name, wr FROM pragma_table_list WHERE type = 'table' AND schema = 'main' ORDER BY name",
    )
    .toArray();
  return listed
    .filter(({ name }) => name === SEQUENCES || !(name.startsWith("sqlite_") || name.startsWith("_cf_")))
    .filter(({ name }) => !local.has(name))
    .map(({ name, wr }) => describeTable(sql, name, wr === 1));
}

function describeTable(sql: SqlStorage, name: string, isWithoutRowid: boolean): Table {
  const columns = sql
    .exec<{ name: string; type: string; pk: number }>("SELECT name, type, pk FROM pragma_table_info(?)", name)
    .toArray();
  const names = columns.map((column) => column.name);
  const primary = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  const [first, ...others] = primary;
  // This table of SQLite has neither a primary key nor two rows of one name.
  if (name === SEQUENCES) return { name, columns: names, key: ["name"] };
  if (isWithoutRowid) return { name, columns: names, key: primary.map((column) => column.name) };
  // An INTEGER PRIMARY KEY is the rowid itself (https://www.sqlite.org/lang_createtable.html#rowid).
  const isRowid = first !== undefined && others.length === 0 && first.type === "INTEGER";
  return { name, columns: isRowid ? names : [ROWID, ...names], key: [isRowid ? first.name : ROWID] };
}

function cellOf(value: SqlStorageValue): Cell {
  return value instanceof ArrayBuffer ? { blob: toBase64(new Uint8Array(value)) } : value;
}

function storedOf(cell: Cell): SqlStorageValue {
  if (typeof cell !== "object" || cell === null) return cell;
  const bytes = fromBase64(cell.blob);
  if (bytes === null) throw new Error("a stored value is not base64");
  return new Uint8Array(bytes).buffer;
}

function sizeOf(cell: Cell): number {
  const text = typeof cell === "object" && cell !== null ? cell.blob : cell;
  return CELL_OVERHEAD_BYTES + (typeof text === "string" ? text.length : 0);
}

/**
 * Reads an object's rows, table by table, from a place on. A part ends with the row that reaches `maxBytes`.
 * Nothing may write between two parts.
 *
 * @param local tables that belong to this place alone.
 */
export function readTables(
  sql: SqlStorage,
  local: ReadonlySet<string>,
  from: TablePosition | null,
  maxBytes: number,
): TablesPart {
  const parts: TableRows[] = [];
  let bytes = 0;
  for (const table of tablesOf(sql, local)) {
    if (from !== null && table.name < from.table) continue;
    const after = table.name === from?.table ? from.key : null;
    const rows: (readonly Cell[])[] = [];
    for (const row of selectAfter(sql, table, after)) {
      const cells = row.map(cellOf);
      rows.push(cells);
      for (const cell of cells) bytes += sizeOf(cell);
      if (bytes < maxBytes) continue;
      const key = table.key.map((column) => cells[table.columns.indexOf(column)] ?? null);
      return { tables: [...parts, rowsOf(table, rows)], next: { table: table.name, key } };
    }
    if (rows.length > 0) parts.push(rowsOf(table, rows));
  }
  return { tables: parts, next: null };
}

function rowsOf({ name, columns }: Table, rows: readonly (readonly Cell[])[]): TableRows {
  return { table: name, columns, rows };
}

function selectAfter(
  sql: SqlStorage,
  { name, columns, key }: Table,
  after: readonly Cell[] | null,
): Iterable<SqlStorageValue[]> {
  const by = key.map(quoted).join(", ");
  const where = after === null ? "" : `WHERE (${by}) > (${key.map(() => "?").join(", ")})`;
  const query = `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(name)} ${where} ORDER BY ${by}`;
  return sql.exec(query, ...(after ?? []).map(storedOf)).raw();
}

/**
 * Writes rows that `readTables` has read, over rows with the same keys. Call it within a commit. No trigger runs,
 * because each row that a trigger would write is among the rows.
 *
 * @param isFirst empties every table before.
 * @throws Error if the tables or columns are not those of this object's schema.
 */
export function writeTables(
  sql: SqlStorage,
  local: ReadonlySet<string>,
  parts: readonly TableRows[],
  isFirst: boolean,
): void {
  const known = new Map(tablesOf(sql, local).map((table) => [table.name, table]));
  const triggers = sql
    .exec<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .toArray();
  for (const { name } of triggers) sql.exec(`DROP TRIGGER ${quoted(name)}`);
  if (isFirst) for (const name of known.keys()) sql.exec(`DELETE FROM ${quoted(name)}`);
  for (const { table, columns, rows } of parts) {
    if (known.get(table)?.columns.join() !== columns.join()) throw new Error(`${table}: not a table of this schema`);
    const places = columns.map(() => "?").join(", ");
    const insert = `INSERT OR REPLACE INTO ${quoted(table)} (${columns.map(quoted).join(", ")}) VALUES (${places})`;
    for (const row of rows) {
      if (table === SEQUENCES) sql.exec(`DELETE FROM ${SEQUENCES} WHERE name = ?`, row.map(storedOf)[0]);
      sql.exec(insert, ...row.map(storedOf));
    }
  }
  for (const trigger of triggers) sql.exec(trigger.sql);
}
