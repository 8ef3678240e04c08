import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { build } from "../local/build.ts";
import { SUI_GAS_PATH } from "../local/clients.ts";
import { startSelfHosted } from "../local/self-hosted.ts";
import { startWorkerd, type WorkerdProcess } from "../local/workerd.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { type LoadResult, median, runLoad } from "./load.ts";

/**
 * `gas_sponsorTransactionBlock` with a budget against its floor: the same runtime, object calls, commits and signature
 * operations with no logic. Each runs in a workerd of its own, on the bundle as it is deployed, on local disk; rounds
 * alternate, so that whatever else the machine does falls on all of them. The load generator shares the machine, which
 * lowers all figures alike; CPU per request is the steadiest one.
 */
const CALLERS = 32;
const ROUNDS = 5;
const REQUESTS_PER_ROUND = Number(process.env.BENCH_REQUESTS ?? 2000);
const BUDGET_MIST = 5_000_000n;
const COIN_MIST = 10_000_000n;

interface Route {
  readonly name: string;
  readonly process: WorkerdProcess;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly rounds: (LoadResult & { readonly cpuMicros: number })[];
}

/** Clock ticks of /proc are 10 ms on every Linux that Node runs on. */
const MICROS_PER_TICK = 10_000;

/** CPU time of a process so far, user and system. Linux only: elsewhere NaN. */
async function cpuMicrosOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) * MICROS_PER_TICK;
}

async function runRound(route: Route): Promise<void> {
  const before = await cpuMicrosOf(route.process.pid());
  const result = await runLoad({ ...route, callers: CALLERS, requests: REQUESTS_PER_ROUND });
  const cpuMicros = ((await cpuMicrosOf(route.process.pid())) - before) / REQUESTS_PER_ROUND;
  route.rounds.push({ ...result, cpuMicros });
}

async function sponsorBody(): Promise<string> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("bench")] });
  const kind = toBase64(await transaction.build({ onlyTransactionKind: true }));
  const params = [kind, new Ed25519Keypair().toSuiAddress(), BUDGET_MIST.toString()];
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "gas_sponsorTransactionBlock", params });
}

function printRoute({ name, rounds }: Route): void {
  const of = (pick: (round: Route["rounds"][number]) => number) => median(rounds.map(pick));
  const columns = [
    `${of((round) => round.requestsPerSecond).toFixed(0)} requests/s`,
    `p50 ${of((round) => round.p50Ms).toFixed(1)} ms`,
    `p99 ${of((round) => round.p99Ms).toFixed(1)} ms`,
    `CPU ${of((round) => round.cpuMicros).toFixed(0)} us/request`,
  ];
  console.log(name.padEnd(8), columns.map((column) => column.padEnd(20)).join(""));
}

/** The median over rounds of the ratio within each round. */
function printRatio(service: Route, other: Route): void {
  const ratios = service.rounds.map(
    (round, index) => round.requestsPerSecond / (other.rounds[index]?.requestsPerSecond ?? Number.NaN),
  );
  const cpu = service.rounds.map((round, index) => round.cpuMicros / (other.rounds[index]?.cpuMicros ?? Number.NaN));
  console.log(
    `service/${other.name}`.padEnd(16),
    `${median(ratios).toFixed(2)} in requests/s, ${median(cpu).toFixed(2)} in CPU`,
  );
}

const hosted = await startSelfHosted();
const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
const floor = await startWorkerd({ bundle: await build("floor"), stateDirectory: floorState, vars: {} });

try {
  const { service } = hosted;
  const askedAt = performance.now();
  await (await fetch(`${service.url}/health`)).text();
  const firstAnswerMs = service.startUpMs + performance.now() - askedAt;

  const coins = REQUESTS_PER_ROUND * (ROUNDS + 1) + CALLERS;
  console.log(`making a fund with ${coins} coins`);
  const key = await fundWithCoins(hosted, coins, COIN_MIST);

  const json = { "content-type": "application/json" };
  const body = await sponsorBody();
  const routes = [
    {
      name: "service",
      process: service,
      url: `${service.url}${SUI_GAS_PATH}`,
      headers: { ...json, "x-api-key": key },
      body,
      rounds: [],
    },
    { name: "floor", process: floor, url: `${floor.url}/floor`, headers: json, body, rounds: [] },
    { name: "bare", process: floor, url: `${floor.url}/bare`, headers: json, body, rounds: [] },
  ] as const satisfies readonly Route[];

  console.log(`${CALLERS} callers, ${ROUNDS} rounds of ${REQUESTS_PER_ROUND} requests after one to warm up\n`);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const route of routes) await runRound(route);
    if (round === 0) for (const route of routes) route.rounds.length = 0;
  }

  for (const route of routes) printRoute(route);
  const [sponsor, floorRoute, bare] = routes;
  printRatio(sponsor, floorRoute);
  printRatio(sponsor, bare);
  const script = await readFile((await build("service")).scriptPath);
  console.log(
    `bundle           ${(script.length / 1024).toFixed(0)} KiB, ${(gzipSync(script).length / 1024).toFixed(0)} KiB gzip`,
  );
  console.log(
    `start-up         ${service.startUpMs.toFixed(0)} ms until workerd listens, ${firstAnswerMs.toFixed(0)} ms until the first answer`,
  );
} finally {
  await floor.kill();
  await hosted.stop();
  await rm(floorState, { recursive: true, force: true });
}
