import type { DueRow } from "../../../shared/durable/due-columns.ts";
import { FUND_DUE_COLUMNS } from "../../../shared/fund/due-times.ts";
import { unpack } from "../../../shared/fund/packed.ts";

/** Everything that a fund has to do, wherever its time is stored. */
export const DUE_ROWS = [
  "SELECT kind, reference, at_ms FROM due",
  ...FUND_DUE_COLUMNS.map(
    ({ kind, table, id }) => `SELECT '${kind}', ${id}, due_at_ms FROM ${table} WHERE due_at_ms IS NOT NULL`,
  ),
].join(" UNION ALL ");

/** Reads everything that a fund has to do, the earliest first. */
export function dueRows(sql: SqlStorage): DueRow[] {
  return sql
    .exec<{ kind: string; reference: string | ArrayBuffer; at_ms: number }>(`${DUE_ROWS} ORDER BY at_ms`)
    .toArray()
    .map(({ kind, reference, at_ms }) => ({ kind, reference: unpack(reference), atMs: at_ms }));
}
