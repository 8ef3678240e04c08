import type { Deps } from "../../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import type { FundMetrics } from "../../../../shared/fund/metrics.ts";
import type { Scrape } from "../../../../shared/observe/metrics.ts";
import { everyItem } from "../../../../shared/paging.ts";
import type { ProjectMetrics } from "../../../../shared/project/views.ts";
import { type LogFault, readObjects } from "../read-objects.ts";

const PAGE_LIMIT = 100;
/** The most objects of a kind that one scrape reads. Read a larger service project by project. */
const MAX_OBJECTS = 1_000;
const OBJECTS_AT_ONCE = 16;
/** An object that does not answer within this time is missing in the scrape. */
const OBJECT_TIMEOUT_MS = 2_000;
/** A scraper gives up after ten seconds. The scrape leaves out each object that was not read by then. */
const SCRAPE_TIMEOUT_MS = 8_000;

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
  const bounds = { atOnce: OBJECTS_AT_ONCE, objectMs: OBJECT_TIMEOUT_MS, untilMs };
  const logFault: LogFault = (object, error) => deps.log("metrics.unreadable", { object, error });
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  const listed =
    projectId === null
      ? await atMost(everyItem((cursor) => directory.projects({ limit: PAGE_LIMIT, cursor })))
      : { ids: [projectId], isMore: false };
  const [causes, nodes, projects] = await Promise.all([
    directory.readiness(),
    directory.nodes(),
    readObjects(listed.ids, logFault, bounds, (id) => readProject(env, id)),
  ]);
  const fundIds = projects.values.flatMap((project) => project.fundIds);
  const funds = await readObjects<FundMetrics>(fundIds.slice(0, MAX_OBJECTS), logFault, bounds, (id) =>
    env.FUND.getByName(id).metrics(),
  );
  return {
    causes,
    nodes,
    projects: projects.values.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1)),
    funds: funds.values.toSorted((a, b) => (a.fundId < b.fundId ? -1 : 1)),
    silent: { projects: projects.unreadable.length, funds: funds.unreadable.length },
    isTruncated:
      listed.isMore || fundIds.length > MAX_OBJECTS || projects.values.some(({ hasMoreFunds }) => hasMoreFunds),
  };
}
