import type { Project } from "../answers.ts";
import { projectsOf, webhooksOf } from "../gather.ts";
import { required, type Visit } from "../visit.ts";

/** The ids in the path of a webhook's page. */
export function placeOf({ params }: Visit) {
  return { id: params.id ?? "", partId: params.hook ?? "" };
}

/** Reads a webhook and its project. @throws Refused */
export async function webhookOf(visit: Visit) {
  const { id, partId } = placeOf(visit);
  const [webhook, project] = await Promise.all([
    visit.call("GET /projects/:id/webhooks/:partId", { id, partId }),
    visit.call("GET /projects/:id", { id }),
  ]);
  return { webhook: required(webhook), project: required(project) };
}

/** Reads the webhooks of all projects. @throws Refused */
export async function allWebhooks(visit: Visit) {
  const { items } = await projectsOf(visit);
  const projects: readonly Project[] = items;
  return { projects, webhooks: await webhooksOf(visit, projects) };
}
