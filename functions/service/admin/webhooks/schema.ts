import * as z from "zod";
import { EVENT_ID, eventTypeSchema } from "../../../../shared/observe/events.ts";
import {
  type DeliveryView,
  type WebhookFormat,
  type WebhookView,
  webhookFormats,
} from "../../../../shared/project/views.ts";
import { deliveryStates } from "../../../../shared/webhooks/delivery.ts";
import { instant, webhook } from "../route/fields.ts";

/** The schema of an event's id. */
export const eventIdSchema = z.string().regex(EVENT_ID, "must be the id of an event");

/** The schema of a webhook. It never holds the secret. */
export const webhookSchema = z.object({
  id: webhook.idSchema,
  url: z.string().describe("of the format chat without its path, which is the chat service's secret"),
  format: z.enum(webhookFormats),
  events: z.array(eventTypeSchema).readonly(),
  enabled: z.boolean(),
  disabledCause: z.enum(["operator", "gone"]).nullable().describe("gone: the receiver has answered 410"),
  failures: z.int().describe("failed attempts in a row"),
  dropped: z.int().describe("events that were dropped because too many others waited for this receiver"),
  previousSecretUntil: instant
    .nullable()
    .describe("the end of the time in which the secret before this one signs, too"),
  createdAt: instant,
});

function iso(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

/** Returns the part of a URL that may be shown. Whoever has the URL of a chat service's hook may post there. */
export function shownUrl(url: string, format: WebhookFormat): string {
  return format === "chat" ? `${new URL(url).origin}/…` : url;
}

/** Returns a webhook in the form of the admin API. */
export function showWebhook({
  disabledCause,
  previousSecretUntilMs,
  createdAtMs,
  url,
  format = "standard",
  ...view
}: WebhookView): z.input<typeof webhookSchema> {
  return {
    ...view,
    url: shownUrl(url, format),
    format,
    enabled: disabledCause === null,
    disabledCause,
    previousSecretUntil: iso(previousSecretUntilMs),
    createdAt: new Date(createdAtMs).toISOString(),
  };
}

/** The schema of a delivery in a list. */
export const deliverySchema = z.object({
  eventId: eventIdSchema.describe("sent as webhook-id, at every attempt"),
  type: eventTypeSchema,
  state: z.enum(deliveryStates).describe("failed: all attempts are used up"),
  attempts: z.int(),
  createdAt: instant,
  nextAttemptAt: instant.nullable(),
  lastAttemptAt: instant.nullable(),
  lastStatus: z.int().nullable().describe("the status of HTTP; null: no answer"),
  lastError: z.string().nullable(),
});

/** Returns a delivery in the form of the admin API. */
export function showDelivery(view: DeliveryView): z.input<typeof deliverySchema> {
  const { eventId, type, state, attempts, lastStatus, lastError } = view;
  return {
    eventId,
    type,
    state,
    attempts,
    createdAt: new Date(view.createdAtMs).toISOString(),
    nextAttemptAt: iso(view.nextAtMs),
    lastAttemptAt: iso(view.lastAtMs),
    lastStatus,
    lastError,
  };
}
