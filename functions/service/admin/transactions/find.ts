import type { Deps } from "../../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import type { ProjectObject } from "../../../../shared/bindings/project.ts";
import { isMissingMethod } from "../../../../shared/durable/missing-method.ts";
import { countedFund } from "../../../../shared/fund/calls.ts";
import type { RefusedCall } from "../../../../shared/fund/explain/refused-call.ts";
import { type FundStory, MAX_STORY_ROWS, type StoryQuery } from "../../../../shared/fund/explain/story.ts";
import { chainOf, type Network } from "../../../../shared/networks.ts";
import { everyItem } from "../../../../shared/paging.ts";
import { inTime } from "../../../../shared/timing.ts";
import { type LogFault, readObjects } from "../read-objects.ts";

/** The most funds that one call reads. A platform bounds the calls of a request. */
export const MAX_FUNDS_SEARCHED = 200;
/** The most projects whose funds one call lists. */
const MAX_PROJECTS_LISTED = 500;
const PAGE_LIMIT = 200;
/** The time of a whole search, without the nodes. */
const SEARCH_MS = 20_000;
/** The time of asking nodes. */
const NODES_MS = 10_000;
const BOUNDS = { atOnce: 6, objectMs: 5_000 };

/** The funds to search: of all projects, of one project, or one fund. */
export interface SearchScope {
  readonly project: string | null;
  readonly fund: string | null;
}

/** The stories of the funds that know something, and how far the search came. */
export interface Found {
  readonly stories: readonly FundStory[];
  /** The refused calls of wallets that a request names. */
  readonly walletRefusals: readonly RefusedCall[];
  readonly fundsSearched: number;
  /** The projects and funds that failed, or did not answer in time. */
  readonly unreadable: readonly string[];
  /** False if there are more funds than one call reads, or if a bound ended the search within a fund. */
  readonly isComplete: boolean;
}

/** Allows one search at a time in an isolate. */
export class OneSearch {
  /** A request that its client leaves never ends its search, so the time does. */
  #untilMs = Number.NEGATIVE_INFINITY;

  /** Runs a search. Null if another one runs. */
  async run<T>(search: () => Promise<T>): Promise<T | null> {
    const nowMs = performance.now();
    if (nowMs < this.#untilMs) return null;
    const untilMs = nowMs + SEARCH_MS + NODES_MS;
    this.#untilMs = untilMs;
    try {
      return await search();
    } finally {
      if (this.#untilMs === untilMs) this.#untilMs = Number.NEGATIVE_INFINITY;
    }
  }
}

/** Searches the funds of a scope. A found digest is looked up at the nodes of its fund's network. */
export async function findStories(env: Env, deps: Deps, scope: SearchScope, query: StoryQuery): Promise<Found> {
  const bounds = { ...BOUNDS, untilMs: performance.now() + SEARCH_MS };
  const logFault: LogFault = (object, error) => deps.log("transactions.unreadable", { object, error });
  const listed = await fundsOf(env, logFault, scope, bounds, query);
  const told = await readObjects(listed.fundIds, logFault, bounds, (fundId) =>
    countedFund(env.FUND.getByName(fundId)).tell(query),
  );
  const stories = told.values.filter(isKnown);
  const found = {
    fundsSearched: told.values.length,
    unreadable: [...listed.unreadable, ...told.unreadable],
    isComplete: listed.isComplete,
    walletRefusals: listed.walletRefusals,
  };
  if (query.by !== "digest") return { ...found, stories };
  // Nodes are called last: by the fund that knows it, or by one fund of each network.
  const chain = query.digest.startsWith("0x") ? "aptos" : "sui";
  const asked =
    stories.length > 0 ? stories : oneOfEachNetwork(told.values.filter(({ network }) => chainOf(network) === chain));
  const withNodes = asked.map(({ fundId }) =>
    inTime(NODES_MS, countedFund(env.FUND.getByName(fundId)).tell({ ...query, askNodes: true })),
  );
  const answers = await Promise.allSettled(withNodes);
  const complete = asked.map((story, index) => {
    const answer = answers[index];
    return answer?.status === "fulfilled" && answer.value !== null ? answer.value : story;
  });
  return { ...found, stories: complete };
}

function isKnown({ sponsorships, refusals, ledger }: FundStory): boolean {
  return sponsorships.length + refusals.length + ledger.length > 0;
}

function oneOfEachNetwork(stories: readonly FundStory[]): readonly FundStory[] {
  return [...new Map(stories.map((story): [Network, FundStory] => [story.network, story])).values()];
}

interface ListedFunds extends Pick<Found, "unreadable" | "isComplete" | "walletRefusals"> {
  readonly fundIds: readonly string[];
}

async function fundsOf(
  env: Env,
  logFault: LogFault,
  { project, fund }: SearchScope,
  bounds: Parameters<typeof readObjects>[2],
  query: StoryQuery,
): Promise<ListedFunds> {
  if (fund !== null) return { fundIds: [fund], unreadable: [], isComplete: true, walletRefusals: [] };
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  const projects =
    project === null
      ? await atMost(
          MAX_PROJECTS_LISTED,
          everyItem((cursor) => directory.projects({ limit: PAGE_LIMIT, cursor })),
        )
      : { ids: [project], isMore: false };
  const { values, unreadable } = await readObjects(projects.ids, logFault, bounds, async (projectId) => {
    const owner = env.PROJECT.getByName(projectId);
    const ids = everyItem((cursor) => owner.resources("fund", { limit: PAGE_LIMIT, cursor }));
    const refused = await refusedAt(owner, query);
    return { ...(await atMost(MAX_FUNDS_SEARCHED, ids)), refused };
  });
  const fundIds = values.flatMap(({ ids }) => ids);
  const isMore = projects.isMore || values.some((funds) => funds.isMore) || fundIds.length > MAX_FUNDS_SEARCHED;
  const walletRefusals = values.flatMap(({ refused }) => refused);
  return { fundIds: fundIds.slice(0, MAX_FUNDS_SEARCHED), unreadable, isComplete: !isMore, walletRefusals };
}

/** Lists the refused calls of a project's wallets. A digest names none. */
async function refusedAt(owner: ProjectObject, query: StoryQuery): Promise<readonly RefusedCall[]> {
  if (query.by === "digest") return [];
  const filter =
    query.by === "request"
      ? { requestId: query.requestId }
      : { sender: query.sender, fromMs: query.fromMs, toMs: query.toMs };
  try {
    return (await owner.refusedCalls({ ...filter, limit: MAX_STORY_ROWS, cursor: null })).items;
  } catch (error) {
    if (isMissingMethod(error, "refusedCalls")) return [];
    throw error;
  }
}

async function atMost(most: number, items: AsyncGenerator<string>) {
  const ids: string[] = [];
  for await (const id of items) {
    if (ids.length === most) return { ids, isMore: true };
    ids.push(id);
  }
  return { ids, isMore: false };
}
