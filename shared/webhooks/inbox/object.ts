import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps } from "../../bindings/deps.ts";
import type { Env, ObjectMethods } from "../../bindings/env.ts";
import type { InboxClaim, InboxMessage, WebhookInboxObject } from "../../bindings/webhook-inbox.ts";
import { answerAlarm } from "../../durable/alarm.ts";
import { DueTable } from "../../durable/due-table.ts";
import { migrate } from "../../durable/migrations.ts";
import { isStorageFull, isStorageHigh, readStorageUse, type StorageUse } from "../../durable/storage-budget.ts";
import { migrations } from "./schema.ts";

/**
 * The time for which an id is remembered, from its answer on. A message is valid for five minutes. A sender without an
 * answer signs it anew for three days. Such a repeat must not start anything again.
 */
const REMEMBERED_MS = 4 * 86_400_000;
/** Lease of a message whose workflow was cut off. Its sender's next attempt then starts it again. */
const LEASE_MS = 120_000;
/** The disk budget of an inbox, 256 MiB: about a million ids. */
const INBOX_BYTES = 256 * 1_024 ** 2;
const FORGET_INTERVAL_MS = 3_600_000;

/** Remembers the ids of messages under one webhook's name, and the answer of each. A repeat starts nothing. */
export class WebhookInbox extends DurableObject<Env> implements ObjectMethods<WebhookInboxObject> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  /** True if the last event that this instance logged was of a high storage. */
  #wasHigh = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), {
      forget: FORGET_INTERVAL_MS,
    });
    this.#due.rearm();
  }

  async begin({ id, fingerprint }: InboxMessage): Promise<InboxClaim> {
    const { sql } = this.ctx.storage;
    const nowMs = this.#deps.clock.nowMs();
    this.#due.rearmIfOverdue(nowMs);
    const [known] = sql
      .exec<{ fingerprint: string; lease_until_ms: number; answer: string | null }>(
        "SELECT fingerprint, lease_until_ms, answer FROM message WHERE id = ?",
        id,
      )
      .toArray();
    if (known !== undefined && known.fingerprint !== fingerprint) return { state: "conflict" };
    if (known?.answer != null) return { state: "answered", answerJson: known.answer };
    if (known !== undefined && known.lease_until_ms > nowMs) return { state: "running" };
    const use = readStorageUse(sql, INBOX_BYTES);
    this.#report(use);
    if (known === undefined && isStorageFull(use)) return { state: "full" };
    this.ctx.storage.transactionSync(() => {
      sql.exec(
        `INSERT INTO message (id, fingerprint, lease_until_ms, at_ms) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET lease_until_ms = excluded.lease_until_ms`,
        id,
        fingerprint,
        nowMs + LEASE_MS,
        nowMs,
      );
      this.#due.set("forget", "", nowMs + FORGET_INTERVAL_MS, "by_then");
    });
    return { state: "begun" };
  }

  /** Logs once that the storage is high, and once that it has recovered. An inbox belongs to no project's webhooks. */
  #report(use: StorageUse): void {
    const isHigh = isStorageHigh(use, this.#wasHigh);
    if (isHigh === this.#wasHigh) return;
    this.#wasHigh = isHigh;
    const event = isHigh ? "webhook_inbox.storage_high" : "webhook_inbox.storage_recovered";
    this.#deps.log(event, { inbox: this.ctx.id.name ?? null, ...use });
  }

  async finish(id: string, answerJson: string): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    this.ctx.storage.sql.exec("UPDATE message SET answer = ?, at_ms = ? WHERE id = ?", answerJson, nowMs, id);
  }

  async release(id: string): Promise<void> {
    this.ctx.storage.sql.exec("UPDATE message SET lease_until_ms = 0 WHERE id = ? AND answer IS NULL", id);
  }

  override async alarm(): Promise<void> {
    const { clock, log } = this.#deps;
    const inbox = this.ctx.id.name ?? null;
    const logFailure = (error: unknown) => log("webhook_inbox.alarm_failed", { inbox, error: String(error) });
    await answerAlarm({ due: this.#due, clock, logFailure }, async () => this.#forget(clock.nowMs()));
  }

  #forget(nowMs: number): void {
    if (this.#due.listDue("forget", nowMs, 1).length === 0) return;
    const { sql } = this.ctx.storage;
    sql.exec("DELETE FROM message WHERE at_ms < ?", nowMs - REMEMBERED_MS);
    const [left] = sql.exec("SELECT 1 FROM message LIMIT 1").toArray();
    this.#due.set("forget", "", left === undefined ? null : nowMs + FORGET_INTERVAL_MS);
  }
}
