import type { Rounds } from "./load.ts";
import type { Route } from "./route.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/** The requests of a round at 64 callers, and of the warm-up before the first of them. */
interface Requests {
  readonly round: number;
  readonly warmUp: number;
}

/** A round takes the service about 1.5 to 2 s, and the warm-up lasts until its code is compiled. */
const REQUESTS = {
  sponsor: { round: 2_000, warmUp: 4_000 },
  execute: { round: 350, warmUp: 1_000 },
  sign: { round: 1_500, warmUp: 3_000 },
  create: { round: 250, warmUp: 1_000 },
  session: { round: 2_500, warmUp: 5_000 },
  gasless: { round: 350, warmUp: 1_000 },
  gateway: { round: 3_000, warmUp: 6_000 },
} as const satisfies Readonly<Record<string, Requests>>;

/** `BENCH_REQUESTS` is a round of sponsoring. The others change in proportion. */
const SCALE = Number(process.env.BENCH_REQUESTS ?? REQUESTS.sponsor.round) / REQUESTS.sponsor.round;

/** Routes that few callers leave out, because they say there what 64 callers say. */
const MANY_CALLERS_ONLY = new Set([
  "floor, two calls",
  "floor, three calls",
  "floor, with the seals",
  "floor, sealed and read",
  "floor, key at hand",
  "peer, Redis",
  "peer, Redis, AOF each second",
]);

/** Returns the loads of a method. Few callers send fewer requests, and come after many, when the code is warm. */
export function loadsOf(method: keyof typeof REQUESTS): readonly Rounds[] {
  const round = Math.ceil(REQUESTS[method].round * SCALE);
  const few = Math.ceil(round / 2);
  return [
    { callers: 64, requests: round, warmUp: Math.ceil(REQUESTS[method].warmUp * SCALE), rounds: ROUNDS },
    { callers: 8, requests: few, warmUp: few, rounds: ROUNDS },
  ];
}

/** Returns a load with so many times the rounds, each of a part of the requests. */
export function inShorterRounds(load: Rounds, { times, part }: { times: number; part: number }): Rounds {
  return { ...load, rounds: load.rounds * times, requests: Math.ceil(load.requests * part) };
}

/** Returns the routes that take part in a load. */
export function routesOf(routes: readonly Route[], { callers }: Rounds): readonly Route[] {
  return callers === 64 ? routes : routes.filter(({ name }) => !MANY_CALLERS_ONLY.has(name));
}

/** Counts the requests of loads, in the rounds and before them. */
export function requestsOf(loads: readonly Rounds[]): number {
  return loads.reduce((sum, { requests, warmUp, rounds }) => sum + warmUp + requests * rounds, 0);
}

/** Counts the coins that loads of sponsorships take. Each holds one for an hour. */
export function coinsOf(loads: readonly Rounds[]): number {
  return loads.reduce((sum, load) => sum + requestsOf([load]) + load.callers, 0);
}
