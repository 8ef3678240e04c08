/** A part of a WHERE clause. Its text is a constant of the code. Values from outside are bindings. */
export interface Condition {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** A condition that no row meets. */
export const NO_ROW: Condition = { sql: "FALSE", bindings: [] };

/** The span of time in which a row was made. Null means no bound. The first time counts, the last one does not. */
export interface TimeSpan {
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** The distance by which rows may lie outside the order of their times. If absent, `DISORDER_MS`. */
  readonly disorderMs?: number;
}

/** A span of time, and the column or the expression of the time. */
export interface ColumnSpan extends TimeSpan {
  readonly column: string;
}

/** A table whose rows have growing numbers. */
export interface NumberedTable {
  readonly name: string;
  /** The column of the numbers. An index must begin with it, after the columns of `within`. */
  readonly number: string;
  /** A condition that an index serves together with the number. If absent, the number alone. */
  readonly within?: Condition;
}

/** The rows to read: those below a number, highest first, or those above a number, lowest first. */
export interface ScanStart {
  readonly order: "highest first" | "lowest first";
  /** The number before the first row to examine. */
  readonly beyond: number;
  /** The most rows to return. */
  readonly limit: number;
  /** The most rows to examine. */
  readonly examine: number;
}

/** A part of a table's rows. Each row up to `reached` was examined. Null if each row of the table was. */
export interface Scanned<Row> {
  readonly rows: readonly Row[];
  readonly reached: number | null;
}

/** A clock may step back. A row may also get a later time while it lives. Neither exceeds a day. */
export const DISORDER_MS = 86_400_000;

/** The signs of rows that are beyond a number and of those up to it, and the direction of reading. */
const SIGNS = { "highest first": ["<", ">=", "DESC"], "lowest first": [">", "<=", "ASC"] } as const;

/**
 * Reads the rows that meet all conditions. It examines a bounded number of rows, so it may return none although later
 * ones fit.
 *
 * @param columns the columns to read. One of them is named as `table.number`.
 * @param span bounds the time. The numbers outside are skipped, at the cost of some look-ups. Rows have to be in the
 *   order of this time, up to `DISORDER_MS`. Null: no bounds.
 */
export function scan<Row extends Record<string, SqlStorageValue>>(
  sql: SqlStorage,
  columns: string,
  table: NumberedTable,
  where: readonly Condition[],
  span: ColumnSpan | null,
  start: ScanStart,
): Scanned<Row> {
  const part = partOf(sql, table, span, start);
  const [, , direction] = SIGNS[start.order];
  const all = [part.condition, ...where, ...(span === null ? [] : spanConditions(span))];
  const rows = sql
    .exec<Row>(
      `SELECT ${columns} FROM ${table.name} WHERE ${textOf(all)} ORDER BY ${table.number} ${direction} LIMIT ?`,
      ...all.flatMap(({ bindings }) => bindings),
      start.limit,
    )
    .toArray();
  const last = rows.length === start.limit ? rows.at(-1)?.[table.number] : part.reached;
  return { rows, reached: typeof last === "number" ? last : null };
}

/** A part of a table: the numbers that a scan examines. */
export interface Part {
  readonly condition: Condition;
  /** The number of the last row in it. Null if no row is beyond it. */
  readonly reached: number | null;
}

/** Returns the numbers that a scan examines, as a condition. */
export function partOf(sql: SqlStorage, table: NumberedTable, span: ColumnSpan | null, start: ScanStart): Part {
  const { order, examine } = start;
  const [beyondSign, untilSign, direction] = SIGNS[order];
  const [first, end] = boundsOf(sql, table, span);
  const isDown = order === "highest first";
  const beyond = isDown ? Math.min(start.beyond, end ?? start.beyond) : Math.max(start.beyond, (first ?? 0) - 1);
  const bound = isDown ? first : end;
  const inSpan: Condition[] = [
    ...(table.within ? [table.within] : []),
    { sql: `${table.number} ${beyondSign} ?`, bindings: [beyond] },
    ...(bound === null ? [] : [{ sql: `${table.number} ${isDown ? ">=" : "<"} ?`, bindings: [bound] }]),
  ];
  const [last] = sql
    .exec<{ number: number }>(
      `SELECT ${table.number} AS number FROM ${table.name} WHERE ${textOf(inSpan)}
       ORDER BY ${table.number} ${direction} LIMIT 1 OFFSET ?`,
      ...inSpan.flatMap(({ bindings }) => bindings),
      examine - 1,
    )
    .toArray();
  const upTo = last === undefined ? [] : [{ sql: `${table.number} ${untilSign} ?`, bindings: [last.number] }];
  const parts = [...inSpan, ...upTo];
  return {
    condition: { sql: textOf(parts), bindings: parts.flatMap(({ bindings }) => bindings) },
    reached: last?.number ?? null,
  };
}

/** Returns the first number in a span of time, and the first one beyond it. Null means no bound. */
function boundsOf(
  sql: SqlStorage,
  table: NumberedTable,
  span: ColumnSpan | null,
): readonly [number | null, number | null] {
  if (span === null) return [null, null];
  const { column, fromMs, toMs, disorderMs = DISORDER_MS } = span;
  return [
    fromMs === null ? null : firstNumberFrom(sql, table, column, fromMs - disorderMs),
    toMs === null ? null : firstNumberFrom(sql, table, column, toMs + disorderMs),
  ];
}

/** Returns the exact conditions of a span of time. */
export function spanConditions({ column, fromMs, toMs }: ColumnSpan): readonly Condition[] {
  return [
    ...(fromMs === null ? [] : [{ sql: `${column} >= ?`, bindings: [fromMs] }]),
    ...(toMs === null ? [] : [{ sql: `${column} < ?`, bindings: [toMs] }]),
  ];
}

/** Joins conditions by AND. */
export function textOf(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? "TRUE" : conditions.map(({ sql }) => `(${sql})`).join(" AND ");
}

/** Finds, by halving, the lowest number from which on rows are of this time or later. */
function firstNumberFrom(sql: SqlStorage, { name, number }: NumberedTable, time: string, atMs: number): number {
  const [newest] = sql
    .exec<{ number: number }>(`SELECT ${number} AS number FROM ${name} ORDER BY ${number} DESC LIMIT 1`)
    .toArray();
  let low = 0;
  let high = (newest?.number ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = sql
      .exec<{ number: number; time: number }>(
        `SELECT ${number} AS number, ${time} AS time FROM ${name} WHERE ${number} >= ? ORDER BY ${number} LIMIT 1`,
        middle,
      )
      .toArray();
    if (row === undefined || row.time >= atMs) high = middle;
    else low = row.number + 1;
  }
  return low;
}
