import type { Deps } from "../bindings/deps.ts";
import type { DueTable } from "../durable/due-table.ts";
import type { DeliveryRow, ProjectDeliveries } from "../project/deliveries.ts";
import type { WebhookView } from "../project/views.ts";
import type { ProjectWebhooks } from "../project/webhooks.ts";
import { withTimeLimit } from "../timing.ts";
import { type DeliveryResponse, decideDelivery, type EndpointLoad, mayBegin, TIMEOUT_MS } from "./delivery.ts";
import { signatureHeaders } from "./sign.ts";
import { parseWebhookUrl } from "./target.ts";

/** An attempt of which nothing was heard by then was cut off with its instance: the delivery is due again. */
const LEASE_MS = 4 * TIMEOUT_MS;
/** The service itself could not send: no attempt is counted. */
const OWN_FAULT_RETRY_MS = 60_000;
/** Of the 50 calls that an alarm may make on Workers Free, where further ones fail: the next alarm goes on. */
const ATTEMPTS_PER_ALARM = 40;

export interface SenderParts {
  readonly storage: DurableObjectStorage;
  readonly due: DueTable;
  readonly webhooks: ProjectWebhooks;
  readonly deliveries: ProjectDeliveries;
  readonly deps: Deps;
  projectId(): string;
  /** Within a commit: the receiver has said that it is gone. */
  disableGone(webhookId: string, eventId: string): void;
  /** Keeps the object alive for work that goes on by itself. */
  waitUntil(work: Promise<void>): void;
}

/**
 * Makes the attempts at a project's deliveries: beside each other and beside the alarm, a few at once (`mayBegin`), so
 * that a receiver which hangs keeps nobody else waiting. Whatever ends an instance in between, the alarm goes on.
 */
export class WebhookSender {
  readonly #parts: SenderParts;
  /** Attempts under way, by endpoint: in memory only, as they are themselves. */
  readonly #open = new Map<string, number>();
  #rotation = 0;
  /** Attempts that may still begin before the next alarm. */
  #attemptsLeft = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Begins what is due, as far as may be at once, in turn for each endpoint. */
  runDue(): void {
    this.#attemptsLeft = ATTEMPTS_PER_ALARM;
    if (this.#parts.due.listDue("deliver", this.#parts.deps.clock.nowMs(), 1).length > 0) this.#startDue();
  }

  #startDue(): void {
    const { deps, due, deliveries, webhooks } = this.#parts;
    const nowMs = deps.clock.nowMs();
    const enabled = this.#inTurn(webhooks.enabled());
    for (let begun = true; begun; ) {
      begun = false;
      for (const webhook of enabled) begun = this.#beginOne(webhook, enabled, nowMs) || begun;
    }
    // What is due already waits for an attempt to end, which then goes on with it, or for the next alarm.
    const laterMs = this.#attemptsLeft === 0 ? nowMs : nowMs + LEASE_MS;
    const next = enabled.flatMap(({ id }) => deliveries.nextAtMs(id) ?? []);
    const nextAtMs = next.map((atMs) => (atMs <= nowMs ? laterMs : atMs));
    due.set("deliver", "", nextAtMs.length === 0 ? null : Math.min(...nextAtMs));
  }

  /** Each time another one comes first, so that none waits for ever where places are few. */
  #inTurn(webhooks: readonly WebhookView[]): readonly WebhookView[] {
    this.#rotation = webhooks.length === 0 ? 0 : (this.#rotation + 1) % webhooks.length;
    return [...webhooks.slice(this.#rotation), ...webhooks.slice(0, this.#rotation)];
  }

  #beginOne(webhook: WebhookView, all: readonly WebhookView[], nowMs: number): boolean {
    const { deliveries, waitUntil } = this.#parts;
    const { id } = webhook;
    if (this.#attemptsLeft === 0) return false;
    const others = all.filter((other) => other.id !== id).map((other) => this.#loadOf(other));
    if (!mayBegin(this.#loadOf(webhook), others)) return false;
    const row = deliveries.claim(id, nowMs, nowMs + LEASE_MS);
    if (row === null) return false;
    this.#attemptsLeft -= 1;
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    waitUntil(this.#attempt(webhook, row));
    return true;
  }

  #loadOf({ id, failures }: WebhookView): EndpointLoad {
    return { failing: failures > 0, open: this.#open.get(id) ?? 0 };
  }

  /** One attempt, to its end; then what waits for its place. */
  async #attempt(webhook: WebhookView, row: DeliveryRow): Promise<void> {
    const { deps, deliveries } = this.#parts;
    try {
      this.#record(webhook, row, await this.#send(webhook, row));
    } catch (error) {
      deps.log("webhook.attempt_failed", { webhook: webhook.id, eventId: row.event_id, error: String(error) });
      // What else waits for this endpoint would fare no better now.
      const nowMs = deps.clock.nowMs();
      deliveries.postpone(row, nowMs, nowMs + OWN_FAULT_RETRY_MS);
    } finally {
      this.#open.set(webhook.id, Math.max(0, (this.#open.get(webhook.id) ?? 0) - 1));
      this.#startDue();
    }
  }

  /** @throws UnopenableSealError where the secret's master key is not configured. */
  async #send({ id, url }: WebhookView, { event_id: eventId, body }: DeliveryRow): Promise<DeliveryResponse> {
    const { deps, webhooks, projectId } = this.#parts;
    const target = parseWebhookUrl(url);
    if (!target.ok) return { kind: "refused_target", error: `the URL ${target.error}` };
    const secrets = await webhooks.secrets(projectId(), id);
    if (secrets.length === 0) throw new Error("the endpoint was deleted meanwhile");
    const timestampSeconds = Math.floor(deps.clock.nowMs() / 1_000);
    const signed = signatureHeaders({ id: eventId, timestampSeconds, body }, secrets);
    try {
      return await withTimeLimit(TIMEOUT_MS, async (signal) => {
        const response = await deps.webhookFetch(target.value, {
          method: "POST",
          headers: { ...signed, "content-type": "application/json", "user-agent": "Gasworks-Webhooks/1" },
          body,
          redirect: "manual",
          signal,
        });
        // Nobody reads what a receiver says, however much it is.
        await response.body?.cancel().catch(() => {});
        return { kind: "status", status: response.status };
      });
    } catch (error) {
      const timedOut = error instanceof Error && error.name === "TimeoutError";
      return { kind: "none", error: timedOut ? `no answer within ${TIMEOUT_MS / 1_000} s` : "no connection" };
    }
  }

  #record({ id, url }: WebhookView, row: DeliveryRow, answer: DeliveryResponse): void {
    const { deps, deliveries, storage, webhooks } = this.#parts;
    const nowMs = deps.clock.nowMs();
    const verdict = decideDelivery(answer, row.attempts + 1, nowMs, randomFraction(deps));
    storage.transactionSync(() => {
      deliveries.record(row, answer, verdict, nowMs);
      const webhook = webhooks.view(id);
      // What was said at a URL that has been replaced meanwhile says nothing about the one that is set.
      if (webhook?.url !== url) return;
      webhooks.countFailure(id, verdict.state !== "delivered");
      if (verdict.disables && webhook.disabledCause === null) this.#parts.disableGone(id, row.event_id);
    });
  }
}

function randomFraction(deps: Deps): number {
  const [high = 0, low = 0] = deps.randomBytes(2);
  return (high * 256 + low) / 65_536;
}
