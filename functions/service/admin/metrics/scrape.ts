import type { Deps } from "../../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import { refusalOfMoved } from "../../../../shared/durable/transfer/moved.ts";
import type { FundMetrics } from "../../../../shared/fund/metrics.ts";
import type { Scrape } from "../../../../shared/observe/metrics.ts";
import { everyItem } from "../../../../shared/paging.ts";
import type { ProjectMetrics } from "../../../../shared/project/views.ts";
import { inTime } from "../../../../shared/timing.ts";

const PAGE_LIMIT = 100;
/** The most objects of a kind that one scrape reads. Read a larger service project by project. */
const MAX_OBJECTS = 1_000;
const OBJECTS_AT_ONCE = 16;
/** An object that does not answer within this time is missing in the scrape. */
const OBJECT_TIMEOUT_MS = 2_000;
/** A scraper gives up after ten seconds. What was not read by then is missing. */
const SCRAPE_TIMEOUT_MS = 8_000;

/** What was read of a kind of objects. */
interface ReadObjects<Value> {
  readonly values: readonly Value[];
  readonly silent: number;
}

/** Reads objects, a bounded number at a time. One that fails, or is slow, is counted and stops none. */
async function readObjects<Value>(
  ids: readonly string[],
  untilMs: number,
  { log }: Pick<Deps, "log">,
  read: (id: string) => Promise<Value | null>,
): Promise<ReadObjects<Value>> {
  const values: Value[] = [];
  let silent = 0;
  const waiting = ids.values();
  const worker = async () => {
    for (const id of waiting) {
      const leftMs = Math.min(OBJECT_TIMEOUT_MS, untilMs - performance.now());
      try {
        const answered =
          leftMs <= 0
            ? null
            : await inTime(
                leftMs,
                read(id).then((value) => ({ value })),
              );
        if (answered === null) silent += 1;
        else if (answered.value !== null) values.push(answered.value);
      } catch (error) {
        // A project that has moved to another service is none of this one any more.
        if (refusalOfMoved(error) !== null) continue;
        log("metrics.unreadable", { object: id, error: String(error) });
        silent += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: OBJECTS_AT_ONCE }, worker));
  return { values, silent };
}

async function atMost(items: AsyncGenerator<string>): Promise<{ readonly ids: string[]; readonly isMore: boolean }> {
  const ids: string[] = [];
  for await (const id of items) {
    if (ids.length === MAX_OBJECTS) return { ids, isMore: true };
    ids.push(id);
  }
  return { ids, isMore: false };
}

interface ReadProject {
  readonly projectId: string;
  readonly metrics: ProjectMetrics;
  readonly fundIds: readonly string[];
  readonly hasMoreFunds: boolean;
}

async function readProject(env: Env, projectId: string): Promise<ReadProject | null> {
  const owner = env.PROJECT.getByName(projectId);
  const metrics = await owner.metrics();
  if (metrics === null) return null;
  const { ids, isMore } = await atMost(everyItem((cursor) => owner.resources("fund", { limit: PAGE_LIMIT, cursor })));
  return { projectId, metrics, fundIds: ids, hasMoreFunds: isMore };
}

/**
 * Reads everything that the metrics show, from the objects' own counters.
 *
 * @param projectId the only project to read. Null for all of them.
 */
export async function scrape(env: Env, deps: Deps, projectId: string | null): Promise<Scrape> {
  const untilMs = performance.now() + SCRAPE_TIMEOUT_MS;
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  const listed =
    projectId === null
      ? await atMost(everyItem((cursor) => directory.projects({ limit: PAGE_LIMIT, cursor })))
      : { ids: [projectId], isMore: false };
  const [causes, nodes, projects] = await Promise.all([
    directory.readiness(),
    directory.nodes(),
    readObjects(listed.ids, untilMs, deps, (id) => readProject(env, id)),
  ]);
  const fundIds = projects.values.flatMap((project) => project.fundIds);
  const funds = await readObjects<FundMetrics>(fundIds.slice(0, MAX_OBJECTS), untilMs, deps, (id) =>
    env.FUND.getByName(id).metrics(),
  );
  return {
    causes,
    nodes,
    projects: projects.values.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1)),
    funds: funds.values.toSorted((a, b) => (a.fundId < b.fundId ? -1 : 1)),
    silent: { projects: projects.silent, funds: funds.silent },
    isTruncated:
      listed.isMore || fundIds.length > MAX_OBJECTS || projects.values.some(({ hasMoreFunds }) => hasMoreFunds),
  };
}
