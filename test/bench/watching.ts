import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../shared/cli/root.ts";
import { BLIND } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { BLIND_PATHS } from "./blind-sources.ts";
import { executeRoute } from "./calls.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import type { Rounds } from "./load.ts";
import { coinsOf, inShorterRounds, loadsOf } from "./loads.ts";
import { type Comparison, compareAtOnce } from "./report/comparison.ts";
import { goalTable } from "./report/goals.ts";
import type { Measured } from "./report/targets.ts";
import { COIN_MIST, type Route, sponsorRoute } from "./route.ts";

/** What the operator's view of a sponsorship may cost. */
const GOALS = { leastRequests: 0.95, mostCpu: 1.05 };

/**
 * A heap of this size in MiB keeps V8 from cleaning its old space. That takes as much CPU as 250 sponsorships, once in
 * 5,600 of them. It would fall on a few rounds by chance.
 */
const V8_FLAGS = ["--initial-heap-size=1024"];

/** The same route twice: of the service, and of the service while it keeps nothing. */
function twice(route: Route): { readonly seen: Route; readonly blind: Route } {
  const begin = (path: string) => async () => void (await (await fetch(`${route.process.url}${path}`)).text());
  return {
    seen: { ...route, name: "service", begin: begin(BLIND_PATHS.off) },
    blind: { ...route, name: "nothing seen", begin: begin(BLIND_PATHS.on) },
  };
}

/**
 * Sponsoring against the same service without logs, refused calls, counters and explanations. The service makes these
 * for its operator. Two processes of one build run at the same time, one of them blind, and take turns at that: two
 * processes differ by up to 3 %, and a machine drifts from round to round. What is left for later counts for both.
 */
export async function benchWatching(): Promise<Pick<Measured, "comparisons">> {
  const options = { worker: BLIND, v8Flags: V8_FLAGS };
  const services = [await startSelfHosted(options), await startSelfHosted(options)] as const;
  /** Each load has funds of its own, because a fund takes a limited number of coins at once. */
  const measured = async (method: string, load: Rounds, routeOf: typeof executeRoute): Promise<Comparison> => {
    const coins = coinsOf([load]) + load.warmUp;
    console.log(`making two funds with ${coins} coins`);
    const route = async (hosted: SelfHosted) =>
      twice(await routeOf("service", hosted, (await fundWithCoins(hosted, coins, COIN_MIST)).key));
    const [one, other] = [await route(services[0]), await route(services[1])];
    const pairs = [
      [one.seen, other.blind],
      [other.seen, one.blind],
    ];
    return compareAtOnce(method, pairs, load);
  };
  const sponsoring: typeof executeRoute = (name, { service }, key) => sponsorRoute(name, service, key);
  try {
    const comparisons: Comparison[] = [];
    for (const load of loadsOf("execute").map((one) => inShorterRounds(one, { times: 12, part: 1 / 2 })))
      comparisons.push(await measured("prepare and execute", load, executeRoute));
    for (const load of loadsOf("sponsor").map((one) => inShorterRounds(one, { times: 12, part: 1 / 5 })))
      comparisons.push(await measured("sponsor", load, sponsoring));
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
