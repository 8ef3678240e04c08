import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../shared/cli/root.ts";
import { BLIND } from "../harness/builds.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";
import { executeRoute } from "./calls.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { coinsOf, inShorterRounds, loadsOf } from "./loads.ts";
import { type Comparison, compare } from "./report/comparison.ts";
import { goalTable } from "./report/goals.ts";
import type { Measured } from "./report/targets.ts";
import { COIN_MIST, sponsorRoute } from "./route.ts";

const BLIND_NAME = "nothing seen";
/** What the operator's view of a sponsorship may cost. */
const GOALS = { leastRequests: 0.95, mostCpu: 1.05 };

/**
 * Sponsoring against the same service without logs, refused calls, counters and explanations. The service makes these
 * for its operator.
 */
export async function benchWatching(): Promise<Pick<Measured, "comparisons">> {
  const hosted = await startSelfHosted();
  const blind = await startSelfHosted({ worker: BLIND });
  const sponsorLoads = loadsOf("sponsor").map((load) => inShorterRounds(load, 5));
  const executions = loadsOf("execute").map((load) => inShorterRounds(load, 2));
  try {
    const coins = coinsOf([...sponsorLoads, ...executions]);
    console.log(`making two funds with ${coins} coins`);
    const { key } = await fundWithCoins(hosted, coins, COIN_MIST);
    const { key: blindKey } = await fundWithCoins(blind, coins, COIN_MIST);
    const sponsors = [
      await sponsorRoute("service", hosted.service, key),
      await sponsorRoute(BLIND_NAME, blind.service, blindKey),
    ];
    const executing = [await executeRoute("service", hosted, key), await executeRoute(BLIND_NAME, blind, blindKey)];
    const comparisons: Comparison[] = [];
    for (const load of executions) comparisons.push(await compare("prepare and execute", executing, load));
    for (const load of sponsorLoads) comparisons.push(await compare("sponsor", sponsors, load));
    const table = goalTable(comparisons, GOALS);
    const folder = join(root, "dist/bench");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "watching.txt"), `${table}\n`);
    console.log(`\n${table}\n\nwritten to dist/bench: watching.txt`);
    return { comparisons };
  } finally {
    await blind.stop();
    await hosted.stop();
  }
}
