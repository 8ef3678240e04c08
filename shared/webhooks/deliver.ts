import type { Deps } from "../bindings/deps.ts";
import type { DueTable } from "../durable/due-table.ts";
import type { DeliveryRow, ProjectDeliveries } from "../project/deliveries.ts";
import type { WebhookView } from "../project/views.ts";
import type { WebhookSecrets } from "../project/webhook-secrets.ts";
import type { ProjectWebhooks } from "../project/webhooks.ts";
import { withTimeLimit } from "../timing.ts";
import { chatBody } from "./chat.ts";
import { type DeliveryResponse, decideDelivery, type EndpointLoad, mayBegin, TIMEOUT_MS } from "./delivery.ts";
import { signatureHeaders } from "./sign.ts";
import { parseWebhookUrl } from "./target.ts";

/** An attempt without a recorded end by then died with its instance. The delivery is due again. */
const LEASE_MS = 4 * TIMEOUT_MS;
/** Wait after a fault of the service itself, which counts no attempt. */
const OWN_FAULT_RETRY_MS = 60_000;
/** Workers Free fails the 51st call of an alarm. The next alarm makes the other attempts. */
const ATTEMPTS_PER_ALARM = 40;

/** The parts of a project that the sender of deliveries needs. */
export interface SenderParts {
  readonly storage: DurableObjectStorage;
  readonly due: DueTable;
  readonly webhooks: ProjectWebhooks;
  readonly secrets: WebhookSecrets;
  readonly deliveries: ProjectDeliveries;
  readonly deps: Deps;
  projectId(): string;
  /** Disables a webhook whose receiver answered 410. Called within a commit. */
  disableGone(webhookId: string, eventId: string): void;
  /** Keeps the object alive until the work ends. */
  waitUntil(work: Promise<void>): void;
}

/**
 * Makes the attempts at a project's deliveries, a few at once (`mayBegin`) and beside the alarm. So a receiver that
 * hangs delays no other one. The alarm continues after an instance died.
 */
export class WebhookSender {
  readonly #parts: SenderParts;
  /** Attempts in progress by webhook. In memory only, like the attempts. */
  readonly #open = new Map<string, number>();
  #rotation = 0;
  /** Attempts that may still begin before the next alarm. */
  #attemptsLeft = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Starts due attempts, up to the limits, one webhook after the other. */
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
    // A delivery that is still due starts when an attempt ends, or in the next alarm.
    const laterMs = this.#attemptsLeft === 0 ? nowMs : nowMs + LEASE_MS;
    const next = enabled.flatMap(({ id }) => deliveries.nextAtMs(id) ?? []);
    const nextAtMs = next.map((atMs) => (atMs <= nowMs ? laterMs : atMs));
    due.set("deliver", "", nextAtMs.length === 0 ? null : Math.min(...nextAtMs));
  }

  /** Puts another webhook first each time, so that none waits for ever. */
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

  /** Makes one attempt, then starts the next due ones. */
  async #attempt(webhook: WebhookView, row: DeliveryRow): Promise<void> {
    const { deps, deliveries } = this.#parts;
    try {
      this.#record(webhook, row, await this.#send(webhook, row));
    } catch (error) {
      deps.log("webhook.attempt_failed", { webhook: webhook.id, eventId: row.event_id, error: String(error) });
      // The other deliveries of this webhook would fail in the same way.
      const nowMs = deps.clock.nowMs();
      deliveries.postpone(row, nowMs, nowMs + OWN_FAULT_RETRY_MS);
    } finally {
      this.#open.set(webhook.id, Math.max(0, (this.#open.get(webhook.id) ?? 0) - 1));
      this.#startDue();
    }
  }

  /** @throws UnopenableSealError if the secret's master key is not configured. */
  async #send({ id, url, format }: WebhookView, row: DeliveryRow): Promise<DeliveryResponse> {
    const { deps, projectId } = this.#parts;
    const { event_id: eventId } = row;
    const body = format === "chat" ? chatBody(row.body) : row.body;
    const target = parseWebhookUrl(url);
    if (!target.ok) return { kind: "refused_target", error: `the URL ${target.error}` };
    const secrets = await this.#parts.secrets.open(projectId(), id);
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
        // The response body is never read, so that its size does not matter.
        await response.body?.cancel().catch(() => {});
        return { kind: "status", status: response.status };
      });
    } catch (error) {
      const timedOut = error instanceof Error && error.name === "TimeoutError";
      return { kind: "none", error: timedOut ? `no answer within ${TIMEOUT_MS / 1_000} s` : "no connection" };
    }
  }

  #record({ id, url }: WebhookView, row: DeliveryRow, response: DeliveryResponse): void {
    const { deps, deliveries, storage, webhooks } = this.#parts;
    const nowMs = deps.clock.nowMs();
    const decision = decideDelivery(response, row.attempts + 1, nowMs, randomFraction(deps));
    storage.transactionSync(() => {
      deliveries.record(row, response, decision, nowMs);
      const webhook = webhooks.view(id);
      // The result proves nothing about a URL that changed during the attempt.
      if (webhook?.url !== url) return;
      webhooks.countFailure(id, decision.state !== "delivered");
      if (decision.disables && webhook.disabledCause === null) this.#parts.disableGone(id, row.event_id);
    });
  }
}

function randomFraction(deps: Deps): number {
  const [high = 0, low = 0] = deps.randomBytes(2);
  return (high * 256 + low) / 65_536;
}
