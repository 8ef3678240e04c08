import type { Row } from "../durable/sql.ts";
import { networkSchema } from "../networks.ts";
import { type NodeHealth, type NodeName, unhealthySinceMs } from "./node-health.ts";

/** Part of version 3. A row for each endpoint, and the time of the last round of checks. */
export const NODE_CHECKS_MIGRATION_3 = `
  CREATE TABLE node_check (
    network TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    checks INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    failures_in_a_row INTEGER NOT NULL,
    total_latency_ms INTEGER NOT NULL,
    latency_ms INTEGER NOT NULL,
    checked_at_ms INTEGER NOT NULL,
    good_at_ms INTEGER,
    failing_since_ms INTEGER,
    behind_ms INTEGER,
    height TEXT,
    ledger_at_ms INTEGER,
    protocol_version TEXT,
    software TEXT,
    fault TEXT,
    reported_unhealthy INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (network, endpoint)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE node_round (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    started_at_ms INTEGER NOT NULL
  ) STRICT;
`;

type CheckRow = Row<{
  network: string;
  endpoint: string;
  checks: number;
  failures: number;
  failures_in_a_row: number;
  total_latency_ms: number;
  latency_ms: number;
  checked_at_ms: number;
  good_at_ms: number | null;
  failing_since_ms: number | null;
  behind_ms: number | null;
  height: string | null;
  ledger_at_ms: number | null;
  protocol_version: string | null;
  software: string | null;
  fault: string | null;
  reported_unhealthy: number;
}>;

function healthOf(row: CheckRow): NodeHealth {
  const { height, ledger_at_ms: ledgerAtMs, protocol_version: protocolVersion, software } = row;
  return {
    network: networkSchema.parse(row.network),
    endpoint: row.endpoint,
    checks: row.checks,
    failures: row.failures,
    failuresInARow: row.failures_in_a_row,
    totalLatencyMs: row.total_latency_ms,
    latencyMs: row.latency_ms,
    checkedAtMs: row.checked_at_ms,
    goodAtMs: row.good_at_ms,
    failingSinceMs: row.failing_since_ms,
    behindMs: row.behind_ms,
    ledger:
      height === null || ledgerAtMs === null ? null : { height: BigInt(height), ledgerAtMs, protocolVersion, software },
    fault: row.fault,
  };
}

/** Stores the results of endpoint checks, one row for each configured endpoint. */
export class NodeRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns when the last round of checks began. Null if there was none. */
  lastRoundMs(): number | null {
    const [row] = this.#sql.exec<{ started_at_ms: number }>("SELECT started_at_ms FROM node_round").toArray();
    return row?.started_at_ms ?? null;
  }

  startRound(nowMs: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO node_round (only_row, started_at_ms) VALUES (1, ?)", nowMs);
  }

  all(): readonly NodeHealth[] {
    return this.#sql.exec<CheckRow>("SELECT * FROM node_check").toArray().map(healthOf);
  }

  /** Returns the known state of an endpoint. Null if it was never checked. */
  find({ network, endpoint }: NodeName): NodeHealth | null {
    const [row] = this.#sql
      .exec<CheckRow>("SELECT * FROM node_check WHERE network = ? AND endpoint = ?", network, endpoint)
      .toArray();
    return row === undefined ? null : healthOf(row);
  }

  /** Stores the known state of an endpoint. Keeps the flag that its state was reported. */
  put(health: NodeHealth): void {
    this.#sql.exec(
      `INSERT INTO node_check (network, endpoint, checks, failures, failures_in_a_row, total_latency_ms,
         latency_ms, checked_at_ms, good_at_ms, failing_since_ms, behind_ms, height, ledger_at_ms, protocol_version,
         software, fault)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET checks = excluded.checks, failures = excluded.failures,
         failures_in_a_row = excluded.failures_in_a_row, total_latency_ms = excluded.total_latency_ms,
         latency_ms = excluded.latency_ms, checked_at_ms = excluded.checked_at_ms, good_at_ms = excluded.good_at_ms,
         failing_since_ms = excluded.failing_since_ms, behind_ms = excluded.behind_ms, height = excluded.height,
         ledger_at_ms = excluded.ledger_at_ms, protocol_version = excluded.protocol_version,
         software = excluded.software, fault = excluded.fault`,
      health.network,
      health.endpoint,
      health.checks,
      health.failures,
      health.failuresInARow,
      health.totalLatencyMs,
      health.latencyMs,
      health.checkedAtMs,
      health.goodAtMs,
      health.failingSinceMs,
      health.behindMs,
      health.ledger?.height.toString() ?? null,
      health.ledger?.ledgerAtMs ?? null,
      health.ledger?.protocolVersion ?? null,
      health.ledger?.software ?? null,
      health.fault,
    );
  }

  /** Deletes the rows of endpoints that are not configured any more. */
  keepOnly(configured: readonly NodeName[]): void {
    for (const { network, endpoint } of this.all())
      if (!configured.some((one) => one.network === network && one.endpoint === endpoint))
        this.#sql.exec("DELETE FROM node_check WHERE network = ? AND endpoint = ?", network, endpoint);
  }

  /** Returns the endpoints whose change from healthy to unhealthy, or back, is not reported yet. */
  unreported(): readonly NodeHealth[] {
    return (
      this.#sql
        .exec<CheckRow>("SELECT * FROM node_check")
        .toArray()
        .map((row) => ({ health: healthOf(row), wasUnhealthy: row.reported_unhealthy === 1 }))
        .filter(({ health, wasUnhealthy }) => (unhealthySinceMs(health) !== null) !== wasUnhealthy)
        // A single failure of an endpoint that was reported as unhealthy is no recovery.
        .filter(({ health, wasUnhealthy }) => !wasUnhealthy || health.failuresInARow === 0)
        .map(({ health }) => health)
    );
  }

  markReported({ network, endpoint }: NodeName, isUnhealthy: boolean): void {
    this.#sql.exec(
      "UPDATE node_check SET reported_unhealthy = ? WHERE network = ? AND endpoint = ?",
      isUnhealthy ? 1 : 0,
      network,
      endpoint,
    );
  }
}
