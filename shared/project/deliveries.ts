import type { DueTable } from "../durable/due-table.ts";
import type { OutboxEvent } from "../observe/events.ts";
import { eventTypeSchema } from "../observe/events.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { type DeliveryDecision, type DeliveryResponse, deliveryStates } from "../webhooks/delivery.ts";
import type { DeliveryView, WebhookView } from "./views.ts";
import type { ProjectWebhooks } from "./webhooks.ts";

/** Deliveries that wait for one endpoint. */
const MAX_PENDING = 100_000;
/** Of one endpoint, of those that are over. */
const KEPT_DELIVERIES = 10_000;
/** Deliveries can be looked at and sent again for so long. */
const RETENTION_MS = 7 * 86_400_000;
export const PRUNE_INTERVAL_MS = 600_000;

export const PROJECT_DELIVERIES_MIGRATION = `
  CREATE TABLE delivery (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL,
    next_at_ms INTEGER,
    last_at_ms INTEGER,
    last_status INTEGER,
    last_error TEXT
  ) STRICT;
  CREATE UNIQUE INDEX delivery_by_event ON delivery (webhook_id, event_id);
  CREATE INDEX delivery_in_order ON delivery (webhook_id, seq);
  CREATE INDEX delivery_pending ON delivery (webhook_id, next_at_ms) WHERE state = 'pending';
  CREATE TABLE event_source (
    source TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    dropped INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** How many deliveries wait for an endpoint, kept by the database, because counting 100,000 takes too long. */
export const DELIVERIES_WAITING_MIGRATION = `
  ALTER TABLE webhook ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
  UPDATE webhook SET waiting =
    (SELECT COUNT(*) FROM delivery WHERE delivery.webhook_id = webhook.id AND delivery.state = 'pending');
  CREATE TRIGGER delivery_begins AFTER INSERT ON delivery WHEN NEW.state = 'pending'
    BEGIN UPDATE webhook SET waiting = waiting + 1 WHERE id = NEW.webhook_id; END;
  CREATE TRIGGER delivery_goes_on AFTER UPDATE OF state ON delivery WHEN NEW.state <> OLD.state
    BEGIN UPDATE webhook SET waiting = waiting + (NEW.state = 'pending') - (OLD.state = 'pending')
      WHERE id = NEW.webhook_id; END;
  CREATE TRIGGER delivery_is_forgotten AFTER DELETE ON delivery WHEN OLD.state = 'pending'
    BEGIN UPDATE webhook SET waiting = waiting - 1 WHERE id = OLD.webhook_id; END;
`;

/** A delivery as it is stored. */
export type DeliveryRow = Record<string, SqlStorageValue> & {
  seq: number;
  webhook_id: string;
  event_id: string;
  type: string;
  body: string;
  state: string;
  attempts: number;
  created_at_ms: number;
  next_at_ms: number | null;
  last_at_ms: number | null;
  last_status: number | null;
  last_error: string | null;
};

export interface DeliveryParts {
  readonly sql: SqlStorage;
  readonly due: DueTable;
  readonly webhooks: ProjectWebhooks;
  /** Writes a row of the audit log, within a commit. */
  audit(action: string, target: string, detail: object): void;
}

/**
 * What is sent to a project's endpoints, and what came of it. A delivery is a row from the commit on that takes its
 * event in, and pending until its receiver has accepted it or all attempts are used up. So each is made at least once,
 * in no particular order; `WebhookSender` makes the attempts.
 */
export class ProjectDeliveries {
  readonly #parts: DeliveryParts;
  readonly #sql: SqlStorage;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#sql = parts.sql;
  }

  /**
   * Within a commit: takes events in that an object hands over. One that was taken before changes nothing.
   *
   * @param dropped how many the source has ever lost, of which the log is told.
   */
  take(source: string, events: readonly OutboxEvent[], dropped: number, nowMs: number): void {
    const [known] = this.#sql
      .exec<{ seq: number; dropped: number }>("SELECT seq, dropped FROM event_source WHERE source = ?", source)
      .toArray();
    const fresh = events.filter(({ seq }) => seq > (known?.seq ?? 0));
    const added = this.add(fresh, nowMs);
    const lost = dropped - (known?.dropped ?? 0);
    if (lost > 0) this.#parts.audit("events.dropped", source, { events: lost });
    // Where nothing was caused, a repeat causes nothing either.
    if (added === 0 && lost === 0) return;
    this.#sql.exec(
      `INSERT INTO event_source (source, seq, dropped) VALUES (?, ?, ?)
       ON CONFLICT (source) DO UPDATE SET seq = excluded.seq, dropped = excluded.dropped`,
      source,
      fresh.at(-1)?.seq ?? known?.seq ?? 0,
      dropped,
    );
  }

  /** Within a commit: one delivery for each event and each endpoint that wants it. @returns how many. */
  add(events: readonly Omit<OutboxEvent, "seq">[], nowMs: number): number {
    let added = 0;
    for (const webhook of this.#parts.webhooks.enabled()) {
      const wanted = events.filter(({ type }) => webhook.events.includes(type));
      if (wanted.length > 0) added += this.#addFor(webhook, wanted, nowMs);
    }
    if (added > 0) {
      this.#parts.due.set("deliver", "", nowMs, "by_then");
      this.#parts.due.set("prune", "", nowMs + PRUNE_INTERVAL_MS, "by_then");
    }
    return added;
  }

  #addFor({ id, dropped }: WebhookView, events: readonly Omit<OutboxEvent, "seq">[], nowMs: number): number {
    const room = Math.max(0, MAX_PENDING - this.#waiting(id));
    for (const event of events.slice(0, room))
      this.#sql.exec(
        `INSERT INTO delivery (webhook_id, event_id, type, body, state, created_at_ms, next_at_ms)
         VALUES (?, ?, ?, ?, 'pending', ?, ?)`,
        id,
        event.id,
        event.type,
        event.body,
        nowMs,
        nowMs,
      );
    const lost = events.length - Math.min(events.length, room);
    if (lost > 0) {
      this.#parts.webhooks.countDropped(id, lost);
      if (dropped === 0) this.#parts.audit("webhook.backlog_full", id, { waiting: MAX_PENDING });
    }
    return events.length - lost;
  }

  #waiting(webhookId: string): number {
    return this.#sql.exec<{ waiting: number }>("SELECT waiting FROM webhook WHERE id = ?", webhookId).one().waiting;
  }

  /** Newest first. */
  list(webhookId: string, { limit, cursor }: PageRequest): Page<DeliveryView> {
    const rows = this.#sql
      .exec<DeliveryRow>(
        "SELECT * FROM delivery WHERE webhook_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        webhookId,
        Number(cursor ?? Number.MAX_SAFE_INTEGER),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, viewOf);
  }

  /**
   * Within a commit: sends an event again, from the first attempt on, whatever came of it before.
   *
   * @returns null where the endpoint has had no such event, or too long ago.
   */
  resend(webhookId: string, eventId: string, nowMs: number): DeliveryView | null {
    const [row] = this.#sql
      .exec<DeliveryRow>(
        `UPDATE delivery SET state = 'pending', attempts = 0, next_at_ms = ? WHERE webhook_id = ? AND event_id = ?
         RETURNING *`,
        nowMs,
        webhookId,
        eventId,
      )
      .toArray();
    if (row === undefined) return null;
    this.#parts.due.set("deliver", "", nowMs, "by_then");
    return viewOf(row);
  }

  /** Within a commit: nothing more is sent to an endpoint that is gone. */
  forget(webhookId: string): void {
    this.#sql.exec("DELETE FROM delivery WHERE webhook_id = ?", webhookId);
  }

  /**
   * The delivery of an endpoint that has been due for longest, to be attempted now. It is due again at `leaseUntilMs`,
   * where nothing is recorded by then.
   *
   * @returns null: none is due.
   */
  claim(webhookId: string, nowMs: number, leaseUntilMs: number): DeliveryRow | null {
    const [row] = this.#sql
      .exec<DeliveryRow>(
        `UPDATE delivery SET next_at_ms = ? WHERE seq = (
           SELECT seq FROM delivery WHERE webhook_id = ? AND state = 'pending' AND next_at_ms <= ?
           ORDER BY next_at_ms LIMIT 1
         ) RETURNING *`,
        leaseUntilMs,
        webhookId,
        nowMs,
      )
      .toArray();
    return row ?? null;
  }

  /** Puts off an attempt that was not made, and whatever else of its endpoint is due by now. */
  postpone({ seq, webhook_id: webhookId }: DeliveryRow, nowMs: number, atMs: number): void {
    this.#sql.exec(
      "UPDATE delivery SET next_at_ms = ? WHERE webhook_id = ? AND state = 'pending' AND (next_at_ms <= ? OR seq = ?)",
      atMs,
      webhookId,
      nowMs,
      seq,
    );
  }

  /**
   * Within a commit: how an attempt has ended. It counts only as long as its delivery is as it was claimed, not where
   * that has been deleted, or sent again by hand, which makes an attempt of its own.
   */
  record(
    { seq, attempts, next_at_ms: leaseUntilMs }: DeliveryRow,
    answer: DeliveryResponse,
    verdict: DeliveryDecision,
    nowMs: number,
  ): void {
    this.#sql.exec(
      `UPDATE delivery SET state = ?, attempts = ?, next_at_ms = ?, last_at_ms = ?, last_status = ?, last_error = ?
       WHERE seq = ? AND attempts = ? AND next_at_ms = ?`,
      verdict.state,
      attempts + 1,
      verdict.nextAtMs,
      nowMs,
      answer.kind === "status" ? answer.status : null,
      answer.kind === "status" ? null : answer.error,
      seq,
      attempts,
      leaseUntilMs,
    );
  }

  /** When something of an endpoint is due; null: nothing waits. */
  nextAtMs(webhookId: string): number | null {
    return this.#sql
      .exec<{ at_ms: number | null }>(
        "SELECT MIN(next_at_ms) AS at_ms FROM delivery WHERE webhook_id = ? AND state = 'pending'",
        webhookId,
      )
      .one().at_ms;
  }

  /** Forgets what is over, and old or too much. What waits stays, for as long as its endpoint is disabled. */
  prune(nowMs: number): void {
    const { due } = this.#parts;
    if (due.listDue("prune", nowMs, 1).length === 0) return;
    this.#sql.exec(
      `DELETE FROM delivery WHERE state <> 'pending' AND last_at_ms < ?1 AND seq < COALESCE(
         (SELECT seq FROM delivery WHERE created_at_ms >= ?1 ORDER BY seq LIMIT 1), ${Number.MAX_SAFE_INTEGER}
       )`,
      nowMs - RETENTION_MS,
    );
    const ids = this.#sql.exec<{ id: string }>("SELECT id FROM webhook").toArray();
    for (const { id } of ids)
      this.#sql.exec(
        `DELETE FROM delivery WHERE webhook_id = ?1 AND state <> 'pending' AND seq <= (
           SELECT seq FROM delivery WHERE webhook_id = ?1 AND state <> 'pending' ORDER BY seq DESC LIMIT 1 OFFSET ?2
         )`,
        id,
        KEPT_DELIVERIES,
      );
    const [left] = this.#sql.exec("SELECT 1 FROM delivery LIMIT 1").toArray();
    due.set("prune", "", left === undefined ? null : nowMs + PRUNE_INTERVAL_MS);
  }
}

function viewOf(row: DeliveryRow): DeliveryView {
  return {
    eventId: row.event_id,
    type: eventTypeSchema.parse(row.type),
    state: deliveryStates.find((state) => state === row.state) ?? "pending",
    attempts: row.attempts,
    createdAtMs: row.created_at_ms,
    nextAtMs: row.state === "pending" ? row.next_at_ms : null,
    lastAtMs: row.last_at_ms,
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}
