import { DUE_TABLE_MIGRATION } from "../durable/due-table.ts";
import { OUTBOX_MIGRATION } from "../durable/outbox.ts";
import { SUBSCRIBED_EVENTS_MIGRATION } from "../durable/subscriptions.ts";
import { APTOS_FUND_STORE_MIGRATION, APTOS_FUND_STORE_MIGRATION_5 } from "./aptos/schema.ts";
import { ARCHIVE_MIGRATION_6 } from "./archive/progress.ts";
import { FUND_BOOKS_MIGRATION_3, FUND_BOOKS_MIGRATION_5 } from "./ledger/schema.ts";
import { DOUBTS_MIGRATION } from "./ledger/sqlite-doubts.ts";
import {
  FUND_RECORD_MIGRATION,
  FUND_RECORD_MIGRATION_2,
  FUND_RECORD_MIGRATION_3,
  FUND_RECORD_MIGRATION_6,
} from "./record.ts";
import { SPENT_BYTES_MIGRATION } from "./spent-bytes.ts";
import { CONVERSIONS_MIGRATION } from "./sui/conversion.ts";
import { KEPT_ANSWERS_MIGRATION } from "./sui/kept-answers.ts";
import { FUND_STORE_MIGRATION, FUND_STORE_MIGRATION_2, FUND_STORE_MIGRATION_5 } from "./sui/schema.ts";
import { COINS_MIGRATION_6 } from "./sui/sqlite-coins.ts";

/** Makes the recycling of expired sponsorships due. Versions before 2 never moved their coins to a higher version. */
const RECYCLE_EXPIRED = `
  INSERT INTO due
    SELECT 'recycle', '', MIN(expires_at_ms) FROM sponsorship WHERE state = 'expired' HAVING COUNT(*) > 0;
`;

/** Versions of a fund's storage. Append-only: deployed objects have run these. */
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
  FUND_RECORD_MIGRATION_6 + ARCHIVE_MIGRATION_6 + COINS_MIGRATION_6,
];
