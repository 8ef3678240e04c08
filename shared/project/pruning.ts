import type { AuditLog } from "../audit/log.ts";
import type { ProjectParts } from "./parts.ts";
import type { ProjectStorage } from "./storage.ts";

/** Ended deliveries that are kept of one webhook. */
const KEPT_DELIVERIES = 10_000;
/** An ended delivery can be read and sent again for this time. */
const RETENTION_MS = 7 * 86_400_000;
/** Ended deliveries that go early at once while the storage is high. */
const DROPPED_AT_ONCE = 10_000;
/** The time between two deletions of old deliveries. */
export const PRUNE_INTERVAL_MS = 600_000;

/** The parts of a project that pruning uses. */
interface PruningParts extends ProjectParts {
  readonly audit: AuditLog;
  readonly budget: ProjectStorage;
}

/**
 * Deletes ended deliveries that are old or too many. While the storage is high, the oldest go earlier, and the audit log
 * says how many. A pending one stays, however long its webhook is disabled.
 */
export function pruneDeliveries({ sql, due, storage, audit, budget }: PruningParts, nowMs: number): void {
  if (due.listDue("prune", nowMs, 1).length === 0) return;
  sql.exec(
    `DELETE FROM delivery WHERE state <> 'pending' AND last_at_ms < ?1 AND seq < COALESCE(
       (SELECT seq FROM delivery WHERE created_at_ms >= ?1 ORDER BY seq LIMIT 1), ${Number.MAX_SAFE_INTEGER}
     )`,
    nowMs - RETENTION_MS,
  );
  const ids = sql.exec<{ id: string }>("SELECT id FROM webhook").toArray();
  for (const { id } of ids)
    sql.exec(
      `DELETE FROM delivery WHERE webhook_id = ?1 AND state <> 'pending' AND seq <= (
         SELECT seq FROM delivery WHERE webhook_id = ?1 AND state <> 'pending' ORDER BY seq DESC LIMIT 1 OFFSET ?2
       )`,
      id,
      KEPT_DELIVERIES,
    );
  if (budget.isHigh()) storage.transactionSync(() => dropOldest(sql, audit));
  const [left] = sql.exec("SELECT 1 FROM delivery LIMIT 1").toArray();
  due.set("prune", "", left === undefined ? null : nowMs + PRUNE_INTERVAL_MS);
}

function dropOldest(sql: SqlStorage, audit: AuditLog): void {
  const { length: deliveries } = sql
    .exec(
      `DELETE FROM delivery WHERE seq IN (SELECT seq FROM delivery WHERE state <> 'pending' ORDER BY seq LIMIT ?)
       RETURNING 1`,
      DROPPED_AT_ONCE,
    )
    .toArray();
  if (deliveries === 0) return;
  audit.append({
    action: "deliveries.dropped",
    target: "",
    detailJson: JSON.stringify({ deliveries, cause: "project.storage_high" }),
  });
}
