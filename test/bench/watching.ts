import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVICE, type WorkerSources } from "../../shared/cli/build.ts";
import { root } from "../../shared/cli/root.ts";
import { BLIND } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { executeRoute } from "./calls.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { coinsOf, inShorterRounds, loadsOf } from "./loads.ts";
import { type Comparison, compareAtOnce } from "./report/comparison.ts";
import { goalTable } from "./report/goals.ts";
import type { Measured } from "./report/targets.ts";
import { COIN_MIST, sponsorRoute } from "./route.ts";

const BLIND_NAME = "nothing seen";
/** Two processes of one build differ by up to 3 %, so that one pair would not do. */
const PAIRS = 4;
/** What the operator's view of a sponsorship may cost. */
const GOALS = { leastRequests: 0.95, mostCpu: 1.05 };

/**
 * Sponsoring against the same service without logs, refused calls, counters and explanations. The service makes these
 * for its operator.
 */
export async function benchWatching(): Promise<Pick<Measured, "comparisons">> {
  const executions = loadsOf("execute").map((load) => inShorterRounds(load, { times: 12, part: 1 / 2 }));
  const sponsorings = loadsOf("sponsor").map((load) => inShorterRounds(load, { times: 24, part: 1 / 5 }));
  const coins = coinsOf(
    [...executions, ...sponsorings].map((load) => ({ ...load, rounds: Math.ceil(load.rounds / PAIRS) })),
  );
  const services: SelfHosted[] = [];
  const start = async (name: string, worker: WorkerSources) => {
    console.log(`making a fund with ${coins} coins: ${name}, process ${services.length + 1} of ${2 * PAIRS}`);
    const hosted = await startSelfHosted({ worker });
    services.push(hosted);
    const { key } = await fundWithCoins(hosted, coins, COIN_MIST);
    return {
      sponsoring: await sponsorRoute(name, hosted.service, key),
      executing: await executeRoute(name, hosted, key),
    };
  };
  try {
    const pairs: Awaited<ReturnType<typeof start>>[][] = [];
    while (pairs.length < PAIRS) pairs.push([await start("service", SERVICE), await start(BLIND_NAME, BLIND)]);
    const of = (method: "sponsoring" | "executing") => pairs.map((pair) => pair.map((routes) => routes[method]));
    const comparisons: Comparison[] = [];
    for (const load of executions) comparisons.push(await compareAtOnce("prepare and execute", of("executing"), load));
    for (const load of sponsorings) comparisons.push(await compareAtOnce("sponsor", of("sponsoring"), load));
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
