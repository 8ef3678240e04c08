import type { Deps } from "../shared/bindings/deps.ts";
import type { Env } from "../shared/bindings/env.ts";
import { runServiceRound } from "../shared/directory/service-round.ts";

/** Answers the cron: has every fund check itself. Without crons, the directory's alarm does the same. */
export function checkFundBalances(env: Env, deps: Deps): Promise<void> {
  return runServiceRound(env, deps);
}
