import * as z from "zod";
import { eventTypeSchema } from "../../../../shared/observe/events.ts";
import { webhookFormats } from "../../../../shared/project/views.ts";
import { MAX_WEBHOOKS } from "../../../../shared/project/webhooks.ts";
import { deliveryStates } from "../../../../shared/webhooks/delivery.ts";
import { parseWebhookUrl } from "../../../../shared/webhooks/target.ts";
import { auditEntry } from "../route/audit.ts";
import { hasField, instant, mapPage, NO_FIELD, project, rowsQuery, webhook } from "../route/fields.ts";
import { checkedFilter, filteredAnswer, optional, spanOf, spanQuery } from "../route/filters.ts";
import { idForCreation } from "../route/idempotent-id.ts";
import { listRoute } from "../route/list.ts";
import { answer, noBody, noQuery, notFound, problem, type Route, route } from "../route/route.ts";
import { deliverySchema, eventIdSchema, showDelivery, shownUrl, showWebhook, webhookSchema } from "./schema.ts";

const urlSchema = z
  .string()
  .transform((text, context) => {
    const target = parseWebhookUrl(text);
    if (target.ok) return target.value;
    context.addIssue({ code: "custom", message: target.error });
    return z.NEVER;
  })
  .describe("https, port 443, a host name of the public DNS, no credentials");

const eventsSchema = z
  .array(eventTypeSchema)
  .min(1, "must name an event")
  .max(eventTypeSchema.options.length)
  .refine((events) => new Set(events).size === events.length, "must not name an event twice");

/** The value of `previousSecretUntil` on the webhook. It names the secret that is to be replaced. */
const shownUntilSchema = z.union(
  [instant.transform((text) => Date.parse(text)), z.literal("none")],
  "must be the webhook's previousSecretUntil, or none if that is null",
);

const onWebhook = { path: "/projects/:id/webhooks/:partId", resource: project, part: webhook } as const;

/** The routes of webhooks and their deliveries. */
export const webhookRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/projects/:id/webhooks",
    summary: "Create a webhook. The answer is the only place where its secret is ever shown",
    resource: project,
    body: z.strictObject({
      url: urlSchema,
      events: eventsSchema,
      format: z
        .enum(webhookFormats)
        .exactOptional()
        .describe('chat: each event as {"text": one sentence}, for the incoming hook of a chat service'),
    }),
    query: noQuery,
    result: webhookSchema.extend({
      secret: z
        .string()
        .nullable()
        .describe("whsec_…, shown this once. null: this Idempotency-Key had already made it; rotate the secret"),
    }),
    status: 201,
    idempotent: "honoured",
    handle: async (call) => {
      const { env, actor, id, body } = call;
      const owner = env.PROJECT.getByName(id);
      if ((await owner.view()) === null) return notFound("project");
      const named = await idForCreation("whk", call);
      if (!named.ok) return named;
      const webhookId = named.value;
      const shown = { ...body, url: shownUrl(body.url, body.format ?? "standard") };
      const entry = auditEntry(actor, "webhook.create", webhookId, shown);
      const made = await owner.createWebhook({ id: webhookId, ...body }, entry);
      if (made === null) return notFound("project");
      if (made === "full") return problem(422, `a project has at most ${MAX_WEBHOOKS} webhooks: delete one`);
      return answer({ ...showWebhook(made.view), secret: made.secret });
    },
  }),
  listRoute({
    path: "/projects/:id/webhooks",
    summary: "List the webhooks of a project",
    resource: project,
    query: rowsQuery.extend({ event: optional(eventTypeSchema), enabled: optional(z.enum(["true", "false"])) }),
    item: webhookSchema,
    handle: async ({ env, id, query: { limit, cursor, event, enabled } }) => {
      const page = await env.PROJECT.getByName(id).webhooks({ limit, cursor });
      if (page === null) return notFound("project");
      // A project has few webhooks, so a page examines no more than it could show.
      const items = page.items.filter(
        ({ events, disabledCause }) =>
          (event === null || events.includes(event)) &&
          (enabled === null || String(disabledCause === null) === enabled),
      );
      return answer(mapPage({ ...page, items }, showWebhook));
    },
  }),
  route({
    ...onWebhook,
    method: "GET",
    summary: "Read a webhook",
    body: noBody,
    query: noQuery,
    result: webhookSchema,
    status: 200,
    handle: async ({ env, id, partId }) => {
      const view = await env.PROJECT.getByName(id).webhook(partId);
      return view === null ? notFound("webhook") : answer(showWebhook(view));
    },
  }),
  route({
    ...onWebhook,
    method: "PATCH",
    summary: "Change a webhook, or disable it. Waiting events are sent once it is enabled; later ones are not",
    body: z
      .strictObject({
        url: urlSchema.exactOptional(),
        events: eventsSchema.exactOptional(),
        enabled: z.boolean().exactOptional(),
      })
      .refine(hasField, NO_FIELD),
    query: noQuery,
    result: webhookSchema,
    status: 200,
    handle: async ({ env, actor, id, partId, body }) => {
      const owner = env.PROJECT.getByName(id);
      const { format = "standard" } = (await owner.webhook(partId)) ?? {};
      const shown = { ...body, ...(body.url !== undefined && { url: shownUrl(body.url, format) }) };
      const view = await owner.updateWebhook(partId, body, auditEntry(actor, "webhook.update", partId, shown));
      return view === null ? notFound("webhook") : answer(showWebhook(view));
    },
  }),
  route({
    ...onWebhook,
    method: "DELETE",
    summary: "Delete a webhook, its secret and its deliveries. The answer shows it as it was",
    body: noBody,
    query: noQuery,
    result: webhookSchema,
    status: 200,
    handle: async ({ env, actor, id, partId }) => {
      const entry = auditEntry(actor, "webhook.delete", partId, {});
      const view = await env.PROJECT.getByName(id).deleteWebhook(partId, entry);
      return view === null ? notFound("webhook") : answer(showWebhook(view));
    },
  }),
  route({
    ...onWebhook,
    method: "POST",
    path: "/projects/:id/webhooks/:partId/rotate-secret",
    summary: "Make a new secret, shown this once. The one before signs beside it for 24 hours",
    body: noBody,
    query: z.strictObject({
      previousSecretUntil: optional(shownUntilSchema).describe(
        "the webhook's, or none if it is null: a repeat then makes no second secret, but is refused",
      ),
    }),
    result: z.object({ secret: z.string() }),
    status: 200,
    handle: async ({ env, actor, id, partId, query: { previousSecretUntil: shown } }) => {
      const entry = auditEntry(actor, "webhook.rotate_secret", partId, {});
      const shownUntilMs = shown === null ? undefined : shown === "none" ? null : shown;
      const secret = await env.PROJECT.getByName(id).rotateWebhookSecret(partId, entry, shownUntilMs);
      if (secret === null) return notFound("webhook");
      if (typeof secret === "string") return answer({ secret });
      return problem(422, "another call has replaced the secret: read the webhook, then replace it again");
    },
  }),
  listRoute({
    path: "/projects/:id/webhooks/:partId/deliveries",
    summary: "List the deliveries of a webhook of the last seven days and those that wait, newest first",
    resource: project,
    part: webhook,
    query: rowsQuery.extend({
      ...spanQuery,
      state: optional(z.enum(deliveryStates)),
      type: optional(eventTypeSchema),
    }),
    item: deliverySchema,
    handle: async ({ env, id, partId, query: { limit, cursor, from, to, state, type } }) => {
      const filter = checkedFilter({ ...spanOf({ from, to }), state, type });
      if (!filter.ok) return filter;
      const page = await env.PROJECT.getByName(id).deliveries(partId, { limit, cursor, filter: filter.value });
      return page === null ? notFound("webhook") : filteredAnswer(mapPage(page, showDelivery), filter.value);
    },
  }),
  route({
    ...onWebhook,
    method: "POST",
    path: "/projects/:id/webhooks/:partId/resend",
    summary: "Send an event again, with all its attempts, whatever its state",
    body: z.strictObject({ eventId: eventIdSchema }),
    query: noQuery,
    result: deliverySchema,
    status: 202,
    handle: async ({ env, actor, id, partId, body: { eventId } }) => {
      const owner = env.PROJECT.getByName(id);
      const view = await owner.webhook(partId);
      if (view === null) return notFound("webhook");
      if (view.disabledCause !== null) return problem(422, "the webhook is disabled: enable it first");
      const resent = await owner.resendDelivery(
        partId,
        eventId,
        auditEntry(actor, "webhook.resend", partId, { eventId }),
      );
      return resent === null
        ? problem(422, "no such delivery in the last seven days: list the deliveries")
        : answer(showDelivery(resent));
    },
  }),
];
