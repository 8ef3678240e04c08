import { DUE_TABLE_MIGRATION, type DueTable } from "../durable/due-table.ts";
import { migrate } from "../durable/migrations.ts";
import { OUTBOX_MIGRATION } from "../durable/outbox.ts";
import { hasTable } from "../durable/sql.ts";
import { SUBSCRIBED_EVENTS_MIGRATION } from "../durable/subscriptions.ts";
import { TRANSFER_MIGRATION } from "../durable/transfer/state.ts";

import { APTOS_OLD_SPONSORSHIPS } from "./aptos/old-sponsorships.ts";
import {
  APTOS_FUND_STORE_MIGRATION,
  APTOS_FUND_STORE_MIGRATION_5,
  APTOS_FUND_STORE_MIGRATION_6,
  APTOS_FUND_STORE_MIGRATION_10,
  APTOS_FUND_STORE_MIGRATION_11,
} from "./aptos/schema.ts";
import { ARCHIVE_MIGRATION_6 } from "./archive/progress.ts";
import { CONSOLIDATED } from "./consolidated.ts";
import { DUE_TIMES_MIGRATION_12, moveDueTimes } from "./due-times.ts";
import { REFUSED_CALLS_MIGRATION_9 } from "./explain/sqlite-refused-calls.ts";
import { TRACE_MIGRATION_10 } from "./explain/sqlite-traces.ts";
import { KEY_NUMBERS_MIGRATION_6 } from "./ledger/key-numbers.ts";

import { FUND_BOOKS_MIGRATION_3, FUND_BOOKS_MIGRATION_5 } from "./ledger/schema.ts";
import { DAILY_MIGRATION_7, startDailyCounts } from "./ledger/sqlite-daily.ts";
import { DOUBTS_MIGRATION } from "./ledger/sqlite-doubts.ts";
import { LEDGER_MIGRATION_6, LEDGER_MIGRATION_10, OLD_LEDGER } from "./ledger/sqlite-ledger.ts";
import {
  FUND_RECORD_MIGRATION,
  FUND_RECORD_MIGRATION_2,
  FUND_RECORD_MIGRATION_3,
  FUND_RECORD_MIGRATION_6,
} from "./record.ts";
import { SPENT_BYTES_MIGRATION } from "./spent-bytes.ts";
import { CONVERSIONS_MIGRATION } from "./sui/conversion.ts";
import { KEPT_ANSWERS_MIGRATION } from "./sui/kept-answers.ts";
import { SUI_OLD_SPONSORSHIPS } from "./sui/old-sponsorships.ts";
import {
  FUND_STORE_MIGRATION,
  FUND_STORE_MIGRATION_2,
  FUND_STORE_MIGRATION_5,
  FUND_STORE_MIGRATION_6,
  FUND_STORE_MIGRATION_8,
  FUND_STORE_MIGRATION_11,
} from "./sui/schema.ts";
import { COINS_MIGRATION_6, COINS_MIGRATION_12 } from "./sui/sqlite-coins.ts";

/** Makes the recycling of expired sponsorships due. Versions before 2 never moved their coins to a higher version. */
const RECYCLE_EXPIRED = `
  INSERT INTO due
    SELECT 'recycle', '', MIN(expires_at_ms) FROM sponsorship WHERE state = 'expired' HAVING COUNT(*) > 0;
`;

/** The migrations of a fund's storage, in the order of versions. Append only: deployed objects have run them. */
export const migrations = [
  FUND_RECORD_MIGRATION + FUND_STORE_MIGRATION + DUE_TABLE_MIGRATION,
  FUND_RECORD_MIGRATION_2 + FUND_STORE_MIGRATION_2 + RECYCLE_EXPIRED,
  FUND_RECORD_MIGRATION_3 + FUND_BOOKS_MIGRATION_3 + APTOS_FUND_STORE_MIGRATION,
  OUTBOX_MIGRATION + SUBSCRIBED_EVENTS_MIGRATION,
  FUND_BOOKS_MIGRATION_5 +
    FUND_STORE_MIGRATION_5 +
    KEPT_ANSWERS_MIGRATION +
    SPENT_BYTES_MIGRATION +
    CONVERSIONS_MIGRATION +
    DOUBTS_MIGRATION +
    APTOS_FUND_STORE_MIGRATION_5,
  FUND_RECORD_MIGRATION_6 +
    ARCHIVE_MIGRATION_6 +
    COINS_MIGRATION_6 +
    KEY_NUMBERS_MIGRATION_6 +
    LEDGER_MIGRATION_6 +
    FUND_STORE_MIGRATION_6 +
    APTOS_FUND_STORE_MIGRATION_6 +
    TRANSFER_MIGRATION,
  DAILY_MIGRATION_7,
  FUND_STORE_MIGRATION_8,
  REFUSED_CALLS_MIGRATION_9,
  // A treasury transaction of a Sui fund may also be `unresolvable` from version 10 on. An older build cannot read it.
  TRACE_MIGRATION_10 + LEDGER_MIGRATION_10 + APTOS_FUND_STORE_MIGRATION_10,
  FUND_STORE_MIGRATION_11 + APTOS_FUND_STORE_MIGRATION_11,
  COINS_MIGRATION_12 + DUE_TIMES_MIGRATION_12,
] as const;

/**
 * The tables of version 5 whose rows move to those of version 6, in steps of the alarm. A fund has rows of one chain.
 */
export const OLD_TABLES = [SUI_OLD_SPONSORSHIPS, APTOS_OLD_SPONSORSHIPS, OLD_LEDGER];

/** Drops the empty tables of version 5. Runs once, after version 6. */
function dropEmptyOldTables(sql: SqlStorage): void {
  for (const table of OLD_TABLES)
    if (hasTable(sql, table) && sql.exec(`SELECT 1 FROM ${table} LIMIT 1`).toArray().length === 0)
      sql.exec(`DROP TABLE ${table}`);
}

/**
 * Brings the storage of a fund to the newest schema.
 *
 * @param nowMs the time of the object's construction.
 */
export function migrateFund(storage: DurableObjectStorage, nowMs: number): void {
  const finish = (sql: SqlStorage) => {
    dropEmptyOldTables(sql);
    startDailyCounts(sql, nowMs);
    moveDueTimes(sql);
  };
  migrate(storage, migrations, { consolidated: CONSOLIDATED, finish });
}

/** Returns true if rows of version 5 still have to move. */
export function hasOldRows(sql: SqlStorage): boolean {
  return OLD_TABLES.some((table) => hasTable(sql, table));
}

/**
 * Makes the move of rows of version 5 due now, unless it is due already. It takes minutes for hundreds of thousands of
 * rows. The alarm does it in steps, and no request waits for it.
 */
export function scheduleMigration(sql: SqlStorage, due: DueTable, nowMs: number): void {
  if (hasOldRows(sql) && due.dueAt("migrate", "") === null) due.set("migrate", "", nowMs);
}
