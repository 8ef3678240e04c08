import type { Deps } from "../shared/deps.ts";
import type { Env } from "../shared/env.ts";
import { DIRECTORY_NAME } from "../shared/objects/directory.ts";

const PAGE_LIMIT = 100;

/** Every item of a list that is read a page at a time. */
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

/**
 * The cron: has every fund check itself, which also arms what an alarm may have lost, and logs how each one stands.
 * A fund that fails is logged and does not keep the others from being checked.
 */
export async function checkFundBalances(env: Env, deps: Deps): Promise<void> {
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  for await (const projectId of everyItem((cursor) => directory.projects({ limit: PAGE_LIMIT, cursor }))) {
    try {
      await checkProject(env, deps, projectId);
    } catch (error) {
      deps.log("project.check_failed", { project: projectId, error: String(error) });
    }
  }
}

async function checkProject(env: Env, deps: Deps, projectId: string): Promise<void> {
  const owner = env.PROJECT.getByName(projectId);
  for await (const id of everyItem((cursor) => owner.members("fund", { limit: PAGE_LIMIT, cursor }))) {
    try {
      const fund = await env.FUND.getByName(id).check();
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
      deps.log("fund.check_failed", { fund: id, error: String(error) });
    }
  }
}
