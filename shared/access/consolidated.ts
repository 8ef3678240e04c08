import type { Consolidated } from "../durable/migrations.ts";

/** The schema that the first 7 migrations end with. `test/storage/consolidated.ts` has written it. */
export const CONSOLIDATED: Consolidated = {
  version: 7,
  script: [
    'CREATE TABLE access_key (\n    key_id TEXT PRIMARY KEY,\n    project_id TEXT NOT NULL,\n    name TEXT NOT NULL,\n    network TEXT NOT NULL,\n    rights TEXT NOT NULL,\n    fund_id TEXT,\n    qps INTEGER NOT NULL,\n    cups INTEGER NOT NULL,\n    status TEXT NOT NULL,\n    secret_hash BLOB NOT NULL,\n    created_at_ms INTEGER NOT NULL\n  , policy TEXT NOT NULL DEFAULT \'{\n    "moveTargets": {"allow": null, "deny": null},\n    "senders": {"allow": null, "deny": null},\n    "maxGasBudget": null,\n    "maxStorageCost": null,\n    "maxInFlightCount": 1000,\n    "maxInFlightAmount": "50000000000",\n    "maxSpendPerDay": null,\n    "maxSpendPerSenderPerDay": null,\n    "maxAbandonCostPerDay": "500000000"\n  }\', session_epoch INTEGER NOT NULL DEFAULT 0, sessions_per_second INTEGER) STRICT',
    "CREATE TABLE outbox (\n    seq INTEGER PRIMARY KEY AUTOINCREMENT,\n    id TEXT NOT NULL,\n    type TEXT NOT NULL,\n    at_ms INTEGER NOT NULL,\n    body TEXT NOT NULL\n  ) STRICT",
    "CREATE TABLE outbox_dropped (\n    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),\n    total INTEGER NOT NULL\n  ) STRICT",
    "CREATE TABLE due (\n    kind TEXT NOT NULL,\n    reference TEXT NOT NULL,\n    at_ms INTEGER NOT NULL,\n    PRIMARY KEY (kind, reference)\n  ) STRICT, WITHOUT ROWID",
    "CREATE TABLE transfer (\n    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),\n    state TEXT NOT NULL,\n    transfer_id TEXT NOT NULL,\n    destination TEXT NOT NULL,\n    at_ms INTEGER NOT NULL,\n    next_frame INTEGER NOT NULL\n  ) STRICT",
    "CREATE TABLE transfer_seen (transfer_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    "CREATE TABLE fund_lease (\n    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),\n    lease_id TEXT NOT NULL\n  ) STRICT\n",
    "CREATE INDEX due_by_time ON due (at_ms)",
  ].join(";"),
};
