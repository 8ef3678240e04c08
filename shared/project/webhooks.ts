import type { Deps } from "../bindings/deps.ts";
import { oneOf } from "../durable/sql.ts";
import { type EventSubscriptions, parseTypes } from "../durable/subscriptions.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { type DisabledCause, type NewWebhook, type WebhookPatch, type WebhookView, webhookFormats } from "./views.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

/** Webhooks of one project. */
export const MAX_WEBHOOKS = 20;

type Row = Record<string, SqlStorageValue> & {
  seq: number;
  id: string;
  url: string;
  events: string;
  disabled_cause: string | null;
  previous_until_ms: number;
  failures: number;
  dropped: number;
  created_at_ms: number;
  format: string | null;
};

const VIEW_COLUMNS =
  "seq, id, url, events, disabled_cause, previous_until_ms, failures, dropped, created_at_ms, format";

/** Keeps the webhooks of a project, and the list of events that they want. */
export class ProjectWebhooks {
  readonly #sql: SqlStorage;
  readonly #secrets: WebhookSecrets;
  readonly #deps: Deps;

  constructor(sql: SqlStorage, secrets: WebhookSecrets, deps: Deps) {
    this.#sql = sql;
    this.#secrets = secrets;
    this.#deps = deps;
  }

  /**
   * Adds a webhook with its sealed secret. Called within a commit. @returns `known`: the id exists; `full`: at the
   * limit.
   */
  insert(
    { id, url, events, format = "standard" }: NewWebhook,
    sealed: Uint8Array,
    nowMs: number,
  ): "made" | "known" | "full" {
    if (this.view(id) !== null) return "known";
    if (this.#count() >= MAX_WEBHOOKS) return "full";
    this.#sql.exec(
      "INSERT INTO webhook (id, url, events, sealed_secret, created_at_ms, format) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      url,
      events.join(" "),
      sealed,
      nowMs,
      format === "standard" ? null : format,
    );
    this.#secrets.record(id, sealed);
    this.#raiseSubscriptionVersion();
    return "made";
  }

  /** Returns null if there is no such webhook. */
  view(id: string): WebhookView | null {
    const [row] = this.#sql.exec<Row>(`SELECT ${VIEW_COLUMNS} FROM webhook WHERE id = ?`, id).toArray();
    return row === undefined ? null : this.#viewOf(row);
  }

  /** Lists webhooks in the order of creation. */
  list({ limit, cursor }: PageRequest): Page<WebhookView> {
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${VIEW_COLUMNS} FROM webhook WHERE seq > ? ORDER BY seq LIMIT ?`,
        Number(cursor ?? 0),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, (row) => this.#viewOf(row));
  }

  enabled(): readonly WebhookView[] {
    return this.#sql
      .exec<Row>(`SELECT ${VIEW_COLUMNS} FROM webhook WHERE disabled_cause IS NULL ORDER BY seq`)
      .toArray()
      .map((row) => this.#viewOf(row));
  }

  /** Changes the fields of the patch. A new URL, or enabling, ends the row of failures. Call it within a commit. */
  update(id: string, { url, events, enabled }: WebhookPatch): void {
    if (url !== undefined) this.#sql.exec("UPDATE webhook SET url = ?, failures = 0 WHERE id = ?", url, id);
    if (events !== undefined) this.#sql.exec("UPDATE webhook SET events = ? WHERE id = ?", events.join(" "), id);
    if (enabled === true) this.#sql.exec("UPDATE webhook SET disabled_cause = NULL, failures = 0 WHERE id = ?", id);
    if (enabled === false) this.disable(id, "operator");
    this.#raiseSubscriptionVersion();
  }

  /** Disables a webhook. A disabled one keeps its first cause. Called within a commit. */
  disable(id: string, cause: DisabledCause): void {
    this.#sql.exec("UPDATE webhook SET disabled_cause = ? WHERE id = ? AND disabled_cause IS NULL", cause, id);
    this.#raiseSubscriptionVersion();
  }

  /** Deletes a webhook. Called within a commit. */
  remove(id: string): void {
    this.#sql.exec("DELETE FROM webhook WHERE id = ?", id);
    this.#secrets.forget(id);
    this.#raiseSubscriptionVersion();
  }

  /** Counts the failed attempts in a row. Called within the commit that records an attempt. */
  countFailure(id: string, failed: boolean): void {
    if (failed) this.#sql.exec("UPDATE webhook SET failures = failures + 1 WHERE id = ?", id);
    else this.#sql.exec("UPDATE webhook SET failures = 0 WHERE id = ? AND failures > 0", id);
  }

  /** Counts lost events. Called within a commit. */
  countDropped(id: string, events: number): void {
    this.#sql.exec("UPDATE webhook SET dropped = dropped + ? WHERE id = ?", events, id);
  }

  /** Returns the events that some enabled webhook wants. */
  subscriptions(): EventSubscriptions {
    const types = new Set(this.enabled().flatMap(({ events }) => events));
    const [row] = this.#sql.exec<{ version: number }>("SELECT version FROM listeners_version").toArray();
    return { version: row?.version ?? 0, types: [...types] };
  }

  #raiseSubscriptionVersion(): void {
    this.#sql.exec(
      `INSERT INTO listeners_version (only_row, version) VALUES (1, 1)
       ON CONFLICT (only_row) DO UPDATE SET version = version + 1`,
    );
  }

  #viewOf(row: Row): WebhookView {
    return {
      id: row.id,
      url: row.url,
      events: parseTypes(row.events),
      disabledCause: row.disabled_cause === null ? null : row.disabled_cause === "gone" ? "gone" : "operator",
      failures: row.failures,
      dropped: row.dropped,
      previousSecretUntilMs: row.previous_until_ms > this.#deps.clock.nowMs() ? row.previous_until_ms : null,
      createdAtMs: row.created_at_ms,
      format: row.format === null ? "standard" : oneOf(row.format, webhookFormats),
    };
  }

  #count(): number {
    return this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM webhook").one().count;
  }
}
