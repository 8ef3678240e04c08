import { type DueColumn, dueColumnMigration, moveDue } from "../durable/due-columns.ts";
import { pack, unpack } from "./packed.ts";

const SETTLE = { kind: "settle", pack, unpack } as const;

/** The times of Sui sponsorships: of the next look-up, or of the expiry of a prepared one. */
export const SUI_DUE_COLUMN: DueColumn = { ...SETTLE, table: "sponsorship_row", id: "digest" };

/** The times of the next look-ups of Aptos sponsorships. */
export const APTOS_DUE_COLUMN: DueColumn = { ...SETTLE, table: "aptos_sponsorship_row", id: "id" };

/** Every column of a fund's storage that has due times. A fund has rows of one chain. */
export const FUND_DUE_COLUMNS: readonly DueColumn[] = [SUI_DUE_COLUMN, APTOS_DUE_COLUMN];

/** Part of version 12. */
export const DUE_TIMES_MIGRATION_12 = FUND_DUE_COLUMNS.map(dueColumnMigration).join("");

/** Moves the times of earlier versions to the rows that they belong to. A row of version 5 takes its time along later. */
export function moveDueTimes(sql: SqlStorage): void {
  for (const column of FUND_DUE_COLUMNS) {
    const due = sql.exec<{ reference: string }>("SELECT reference FROM due WHERE kind = ?", column.kind).toArray();
    for (const { reference } of due) moveDue(sql, column, reference);
  }
}
