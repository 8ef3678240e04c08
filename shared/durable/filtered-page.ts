import type { FilteredPage, PageRequest } from "../paging.ts";
import { type Condition, type NumberedTable, type ScanStart, scan, spanConditions, type TimeSpan } from "./scan.ts";

/** The rows that a filtered page examines. */
const EXAMINED = 10_000;

/** The table of a filtered list, and the rows of it that are listed. */
export interface FilteredTable extends NumberedTable {
  readonly order: ScanStart["order"];
  /** The column of the time. Times need not follow the numbers. */
  readonly time: string;
}

/** Returns a condition on a column. None if any value fits. */
export function equals(column: string, value: string | null): readonly Condition[] {
  return value === null ? [] : [{ sql: `${column} = ?`, bindings: [value] }];
}

/** Reads a page of the rows that a filter selects. It examines a bounded number of rows, so it may be short. */
export function filteredPage<Row extends Record<string, SqlStorageValue> & { readonly seq: number }, Item>(
  sql: SqlStorage,
  table: FilteredTable,
  { where, span, page }: { readonly where: readonly Condition[]; readonly span: TimeSpan; readonly page: PageRequest },
  itemOf: (row: Row) => Item,
): FilteredPage<Item> {
  const { limit, cursor } = page;
  const first = table.order === "highest first" ? Number.MAX_SAFE_INTEGER : 0;
  const start = { order: table.order, beyond: Number(cursor ?? first), limit: limit + 1, examine: EXAMINED };
  const conditions = [...where, ...spanConditions({ ...span, column: table.time })];
  const { rows, reached } = scan<Row>(sql, "*", table, conditions, null, start);
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? shown.at(-1)?.seq : reached;
  return { items: shown.map(itemOf), nextCursor: next ? String(next) : null, isFiltered: true };
}
