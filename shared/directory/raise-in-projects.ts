import type { Deps } from "../bindings/deps.ts";
import { refusalOfMoved } from "../durable/transfer/moved.ts";
import { batchesOf } from "../paging.ts";
import { inTime, sleep } from "../timing.ts";

const PROJECTS_AT_ONCE = 16;
/** The longest wait for a project, so that it delays no other. Its call continues. */
const PROJECT_AWAITED_MS = 5_000;
/** Pauses before further attempts at a project that has failed. */
const PAUSES_MS: readonly number[] = [1_000, 5_000];

type Raise = (projectId: string) => Promise<void>;

/** Raises an event in one project, with further attempts. It never throws. */
async function raiseInOne(projectId: string, { log }: Pick<Deps, "log">, raise: Raise): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      return await raise(projectId);
    } catch (error) {
      log("project.raise_failed", { project: projectId, error: String(error) });
      // A project that has moved to another service answers no more.
      if (pauseMs === null || refusalOfMoved(error) !== null) return;
      await sleep(pauseMs);
    }
  }
}

/** Raises an event in every project. It waits for each a bounded time. A slower one still gets the event. */
export async function raiseInProjects(
  projectIds: AsyncIterable<string>,
  deps: Pick<Deps, "log">,
  raise: Raise,
): Promise<void> {
  const ids: string[] = [];
  for await (const projectId of projectIds) ids.push(projectId);
  for (const batch of batchesOf(ids, PROJECTS_AT_ONCE))
    await Promise.all(
      batch.map(async (projectId) => {
        if ((await inTime(PROJECT_AWAITED_MS, raiseInOne(projectId, deps, raise))) === null)
          deps.log("project.raise_late", { project: projectId });
      }),
    );
}
