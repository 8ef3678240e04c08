import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, SERVICE } from "../../shared/cli/build.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { FLOOR, UNGROUPED } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { COIN_MIST, printRatio, printRoute, route, runRounds, sponsorRoute } from "./route.ts";

const CALLERS = 64;
const ROUNDS = 5;
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2000);

async function fundedRoute(name: string, hosted: SelfHosted) {
  const coins = REQUESTS * (ROUNDS + 1) + CALLERS;
  console.log(`${name}: making a fund with ${coins} coins`);
  const { key } = await fundWithCoins(hosted, coins, COIN_MIST);
  return sponsorRoute(name, hosted.service, key);
}

/**
 * `gas_sponsorTransactionBlock` with a budget against its floor: the same runtime, object calls, commits and signature
 * operations with no logic; and both of them with a commit for each call. Each runs in a workerd of its own, on the
 * bundle as it is deployed, on local disk.
 */
export async function benchCalls(): Promise<void> {
  const hosted = await startSelfHosted();
  const askedAt = performance.now();
  await (await fetch(`${hosted.service.url}/health`)).text();
  const firstAnswerMs = hosted.service.startUpMs + performance.now() - askedAt;
  const alone = await startSelfHosted({ worker: UNGROUPED });
  const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
  const floorWorker = await startWorkerd({ bundle: await build(FLOOR), stateDirectory: floorState, vars: {} });
  try {
    const service = await fundedRoute("service", hosted);
    const serviceAlone = await fundedRoute("service, alone", alone);
    const floor = route("floor", floorWorker, "/floor");
    const floorAlone = route("floor, alone", floorWorker, "/floor-alone");
    const bare = route("bare", floorWorker, "/bare");
    const routes = [service, floor, serviceAlone, floorAlone, bare];

    console.log(`${CALLERS} callers, ${ROUNDS} rounds of ${REQUESTS} requests after one to warm up`);
    console.log("alone: a commit for each call\n");
    await runRounds(routes, { callers: CALLERS, requests: REQUESTS, rounds: ROUNDS });
    for (const each of routes) printRoute(each);
    printRatio("service/floor, the bench rule", service, floor);
    printRatio("service/floor, alone", serviceAlone, floorAlone);
    printRatio("service/bare", service, bare);
    printRatio("service/bare, alone", serviceAlone, bare);

    const script = await readFile((await build(SERVICE)).scriptPath);
    const kibibytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KiB`;
    console.log(`bundle ${kibibytes(script.length)}, ${kibibytes(gzipSync(script).length)} gzip`);
    console.log(
      `start-up ${hosted.service.startUpMs.toFixed(0)} ms until workerd listens, ${firstAnswerMs.toFixed(0)} ms until the first answer`,
    );
  } finally {
    await floorWorker.kill();
    await alone.stop();
    await hosted.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}
