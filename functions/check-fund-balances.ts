import type { Deps } from "../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../shared/bindings/directory.ts";
import type { Env } from "../shared/bindings/env.ts";

const PAGE_LIMIT = 100;

/** Yields every item of a list that is read a page at a time. */
async function* everyItem<Item>(
  readPage: (
    cursor: string | null,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null } | null>,
): AsyncGenerator<Item> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(cursor);
    yield* page?.items ?? [];
    cursor = page?.nextCursor ?? null;
  } while (cursor !== null);
}

interface FundOfProject {
  readonly fundId: string;
  readonly projectId: string;
}

/** Lists every fund of every project. A project that cannot be listed is logged, and does not hide the others. */
async function allFunds(env: Env, deps: Deps): Promise<readonly FundOfProject[]> {
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  const funds: FundOfProject[] = [];
  for await (const projectId of everyItem((cursor) => directory.projects({ limit: PAGE_LIMIT, cursor }))) {
    try {
      const owner = env.PROJECT.getByName(projectId);
      for await (const fundId of everyItem((cursor) => owner.resources("fund", { limit: PAGE_LIMIT, cursor })))
        funds.push({ fundId, projectId });
    } catch (error) {
      deps.log("project.check_failed", { project: projectId, error: String(error) });
    }
  }
  return funds;
}

/**
 * Starts the list at a random item, so that another fund is the first each time. A platform ends a run that makes too
 * many calls, wherever it stands.
 */
function inTurn<Item>(items: readonly Item[], { randomBytes }: Pick<Deps, "randomBytes">): readonly Item[] {
  const [random = 0] = new Uint32Array(Uint8Array.from(randomBytes(Uint32Array.BYTES_PER_ELEMENT)).buffer);
  const first = random % Math.max(items.length, 1);
  return [...items.slice(first), ...items.slice(0, first)];
}

/**
 * Has every fund check itself, as the cron. That also arms what an alarm may have lost, and logs the state of each
 * fund. A fund that fails is logged, and the others are still checked.
 */
export async function checkFundBalances(env: Env, deps: Deps): Promise<void> {
  for (const { fundId, projectId } of inTurn(await allFunds(env, deps), deps)) {
    try {
      const fund = await env.FUND.getByName(fundId).check();
      if (fund === null) continue;
      deps.log("fund.balance", {
        fund: fund.fundId,
        project: fund.projectId,
        network: fund.network,
        balanceAtoms: fund.balanceAtoms.toString(),
        inFlightAtoms: fund.inFlightAtoms.toString(),
        paused: fund.pausedCause,
      });
    } catch (error) {
      deps.log("fund.check_failed", { fund: fundId, project: projectId, error: String(error) });
    }
  }
}
