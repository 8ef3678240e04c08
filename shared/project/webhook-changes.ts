import type { AuditLog } from "../audit/log.ts";
import type { AuditEntry } from "../bindings/project.ts";
import { requireRightKeys } from "../directory/right-secrets.ts";
import { secretText } from "../webhooks/sign.ts";
import type { ProjectDeliveries } from "./deliveries.ts";
import type { ProjectParts } from "./parts.ts";
import type { FundSubscriptions } from "./subscriptions.ts";
import type { NewWebhook, WebhookPatch, WebhookView } from "./views.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";
import type { ProjectWebhooks } from "./webhooks.ts";

/** The parts of a project that a change of a webhook needs. */
export interface WebhookChangeParts extends ProjectParts {
  readonly webhooks: ProjectWebhooks;
  readonly secrets: WebhookSecrets;
  readonly deliveries: ProjectDeliveries;
  readonly subscriptions: FundSubscriptions;
  readonly audit: AuditLog;
}

/** Changes webhooks for an operator. One commit holds the change, its audit row and the due news to the funds. */
export class WebhookChanges {
  readonly #parts: WebhookChangeParts;

  constructor(parts: WebhookChangeParts) {
    this.#parts = parts;
  }

  /** Implements `ProjectObject.createWebhook` for a project that exists. */
  async create(
    projectId: string,
    webhook: NewWebhook,
    entry: AuditEntry,
  ): Promise<{ readonly view: WebhookView; readonly secret: string | null } | "full"> {
    const { env, deps, storage, webhooks, secrets, subscriptions, audit } = this.#parts;
    const { id } = webhook;
    await requireRightKeys(env, deps);
    const { secret, sealed } = await secrets.make(projectId, id);
    const made = storage.transactionSync(() => {
      const inserted = webhooks.insert(webhook, sealed, deps.clock.nowMs());
      if (inserted !== "made") return inserted;
      audit.append(entry);
      subscriptions.changed();
      return inserted;
    });
    if (made === "full") return "full";
    await subscriptions.publish();
    const view = webhooks.view(id);
    if (view === null) throw new Error("the webhook was deleted while it was made");
    return { view, secret: made === "made" ? secretText(secret) : null };
  }

  /** Implements `ProjectObject.updateWebhook`. */
  async update(id: string, patch: WebhookPatch, entry: AuditEntry): Promise<WebhookView | null> {
    const { deps, due, storage, webhooks, subscriptions, audit } = this.#parts;
    if (webhooks.view(id) === null) return null;
    storage.transactionSync(() => {
      webhooks.update(id, patch);
      audit.append(entry);
      subscriptions.changed();
      due.set("deliver", "", deps.clock.nowMs(), "by_then");
    });
    await subscriptions.publish();
    return webhooks.view(id);
  }

  /** Implements `ProjectObject.deleteWebhook`. */
  async delete(id: string, entry: AuditEntry): Promise<WebhookView | null> {
    const { storage, webhooks, deliveries, subscriptions, audit } = this.#parts;
    const view = webhooks.view(id);
    if (view === null) return null;
    storage.transactionSync(() => {
      webhooks.remove(id);
      deliveries.forget(id);
      audit.append(entry);
      subscriptions.changed();
    });
    await subscriptions.publish();
    return view;
  }

  /** Implements `ProjectObject.rotateWebhookSecret`. */
  async rotateSecret(
    projectId: string,
    id: string,
    entry: AuditEntry,
    shownUntilMs?: number | null,
  ): Promise<string | { readonly isReplaced: true } | null> {
    const { env, deps, storage, webhooks, secrets, audit } = this.#parts;
    await requireRightKeys(env, deps);
    const { secret, sealed } = await secrets.make(projectId, id);
    return storage.transactionSync(() => {
      const view = webhooks.view(id);
      if (view === null) return null;
      if (shownUntilMs !== undefined && shownUntilMs !== view.previousSecretUntilMs)
        return { isReplaced: true } as const;
      secrets.replace(id, sealed, deps.clock.nowMs());
      audit.append(entry);
      return secretText(secret);
    });
  }

  /**
   * Disables a webhook whose receiver answered 410 to this event. Called within the commit that records the attempt.
   */
  disableGone(webhookId: string, eventId: string): void {
    const { webhooks, subscriptions, audit } = this.#parts;
    webhooks.disable(webhookId, "gone");
    const detailJson = JSON.stringify({ status: 410, eventId });
    audit.append({ action: "webhook.disabled", target: webhookId, detailJson });
    subscriptions.changed();
  }
}
