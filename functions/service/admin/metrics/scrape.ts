import type { AccessKeyMetrics } from "../../../../shared/bindings/access-key.ts";
import type { Deps } from "../../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import type { FundMetrics } from "../../../../shared/fund/metrics.ts";
import type { Scrape } from "../../../../shared/observe/metrics.ts";
import { everyItem } from "../../../../shared/paging.ts";
import type { ProjectMetrics } from "../../../../shared/project/views.ts";
import { inTime } from "../../../../shared/timing.ts";
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
  readonly keyIds: readonly string[];
  /** True if it has more funds or keys. */
  readonly hasMore: boolean;
}

async function readProject(env: Env, projectId: string): Promise<ReadProject | null> {
  const owner = env.PROJECT.getByName(projectId);
  const metrics = await owner.metrics();
  if (metrics === null) return null;
  const idsOf = (kind: "fund" | "key") =>
    atMost(everyItem((cursor) => owner.resources(kind, { limit: PAGE_LIMIT, cursor })));
  const [funds, keys] = [await idsOf("fund"), await idsOf("key")];
  return { projectId, metrics, fundIds: funds.ids, keyIds: keys.ids, hasMore: funds.isMore || keys.isMore };
}

/** Adds up the refusals of a project's keys. Null if one of them was not read: the sum would go back. */
function refusalsOf(
  keyIds: readonly string[],
  read: ReadonlyMap<string, AccessKeyMetrics>,
): Readonly<Record<string, number>> | null {
  const sums: Record<string, number> = {};
  for (const keyId of keyIds) {
    const counted = read.get(keyId);
    if (counted === undefined) return null;
    for (const [reason, calls] of Object.entries(counted.refusals)) sums[reason] = (sums[reason] ?? 0) + calls;
  }
  return sums;
}

/** Waits for the directory until the end of the scrape. */
async function ofDirectory<T>(untilMs: number, asked: Promise<T>): Promise<T> {
  const answered = await inTime(
    untilMs - performance.now(),
    asked.then((value) => ({ value })),
  );
  if (answered === null) throw new Error("the directory did not answer the scrape in time");
  return answered.value;
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
      ? await ofDirectory(untilMs, atMost(everyItem((cursor) => directory.projects({ limit: PAGE_LIMIT, cursor }))))
      : { ids: [projectId], isMore: false };
  const [causes, nodes, projects] = await Promise.all([
    ofDirectory(untilMs, directory.readiness()),
    ofDirectory(untilMs, directory.nodes()),
    readObjects(listed.ids, logFault, bounds, (id) => readProject(env, id)),
  ]);
  const fundIds = projects.values.flatMap((project) => project.fundIds);
  const funds = await readObjects<FundMetrics>(fundIds.slice(0, MAX_OBJECTS), logFault, bounds, (id) =>
    env.FUND.getByName(id).metrics(),
  );
  const keyIds = projects.values.flatMap((project) => project.keyIds);
  const keys = await readObjects(keyIds.slice(0, MAX_OBJECTS), logFault, bounds, async (id) => {
    const metrics = await env.ACCESS_KEY.getByName(id).metrics();
    return metrics && ([id, metrics] as const);
  });
  const counted = new Map(keys.values);
  return {
    causes,
    nodes,
    projects: projects.values
      .map((project) => ({ ...project, keyRefusals: refusalsOf(project.keyIds, counted) }))
      .toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1)),
    funds: funds.values.toSorted((a, b) => (a.fundId < b.fundId ? -1 : 1)),
    silent: {
      projects: projects.unreadable.length,
      funds: funds.unreadable.length,
      keys: keys.unreadable.length,
    },
    isTruncated:
      listed.isMore ||
      Math.max(fundIds.length, keyIds.length) > MAX_OBJECTS ||
      projects.values.some(({ hasMore }) => hasMore),
  };
}
