import { SealError } from "../custody/sealing.ts";
import type { Deps } from "../deps.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import {
  type Answer,
  type DeliveryState,
  deliveryStates,
  judgeAttempt,
  type Lane,
  mayBegin,
  TIMEOUT_MS,
} from "../webhooks/delivery.ts";
import { type EventType, eventTypeSchema } from "../webhooks/events.ts";
import { signatureHeaders } from "../webhooks/signing.ts";
import { parseTarget } from "../webhooks/target.ts";
import type { DueTable } from "./due-table.ts";
import type { OutboxEvent } from "./outbox.ts";
import type { ProjectWebhooks, WebhookView } from "./project-webhooks.ts";

/** An attempt of which nothing was heard by then was cut off with its instance: the delivery is due again. */
const LEASE_MS = 4 * TIMEOUT_MS;
/** The service itself could not send: no attempt is counted. */
const OWN_FAULT_RETRY_MS = 60_000;
/** A request, or an alarm, may only make so many calls on Workers: the next alarm goes on. */
const ATTEMPTS_PER_ALARM = 100;
/** Deliveries that wait for one endpoint. */
const MAX_PENDING = 100_000;
/** Of one endpoint, of those that are over. */
const KEPT_DELIVERIES = 10_000;
/** Deliveries can be looked at and sent again for so long. */
const RETENTION_MS = 7 * 86_400_000;
const PRUNE_INTERVAL_MS = 600_000;

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

export interface DeliveryView {
  readonly eventId: string;
  readonly type: EventType;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAtMs: number;
  /** Null: it is over. */
  readonly nextAtMs: number | null;
  /** Null: not tried yet. */
  readonly lastAtMs: number | null;
  /** HTTP status of the last attempt; null: none was answered. */
  readonly lastStatus: number | null;
  /** Why there was no answer; null: there was one. */
  readonly lastError: string | null;
}

type Row = Record<string, SqlStorageValue> & {
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
  readonly storage: DurableObjectStorage;
  readonly due: DueTable;
  readonly webhooks: ProjectWebhooks;
  readonly deps: Deps;
  projectId(): string;
  /** Writes a row of the audit log, within a commit. */
  audit(action: string, target: string, detail: object): void;
  /** Keeps the object alive for work that goes on by itself. */
  keepAlive(work: Promise<void>): void;
}

/**
 * What is sent to a project's endpoints, and what came of it. A delivery is a row from the commit on that takes its
 * event in, and pending until its receiver has accepted it or all attempts are used up: whatever ends an instance in
 * between, the alarm sends it again. So each is made at least once, in no particular order.
 *
 * Attempts run beside each other and beside the alarm, a few at once (`mayBegin`), so that a receiver which hangs keeps
 * nobody else waiting.
 */
export class ProjectDeliveries {
  readonly #parts: DeliveryParts;
  readonly #sql: SqlStorage;
  /** Attempts under way, by endpoint: in memory only, as they are themselves. */
  readonly #open = new Map<string, number>();
  #turn = 0;
  /** Attempts that may still begin before the next alarm. */
  #left = 0;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#sql = parts.storage.sql;
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
    const room = Math.max(0, MAX_PENDING - this.#pending(id));
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

  #pending(webhookId: string): number {
    return this.#sql
      .exec<{ count: number }>(
        "SELECT COUNT(*) AS count FROM delivery WHERE webhook_id = ? AND state = 'pending'",
        webhookId,
      )
      .one().count;
  }

  /** Newest first. */
  list(webhookId: string, { limit, cursor }: PageRequest): Page<DeliveryView> {
    const rows = this.#sql
      .exec<Row>(
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
      .exec<Row>(
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

  /** Begins what is due, as far as may be at once, in turn for each endpoint. */
  runDue(): void {
    this.#left = ATTEMPTS_PER_ALARM;
    if (this.#parts.due.take("deliver", this.#parts.deps.clock.nowMs(), 1).length > 0) this.#pump();
  }

  #pump(): void {
    const { deps, due, webhooks } = this.#parts;
    const nowMs = deps.clock.nowMs();
    const enabled = this.#inTurn(webhooks.enabled());
    for (let begun = true; begun; ) {
      begun = false;
      for (const webhook of enabled) begun = this.#beginOne(webhook, enabled, nowMs) || begun;
    }
    // What is due already waits for an attempt to end, which then goes on with it, or for the next alarm.
    const laterMs = this.#left === 0 ? nowMs : nowMs + LEASE_MS;
    const next = enabled.flatMap(({ id }) => this.#nextAtMs(id) ?? []).map((atMs) => (atMs <= nowMs ? laterMs : atMs));
    due.set("deliver", "", next.length === 0 ? null : Math.min(...next));
  }

  /** Each time another one comes first, so that none waits for ever where places are few. */
  #inTurn(webhooks: readonly WebhookView[]): readonly WebhookView[] {
    this.#turn = webhooks.length === 0 ? 0 : (this.#turn + 1) % webhooks.length;
    return [...webhooks.slice(this.#turn), ...webhooks.slice(0, this.#turn)];
  }

  #beginOne(webhook: WebhookView, all: readonly WebhookView[], nowMs: number): boolean {
    const { id } = webhook;
    if (this.#left === 0) return false;
    const others = all.filter((other) => other.id !== id).map((other) => this.#lane(other));
    if (!mayBegin(this.#lane(webhook), others)) return false;
    const [row] = this.#sql
      .exec<Row>(
        `UPDATE delivery SET next_at_ms = ? WHERE seq = (
           SELECT seq FROM delivery WHERE webhook_id = ? AND state = 'pending' AND next_at_ms <= ?
           ORDER BY next_at_ms LIMIT 1
         ) RETURNING *`,
        nowMs + LEASE_MS,
        id,
        nowMs,
      )
      .toArray();
    if (row === undefined) return false;
    this.#left -= 1;
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    this.#parts.keepAlive(this.#attempt(webhook, row));
    return true;
  }

  #lane({ id, failures }: WebhookView): Lane {
    return { failing: failures > 0, open: this.#open.get(id) ?? 0 };
  }

  #nextAtMs(webhookId: string): number | null {
    return this.#sql
      .exec<{ at_ms: number | null }>(
        "SELECT MIN(next_at_ms) AS at_ms FROM delivery WHERE webhook_id = ? AND state = 'pending'",
        webhookId,
      )
      .one().at_ms;
  }

  /** One attempt, to its end; then what waits for its place. */
  async #attempt(webhook: WebhookView, row: Row): Promise<void> {
    const { deps } = this.#parts;
    try {
      this.#record(webhook, row, await this.#send(webhook, row));
    } catch (error) {
      deps.log("webhook.attempt_failed", { webhook: webhook.id, eventId: row.event_id, error: String(error) });
      // Whatever else waits for this endpoint would fare no better now.
      this.#sql.exec(
        "UPDATE delivery SET next_at_ms = ?1 WHERE webhook_id = ?2 AND state = 'pending' AND next_at_ms < ?1",
        deps.clock.nowMs() + OWN_FAULT_RETRY_MS,
        webhook.id,
      );
    } finally {
      this.#open.set(webhook.id, Math.max(0, (this.#open.get(webhook.id) ?? 0) - 1));
      this.#pump();
    }
  }

  /** @throws SealError where the secret's master key is not configured. */
  async #send({ id, url }: WebhookView, { event_id: eventId, body }: Row): Promise<Answer> {
    const { deps, webhooks, projectId } = this.#parts;
    const target = parseTarget(url);
    if (!target.ok) return { kind: "refused_target", error: `the URL ${target.problem}` };
    const secrets = await webhooks.secrets(projectId(), id);
    if (secrets.length === 0) throw new SealError("the endpoint was deleted meanwhile");
    const timestampSeconds = Math.floor(deps.clock.nowMs() / 1_000);
    const signed = signatureHeaders({ id: eventId, timestampSeconds, body }, secrets);
    try {
      const response = await deps.webhookFetch(target.url, {
        method: "POST",
        headers: { ...signed, "content-type": "application/json", "user-agent": "Gasworks-Webhooks/1" },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      // Nobody reads what a receiver says, however much it is.
      await response.body?.cancel().catch(() => {});
      return { kind: "status", status: response.status };
    } catch (error) {
      const timedOut = error instanceof Error && error.name === "TimeoutError";
      return { kind: "none", error: timedOut ? `no answer within ${TIMEOUT_MS / 1_000} s` : "no connection" };
    }
  }

  #record({ id, url }: WebhookView, { seq, attempts: before, event_id: eventId }: Row, answer: Answer): void {
    const { deps, storage, webhooks, audit } = this.#parts;
    const nowMs = deps.clock.nowMs();
    const attempts = before + 1;
    const verdict = judgeAttempt(answer, attempts, nowMs, randomFraction(deps));
    storage.transactionSync(() => {
      const [current] = this.#sql
        .exec<{ attempts: number }>("SELECT attempts FROM delivery WHERE seq = ?", seq)
        .toArray();
      // Deleted meanwhile; or sent again by hand, which this attempt is not.
      if (current === undefined) return;
      const isLatest = current.attempts === before;
      this.#sql.exec(
        "UPDATE delivery SET last_at_ms = ?, last_status = ?, last_error = ? WHERE seq = ?",
        nowMs,
        answer.kind === "status" ? answer.status : null,
        answer.kind === "status" ? null : answer.error,
        seq,
      );
      if (isLatest)
        this.#sql.exec(
          "UPDATE delivery SET state = ?, attempts = ?, next_at_ms = ? WHERE seq = ?",
          verdict.state,
          attempts,
          verdict.nextAtMs,
          seq,
        );
      const webhook = webhooks.view(id);
      // What was said at a URL that has been replaced meanwhile says nothing about the one that is set.
      if (webhook?.url !== url) return;
      webhooks.countFailure(id, verdict.state !== "delivered");
      if (verdict.disables && webhook.disabledCause === null) {
        webhooks.disable(id, "gone");
        audit("webhook.disabled", id, { status: 410, eventId });
      }
    });
  }

  /** Forgets what is over, and old or too much. What waits stays, for as long as its endpoint is disabled. */
  prune(nowMs: number): void {
    const { due } = this.#parts;
    if (due.take("prune", nowMs, 1).length === 0) return;
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

function randomFraction(deps: Deps): number {
  const [high = 0, low = 0] = deps.randomBytes(2);
  return (high * 256 + low) / 65_536;
}

function viewOf(row: Row): DeliveryView {
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
