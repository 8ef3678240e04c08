import type { Problem } from "../../../shared/http/problem.ts";
import { pathTo, withQuery } from "../paths.ts";
import { filledIn } from "../rows/filters.tsx";
import { type DashboardPage, go, page, Refused, type Reply, required, type Visit } from "../visit.ts";
import { allWebhooks, placeOf, webhookOf } from "./gather.ts";
import { WebhooksPage } from "./list-page.tsx";
import { DeletePage, NewWebhookPage, SecretPage } from "./new-page.tsx";
import { DELIVERY_FILTERS, WebhookPage } from "./page.tsx";
import { webhookPath } from "./parts.tsx";

const PAGE_ROWS = "50";

async function list(visit: Visit): Promise<Reply> {
  const mayCreate = visit.may("POST /projects/:id/webhooks");
  return page("Webhooks", <WebhooksPage {...(await allWebhooks(visit))} mayCreate={mayCreate} />);
}

async function showWebhook(visit: Visit, problem: Problem | null): Promise<Reply> {
  const { webhook, project } = await webhookOf(visit);
  const query = filledIn(
    visit.query,
    DELIVERY_FILTERS.map(({ name }) => name),
  );
  const { cursor } = visit.query;
  const listed = await visit.call("GET /projects/:id/webhooks/:partId/deliveries", {
    ...placeOf(visit),
    query: { ...query, limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) },
  });
  const props = {
    visit,
    project,
    webhook,
    deliveries: listed.ok ? listed.value.items : [],
    nextCursor: listed.ok ? listed.value.nextCursor : null,
    query,
    isFirst: cursor === undefined,
    listProblem: listed.ok ? null : listed.error,
    problem,
  };
  const status = problem?.status ?? (listed.ok ? 200 : listed.error.status);
  return page(webhook.url, <WebhookPage {...props} />, status);
}

/** Returns to the webhook after a change, and reports that it is saved. */
function back({ id, partId }: ReturnType<typeof placeOf>): Reply {
  return go(withQuery(webhookPath(id, partId), { done: "saved" }));
}

async function change(visit: Visit, body: object): Promise<Reply> {
  const place = placeOf(visit);
  const answered = await visit.call("PATCH /projects/:id/webhooks/:partId", { ...place, body });
  return answered.ok ? back(place) : showWebhook(visit, answered.error);
}

/** The URL of a chat service is shown without its secret path, so an unchanged field must not replace it. */
async function changeSettings(visit: Visit): Promise<Reply> {
  const { webhook } = await webhookOf(visit);
  const url = visit.form.get("url") ?? "";
  return change(visit, { ...(url !== webhook.url && { url }), events: visit.form.getAll("events") });
}

async function resend(visit: Visit): Promise<Reply> {
  const place = placeOf(visit);
  const body = { eventId: visit.form.get("eventId") ?? "" };
  const answered = await visit.call("POST /projects/:id/webhooks/:partId/resend", { ...place, body });
  return answered.ok ? back(place) : showWebhook(visit, answered.error);
}

async function rotate(visit: Visit): Promise<Reply> {
  const place = placeOf(visit);
  const { form } = visit;
  if (form.get("sure") !== "yes") throw new Refused({ status: 400, detail: "Go back and tick the box first." });
  // A reload sends the form again. A second secret would end the one that the receiver knows.
  const query = { previousSecretUntil: form.get("previousSecretUntil") ?? "" };
  const { secret } = required(
    await visit.call("POST /projects/:id/webhooks/:partId/rotate-secret", { ...place, query }),
  );
  const path = webhookPath(place.id, place.partId);
  return page("The new secret", <SecretPage title="The new secret" secret={secret} path={path} />);
}

async function showNew(visit: Visit, problem: Problem | null): Promise<Reply> {
  const project = required(await visit.call("GET /projects/:id", { id: visit.query.project ?? "" }));
  return page(
    "Create a webhook",
    <NewWebhookPage visit={visit} project={project} problem={problem} />,
    problem?.status ?? 200,
  );
}

async function create(visit: Visit): Promise<Reply> {
  const { form, query } = visit;
  const id = query.project ?? "";
  const body = { url: form.get("url") ?? "", events: form.getAll("events"), format: form.get("format") ?? "standard" };
  const idempotencyKey = form.get("once");
  const answered = await visit.call("POST /projects/:id/webhooks", { id, body, idempotencyKey });
  if (!answered.ok) return showNew(visit, answered.error);
  const { secret, id: webhookId } = answered.value;
  const path = webhookPath(id, webhookId);
  return page("The secret", <SecretPage title="The webhook's secret" secret={secret} path={path} />);
}

async function remove(visit: Visit): Promise<Reply> {
  required(await visit.call("DELETE /projects/:id/webhooks/:partId", placeOf(visit)));
  return go(pathTo("webhooks"));
}

const ONE = "/projects/:id/webhooks/:hook";
const PATCH = "PATCH /projects/:id/webhooks/:partId";
const DELETE = "DELETE /projects/:id/webhooks/:partId";

/** The pages of webhooks. */
export const webhookPages: readonly DashboardPage[] = [
  { method: "GET", path: "/webhooks", needs: ["GET /projects/:id/webhooks"], respond: list },
  {
    method: "GET",
    path: "/new-webhook",
    needs: ["POST /projects/:id/webhooks"],
    respond: (visit) => showNew(visit, null),
  },
  { method: "POST", path: "/new-webhook", needs: ["POST /projects/:id/webhooks"], respond: create },
  {
    method: "GET",
    path: ONE,
    needs: ["GET /projects/:id/webhooks/:partId"],
    respond: (visit) => showWebhook(visit, null),
  },
  {
    method: "POST",
    path: `${ONE}/change`,
    needs: [PATCH],
    respond: changeSettings,
  },
  { method: "POST", path: `${ONE}/enable`, needs: [PATCH], respond: (visit) => change(visit, { enabled: true }) },
  { method: "POST", path: `${ONE}/disable`, needs: [PATCH], respond: (visit) => change(visit, { enabled: false }) },
  {
    method: "POST",
    path: `${ONE}/resend`,
    needs: ["POST /projects/:id/webhooks/:partId/resend"],
    respond: resend,
  },
  {
    method: "POST",
    path: `${ONE}/rotate`,
    needs: ["POST /projects/:id/webhooks/:partId/rotate-secret"],
    respond: rotate,
  },
  {
    method: "GET",
    path: `${ONE}/delete`,
    needs: [DELETE],
    respond: async (visit) => {
      const { webhook, project } = await webhookOf(visit);
      return page("Delete the webhook?", <DeletePage visit={visit} project={project} webhook={webhook} />);
    },
  },
  { method: "POST", path: `${ONE}/delete`, needs: [DELETE], respond: remove },
];
