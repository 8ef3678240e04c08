import { AUDIT_MIGRATION } from "../audit/log.ts";
import { DASHBOARD_MIGRATION_4 } from "./dashboard-entries.ts";
import { NODE_CHECKS_MIGRATION_3 } from "./node-rows.ts";
import { OPERATOR_TOKENS_MIGRATION } from "./operator-tokens.ts";
import { ROUND_MIGRATION_5 } from "./round-alarm.ts";
import { SERVICE_REPORT_MIGRATION_3 } from "./service-report.ts";

/** Migrations of the directory's storage, in order. A landed one never changes. */
export const migrations = [
  `CREATE TABLE project (
    seq INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL UNIQUE,
    listed_at_ms INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE secret_check (
    secret TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (secret, version)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE secret_mismatch (
    secret TEXT NOT NULL,
    version INTEGER NOT NULL,
    told_at_ms INTEGER NOT NULL,
    PRIMARY KEY (secret, version)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE newest_schema (
    object TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  OPERATOR_TOKENS_MIGRATION + NODE_CHECKS_MIGRATION_3 + SERVICE_REPORT_MIGRATION_3 + AUDIT_MIGRATION,
  DASHBOARD_MIGRATION_4,
  ROUND_MIGRATION_5,
] as const;
