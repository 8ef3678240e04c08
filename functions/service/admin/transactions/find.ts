import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import type { FundStory, StoryQuery } from "../../../../shared/fund/explain/story.ts";
import { chainOf, type Network } from "../../../../shared/networks.ts";
import { batchesOf, everyItem } from "../../../../shared/paging.ts";

/** The most funds that one call reads. A platform bounds the calls of a request. */
export const MAX_FUNDS_SEARCHED = 200;
const FUNDS_AT_ONCE = 6;
const PAGE_LIMIT = 200;

/** The stories of the funds that know something, and how far the search came. */
export interface Found {
  readonly stories: readonly FundStory[];
  readonly fundsSearched: number;
  /** The funds that did not answer. */
  readonly unreadable: readonly string[];
  /** False if there are more funds than one call reads. */
  readonly isComplete: boolean;
}

/** Searches the funds of all projects. A found digest is looked up at the nodes of its fund's network. */
export async function findStories(env: Env, query: StoryQuery): Promise<Found> {
  const { fundIds, isComplete } = await fundsOf(env);
  const told: FundStory[] = [];
  const unreadable: string[] = [];
  for (const batch of batchesOf(fundIds, FUNDS_AT_ONCE)) {
    const answers = await Promise.allSettled(batch.map((fundId) => env.FUND.getByName(fundId).tell(query)));
    for (const [index, answer] of answers.entries())
      if (answer.status === "rejected") unreadable.push(batch[index] ?? "");
      else if (answer.value !== null) told.push(answer.value);
  }
  const stories = told.filter(isKnown);
  const found = { fundsSearched: fundIds.length, unreadable, isComplete };
  if (query.by !== "digest") return { ...found, stories };
  // Nodes are asked last: by the fund that knows it, or by one fund of each network.
  const chain = query.digest.startsWith("0x") ? "aptos" : "sui";
  const asked =
    stories.length > 0 ? stories : oneOfEachNetwork(told.filter(({ network }) => chainOf(network) === chain));
  const withNodes = asked.map(({ fundId }) => env.FUND.getByName(fundId).tell({ ...query, askNodes: true }));
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

async function fundsOf(env: Env): Promise<{ readonly fundIds: readonly string[]; readonly isComplete: boolean }> {
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  const fundIds: string[] = [];
  for await (const projectId of everyItem((cursor) => directory.projects({ limit: PAGE_LIMIT, cursor }))) {
    const owner = env.PROJECT.getByName(projectId);
    for await (const fundId of everyItem((cursor) => owner.resources("fund", { limit: PAGE_LIMIT, cursor }))) {
      if (fundIds.length === MAX_FUNDS_SEARCHED) return { fundIds, isComplete: false };
      fundIds.push(fundId);
    }
  }
  return { fundIds, isComplete: true };
}
