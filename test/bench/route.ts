import { readdir, readFile } from "node:fs/promises";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { SUI_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import type { WorkerdProcess } from "../../shared/cli/workerd.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { type Load, type LoadResult, median, type Rounds, runLoad } from "./load.ts";

export const BUDGET_MIST = 5_000_000n;
export const COIN_MIST = 10_000_000n;

export interface Round extends LoadResult {
  /** CPU time of the route's processes a request. NaN outside Linux. */
  readonly cpuMicros: number;
}

export interface Server extends Pick<WorkerdProcess, "url" | "pid"> {
  /** Further processes whose CPU counts, such as the database of a peer. */
  readonly otherPids?: () => readonly number[];
}

/** Something that answers requests, and the results of its rounds. */
export interface Route extends Omit<Load, "callers" | "requests"> {
  readonly name: string;
  readonly process: Server;
  /** Runs before each of its rounds, outside of what is measured. */
  readonly begin?: () => Promise<void>;
  readonly rounds: Round[];
}

const JSON_HEADERS = { "content-type": "application/json" };

export function route(name: string, process: Route["process"], path: string, body: string | null = "{}"): Route {
  return { name, process, url: `${process.url}${path}`, headers: JSON_HEADERS, body, expected: '"result"', rounds: [] };
}

/** Builds the transaction kind that all benches have sponsored: one call of the demo's package. */
export async function benchKind(): Promise<string> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("bench")] });
  return toBase64(await transaction.build({ onlyTransactionKind: true }));
}

/** Writes the body of a JSON-RPC call. */
export function rpcBody(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

/** `gas_sponsorTransactionBlock` with a budget, for the fund of this access key. */
export async function sponsorRoute(name: string, process: Route["process"], key: string): Promise<Route> {
  const params = [await benchKind(), new Ed25519Keypair().toSuiAddress(), BUDGET_MIST.toString()];
  const body = rpcBody("gas_sponsorTransactionBlock", params);
  return { ...route(name, process, SUI_GAS_PATH, body), headers: { ...JSON_HEADERS, "x-api-key": key } };
}

const NANOS_PER_MICRO = 1_000;

/** CPU time so far of all threads that a process has (Linux, `Documentation/scheduler/sched-stats.rst`); elsewhere NaN. */
export async function cpuMicrosOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  if (threads.length === 0) return Number.NaN;
  const stats = threads.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, "utf8").catch(() => "0"));
  const nanos = (await Promise.all(stats)).map((stat) => Number.parseInt(stat, 10));
  return nanos.reduce((sum, of) => sum + of, 0) / NANOS_PER_MICRO;
}

async function cpuMicrosOfAll(server: Server): Promise<number> {
  const pids = [server.pid(), ...(server.otherPids?.() ?? [])];
  return (await Promise.all(pids.map(cpuMicrosOf))).reduce((sum, of) => sum + of, 0);
}

/** Runs one round of a route. */
export async function runRound(route: Route, callers: number, requests: number): Promise<Round> {
  await route.begin?.();
  const before = await cpuMicrosOfAll(route.process);
  const result = await runLoad({ ...route, callers, requests });
  return { ...result, cpuMicros: ((await cpuMicrosOfAll(route.process)) - before) / result.requests };
}

/**
 * Rounds of all routes in turn, so that whatever else the machine does falls on all of them. The load generator shares
 * the machine, which lowers all figures alike; CPU per request is the steadiest one.
 */
export async function runRounds(
  routes: readonly Route[],
  { callers, requests, rounds, warmUp = requests }: Omit<Rounds, "warmUp"> & Partial<Rounds>,
  onRound: (round: number) => void = () => {},
): Promise<void> {
  for (const route of routes) await runRound(route, callers, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    onRound(round + 1);
    // A route that always came second would gain by a machine that gets faster.
    const turns = round % 2 === 0 ? routes : routes.toReversed();
    for (const route of turns) route.rounds.push(await runRound(route, callers, requests));
  }
}

/**
 * Returns whose turn a round is: the sum of its digits in base `count`, modulo `count` (Thue–Morse sequence). Any `count`
 * rounds in a row that begin at a multiple of it have each turn once. Their order never gets a period, so what happens
 * every few rounds, such as a collection of garbage, does not fall on the same turn each time.
 */
export function turnOf(round: number, count: number): number {
  if (count < 2) return 0;
  let [sum, left] = [0, round];
  for (; left > 0; left = Math.floor(left / count)) sum += left % count;
  return sum % count;
}

/**
 * Rounds of several pairs of routes. The routes of a pair run at the same time, so that a change of the machine's speed
 * falls on both alike. The pairs take turns, and the routes of a pair begin in both orders.
 */
export async function runPairs(
  pairs: readonly (readonly Route[])[],
  { callers, requests, rounds, warmUp }: Rounds,
  onRound: (round: number) => void = () => {},
): Promise<void> {
  for (const route of pairs.flat()) await runRound(route, callers, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    onRound(round + 1);
    const pair = pairs[turnOf(round, pairs.length)] ?? [];
    const order = turnOf(Math.floor(round / pairs.length), 2) === 0 ? pair : pair.toReversed();
    await Promise.all(order.map(async (route) => route.rounds.push(await runRound(route, callers, requests))));
  }
}

export function printRoute({ name, rounds }: Route): void {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  const columns = [
    `${of((round) => round.requestsPerSecond).toFixed(0)} requests/s`,
    `p50 ${of((round) => round.p50Ms).toFixed(1)} ms`,
    `p99 ${of((round) => round.p99Ms).toFixed(1)} ms`,
    `CPU ${of((round) => round.cpuMicros).toFixed(0)} us/request`,
  ];
  console.log(name.padEnd(16), columns.map((column) => column.padEnd(20)).join(""));
}

/** The median over rounds of the ratio within each round. */
export function ratioOf(route: Route, other: Route, pick: (round: Round) => number): number {
  const ratios = route.rounds.map((round, index) => {
    const against = other.rounds[index];
    return against === undefined ? Number.NaN : pick(round) / pick(against);
  });
  return median(ratios);
}

export function printRatio(what: string, route: Route, other: Route): void {
  const requests = ratioOf(route, other, (round) => round.requestsPerSecond);
  const cpu = ratioOf(route, other, (round) => round.cpuMicros);
  console.log(what.padEnd(40), `${requests.toFixed(2)} in requests/s, ${cpu.toFixed(2)} in CPU`);
}
