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
 * Each load runs so often, with two new services. A fund takes a limited number of coins at once, and a process that has
 * kept those of several funds stops for long to clean its memory.
 */
const SERIES = 2;

/** Returns the loads of a method in short rounds. Each begins with new services, so few callers warm up as long as many. */
function inSeries(method: "execute" | "sponsor", part: number): readonly Rounds[] {
  const loads = loadsOf(method).map((load) => inShorterRounds(load, { times: 12, part }));
  const warmUp = Math.max(...loads.map((load) => load.warmUp));
  return loads.map((load) => ({ ...load, warmUp }));
}

/** Starts two services with a fund each, and has the routes of both used. */
async function withPairs(
  coins: number,
  routeOf: typeof executeRoute,
  use: (pairs: readonly (readonly Route[])[]) => Promise<void>,
): Promise<void> {
  const services: SelfHosted[] = [];
  const start = async () => {
    const hosted = await startSelfHosted({ worker: BLIND, v8Flags: V8_FLAGS });
    services.push(hosted);
    return twice(await routeOf("service", hosted, (await fundWithCoins(hosted, coins, COIN_MIST)).key));
  };
  try {
    console.log(`making two funds with ${coins} coins`);
    const [one, other] = [await start(), await start()];
    await use([
      [one.seen, other.blind],
      [other.seen, one.blind],
    ]);
  } finally {
    for (const hosted of services) await hosted.stop();
  }
}

/**
 * Sponsoring against the same service without logs, refused calls, counters and explanations. The service makes these
 * for its operator. Two processes of one build run at the same time, one of them blind, and take turns at that: two
 * processes differ by up to 3 %, and a machine drifts from round to round. What is left for later counts for both.
 */
export async function benchWatching(): Promise<Pick<Measured, "comparisons">> {
  const measured = (method: string, load: Rounds, routeOf: typeof executeRoute): Promise<Comparison> =>
    compareAtOnce(method, load, SERIES, (use) => withPairs(coinsOf([load]) + load.warmUp, routeOf, use));
  const sponsoring: typeof executeRoute = (name, { service }, key) => sponsorRoute(name, service, key);
  const comparisons: Comparison[] = [];
  for (const load of inSeries("execute", 1 / 2))
    comparisons.push(await measured("prepare and execute", load, executeRoute));
  for (const load of inSeries("sponsor", 1 / 5)) comparisons.push(await measured("sponsor", load, sponsoring));
  const table = goalTable(comparisons, GOALS);
  const folder = join(root, "dist/bench");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "watching.txt"), `${table}\n`);
  console.log(`\n${table}\n\nwritten to dist/bench: watching.txt`);
  return { comparisons };
}
