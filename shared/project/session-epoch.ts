import type { AnnouncedEpoch } from "../bindings/project.ts";
import type { ProjectParts } from "./parts.ts";
import type { ProjectResources } from "./resources.ts";

/** Workers allows one request 1,000 calls. */
const KEYS_PER_CALL = 100;

/**
 * Sends the session epoch to a page of the project's access keys.
 *
 * @param cursor null for the first page.
 */
export async function announceSessionEpoch(
  { env }: ProjectParts,
  resources: ProjectResources,
  sessionEpoch: number,
  cursor: string | null,
): Promise<AnnouncedEpoch> {
  const page = resources.list("key", { limit: KEYS_PER_CALL, cursor });
  const sent = await Promise.allSettled(
    page.items.map((id) => env.ACCESS_KEY.getByName(id).acknowledgeSessionEpoch(sessionEpoch)),
  );
  const silent = sent.filter(({ status }) => status === "rejected").length;
  return { keys: sent.length, silent, nextCursor: page.nextCursor };
}
