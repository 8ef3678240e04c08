import type { AuditLog } from "../audit/log.ts";
import type { AuditEntry } from "../bindings/project.ts";
import { equals, type FilteredTable, filteredPage } from "../durable/filtered-page.ts";
import { composeEvent } from "../durable/outbox.ts";
import { eventTypeSchema, type OutboxEvent, type RaisedEvent } from "../observe/events.ts";
import { type FilteredPage, type FilteredRequest, pageOf } from "../paging.ts";
import { type DeliveryDecision, type DeliveryResponse, deliveryStates } from "../webhooks/delivery.ts";
import type { DeliveryFilter } from "./filters.ts";
import type { ProjectParts } from "./parts.ts";
import { PRUNE_INTERVAL_MS } from "./pruning.ts";
import type { ProjectStorage } from "./storage.ts";
import type { DeliveryView, WebhookView } from "./views.ts";
import type { ProjectWebhooks } from "./webhooks.ts";

/** Pending deliveries of one webhook. */
const MAX_PENDING = 100_000;

/** A stored delivery. */
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

const TABLE: FilteredTable = { name: "delivery", number: "seq", order: "highest first", time: "created_at_ms" };

/** The parts of a project that deliveries need. */
export interface DeliveryParts extends ProjectParts {
  readonly webhooks: ProjectWebhooks;
  readonly audit: AuditLog;
  readonly budget: ProjectStorage;
}

/**
 * Keeps the deliveries of a project's webhooks. The commit that takes an event in makes the row. The row is pending
 * until the receiver accepts it, or all attempts are used up. So each event arrives at least once, in no particular
 * order. `WebhookSender` makes the attempts.
 */
export class ProjectDeliveries {
  readonly #parts: DeliveryParts;
  readonly #sql: SqlStorage;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#sql = parts.sql;
  }

  /**
   * Takes in the events that an object hands over. A repeated event changes nothing. Called within a commit.
   *
   * @param dropped events that the source has ever lost. New losses go into the audit log.
   */
  take(source: string, events: readonly OutboxEvent[], dropped: number, nowMs: number): void {
    const [known] = this.#sql
      .exec<{ seq: number; dropped: number }>("SELECT seq, dropped FROM event_source WHERE source = ?", source)
      .toArray();
    const fresh = events.filter(({ seq }) => seq > (known?.seq ?? 0));
    const added = this.add(fresh, nowMs);
    const lost = dropped - (known?.dropped ?? 0);
    if (lost > 0) this.#audit("events.dropped", source, { events: lost });
    // A repeat of a call without effect is harmless.
    if (added === 0 && lost === 0) return;
    this.#sql.exec(
      `INSERT INTO event_source (source, seq, dropped) VALUES (?, ?, ?)
       ON CONFLICT (source) DO UPDATE SET seq = excluded.seq, dropped = excluded.dropped`,
      source,
      fresh.at(-1)?.seq ?? known?.seq ?? 0,
      dropped,
    );
  }

  /** Raises an event of the project itself. Called within the commit of its fact. */
  raise(event: RaisedEvent): void {
    const { deps, webhooks } = this.#parts;
    if (!webhooks.enabled().some(({ events }) => events.includes(event.type))) return;
    const nowMs = deps.clock.nowMs();
    this.add([composeEvent(event, nowMs, deps.randomBytes)], nowMs);
  }

  /**
   * Adds a delivery for each event and each webhook that wants it. Called within a commit. @returns the number added.
   */
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
    const isFull = this.#parts.budget.isFull();
    const room = isFull ? 0 : Math.max(0, MAX_PENDING - this.#waiting(id));
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
      const cause = isFull ? { storage: "full" } : { waiting: MAX_PENDING };
      if (dropped === 0) this.#audit("webhook.backlog_full", id, cause);
    }
    return events.length - lost;
  }

  #audit(action: string, target: string, detail: object): void {
    this.#parts.audit.append({ action, target, detailJson: JSON.stringify(detail) });
  }

  #waiting(webhookId: string): number {
    return this.#sql.exec<{ waiting: number }>("SELECT waiting FROM webhook WHERE id = ?", webhookId).one().waiting;
  }

  /** Newest first. */
  list(webhookId: string, { filter = null, ...page }: FilteredRequest<DeliveryFilter>): FilteredPage<DeliveryView> {
    if (filter !== null) {
      const table = { ...TABLE, within: { sql: "webhook_id = ?", bindings: [webhookId] } };
      const where = [...equals("state", filter.state), ...equals("type", filter.type)];
      return filteredPage<DeliveryRow, DeliveryView>(this.#sql, table, { where, span: filter, page }, viewOf);
    }
    const { limit, cursor } = page;
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
   * Makes an event due again, from its first attempt on. Called within a commit.
   *
   * @returns null if the webhook had no such event, or had it too long ago.
   */
  resend(webhookId: string, eventId: string, entry: AuditEntry, nowMs: number): DeliveryView | null {
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
    this.#parts.audit.append(entry);
    return viewOf(row);
  }

  /** Deletes the deliveries of a deleted webhook. Called within a commit. */
  forget(webhookId: string): void {
    this.#sql.exec("DELETE FROM delivery WHERE webhook_id = ?", webhookId);
  }

  /**
   * Claims the longest due delivery of a webhook, to attempt it now. It is due again at `leaseUntilMs`, unless its end
   * is recorded by then.
   *
   * @returns null if none is due.
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

  /** Puts off an attempt that was not made, and all other due deliveries of its webhook. */
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
   * Records the end of an attempt. Changes nothing if the delivery was deleted or sent again by hand since the claim.
   * Called within a commit.
   */
  record(
    { seq, attempts, next_at_ms: leaseUntilMs }: DeliveryRow,
    response: DeliveryResponse,
    decision: DeliveryDecision,
    nowMs: number,
  ): void {
    this.#sql.exec(
      `UPDATE delivery SET state = ?, attempts = ?, next_at_ms = ?, last_at_ms = ?, last_status = ?, last_error = ?
       WHERE seq = ? AND attempts = ? AND next_at_ms = ?`,
      decision.state,
      attempts + 1,
      decision.nextAtMs,
      nowMs,
      response.kind === "status" ? response.status : null,
      response.kind === "status" ? null : response.error,
      seq,
      attempts,
      leaseUntilMs,
    );
  }

  /** Returns the next due time of a webhook in ms. Null if nothing is pending. */
  nextAtMs(webhookId: string): number | null {
    return this.#sql
      .exec<{ at_ms: number | null }>(
        "SELECT MIN(next_at_ms) AS at_ms FROM delivery WHERE webhook_id = ? AND state = 'pending'",
        webhookId,
      )
      .one().at_ms;
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
