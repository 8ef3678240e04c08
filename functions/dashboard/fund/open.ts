import type { Fund, Key } from "../answers.ts";
import type { Visit } from "../visit.ts";
import { required } from "../visit.ts";

const OBJECTS = "40";

/** Reads the fund that the path names. @throws Refused */
export async function fundOf(visit: Visit): Promise<Fund> {
  return required(await visit.call("GET /funds/:id", { id: visit.params.id ?? "" }));
}

/** Reads the keys of a fund, to name them. Empty if they do not answer. */
export async function keysOf(visit: Visit, fund: Fund): Promise<readonly Key[]> {
  const query = { limit: OBJECTS, fundId: fund.id };
  const listed = await visit.call("GET /projects/:id/keys", { id: fund.projectId, query });
  return listed.ok ? listed.value.items : [];
}
