import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVICE } from "../../shared/cli/build.ts";
import { root } from "../../shared/cli/root.ts";
import { BLIND } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { executeRoute } from "./calls.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { coinsOf, inShorterRounds, loadsOf } from "./loads.ts";
import { type Comparison, compare } from "./report/comparison.ts";
import { goalTable } from "./report/goals.ts";
import type { Measured } from "./report/targets.ts";
import { COIN_MIST, type Route, sponsorRoute } from "./route.ts";

const BLIND_NAME = "nothing seen";
const PROCESSES_PER_BUILD = 2;
/** What the operator's view of a sponsorship may cost. */
const GOALS = { leastRequests: 0.95, mostCpu: 1.05 };

/**
 * Sponsoring against the same service without logs, refused calls, counters and explanations. The service makes these
 * for its operator.
 */
export async function benchWatching(): Promise<Pick<Measured, "comparisons">> {
  const sponsorLoads = loadsOf("sponsor").map((load) => inShorterRounds(load, 5));
  const executions = loadsOf("execute").map((load) => inShorterRounds(load, 2));
  const coins = coinsOf([...sponsorLoads, ...executions]);
  const services: SelfHosted[] = [];
  try {
    const sponsors: Route[] = [];
    const executing: Route[] = [];
    for (let turn = 1; turn <= PROCESSES_PER_BUILD; turn += 1)
      for (const { name, worker } of [
        { name: "service", worker: SERVICE },
        { name: BLIND_NAME, worker: BLIND },
      ]) {
        console.log(`making a fund with ${coins} coins: ${name}, process ${turn} of ${PROCESSES_PER_BUILD}`);
        const hosted = await startSelfHosted({ worker });
        services.push(hosted);
        const { key } = await fundWithCoins(hosted, coins, COIN_MIST);
        sponsors.push(await sponsorRoute(name, hosted.service, key));
        executing.push(await executeRoute(name, hosted, key));
      }
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
    for (const hosted of services) await hosted.stop();
  }
}
