import { DUE_TABLE_MIGRATION } from "../durable/due-table.ts";
import { OUTBOX_MIGRATION } from "../durable/outbox.ts";
import { TRANSFER_MIGRATION } from "../durable/transfer/state.ts";
import { FUND_LEASE_MIGRATION } from "./fund-lease.ts";
import { REFUSAL_COUNT_MIGRATION_8 } from "./refusal-counts.ts";

/** Migrations of an access key's storage, in order. A landed one never changes. */
export const migrations = [
  `CREATE TABLE access_key (
    key_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    network TEXT NOT NULL,
    rights TEXT NOT NULL,
    fund_id TEXT,
    qps INTEGER NOT NULL,
    cups INTEGER NOT NULL,
    status TEXT NOT NULL,
    secret_hash BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT`,
  // Keys from before the policies get the limits that a new key had when this landed.
  `ALTER TABLE access_key ADD COLUMN policy TEXT NOT NULL DEFAULT '{
    "moveTargets": {"allow": null, "deny": null},
    "senders": {"allow": null, "deny": null},
    "maxGasBudget": null,
    "maxStorageCost": null,
    "maxInFlightCount": 1000,
    "maxInFlightAmount": "50000000000",
    "maxSpendPerDay": null,
    "maxSpendPerSenderPerDay": null,
    "maxAbandonCostPerDay": "500000000"
  }'`,
  "ALTER TABLE access_key ADD COLUMN session_epoch INTEGER NOT NULL DEFAULT 0",
  OUTBOX_MIGRATION + DUE_TABLE_MIGRATION,
  // The project's derivation decides the limit of older keys at their next use.
  "ALTER TABLE access_key ADD COLUMN sessions_per_second INTEGER",
  TRANSFER_MIGRATION,
  FUND_LEASE_MIGRATION,
  REFUSAL_COUNT_MIGRATION_8,
] as const;
