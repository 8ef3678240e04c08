import { quantile, type Rounds } from "../load.ts";
import { type Route, runRounds } from "../route.ts";

/** A median, with the least and the greatest value of all rounds. */
export interface Spread {
  readonly median: number;
  /** The interval of the median that 95 of 100 such runs agree with. Of few rounds it is their whole range. */
  readonly medianFrom: number;
  readonly medianTo: number;
  readonly min: number;
  readonly max: number;
}

/** One route of a comparison. */
export interface RouteFigures {
  readonly name: string;
  readonly requestsPerSecond: Spread;
  /** CPU time of the route's processes a request. NaN outside Linux. */
  readonly cpuMicros: Spread;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The service's CPU as a multiple of this route's in the same round. */
  readonly serviceCpu: Spread;
  /** The service's requests a second as a multiple of this route's in the same round. */
  readonly serviceRequests: Spread;
}

/** A method of the service against other routes, under one load. */
export interface Comparison {
  readonly method: string;
  readonly callers: number;
  readonly requests: number;
  readonly rounds: number;
  /** The service comes first. */
  readonly routes: readonly RouteFigures[];
}

/** Half the width of the interval, in ranks for each square root of the number of values (binomial distribution). */
const RANKS = 0.98;

/** Sums up values of rounds. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  const rank = Math.max(1, Math.floor(count / 2 - RANKS * Math.sqrt(count)));
  const at = (index: number): number => sorted.at(index) ?? Number.NaN;
  return { median: quantile(sorted, 0.5), medianFrom: at(rank - 1), medianTo: at(-rank), min: at(0), max: at(-1) };
}

/** Sums up the rounds of routes. Ratios are taken within each round, because the speed of a machine drifts. */
export function figuresOf(routes: readonly Pick<Route, "name" | "rounds">[]): readonly RouteFigures[] {
  const service = routes[0]?.rounds ?? [];
  return routes.map(({ name, rounds }) => {
    const ofService = (pick: (round: Route["rounds"][number]) => number) =>
      spreadOf(
        rounds.flatMap((round, index) => {
          const own = service[index];
          return own === undefined ? [] : [pick(own) / pick(round)];
        }),
      );
    return {
      name,
      requestsPerSecond: spreadOf(rounds.map((round) => round.requestsPerSecond)),
      cpuMicros: spreadOf(rounds.map((round) => round.cpuMicros)),
      p50Ms: spreadOf(rounds.map((round) => round.p50Ms)).median,
      p99Ms: spreadOf(rounds.map((round) => round.p99Ms)).median,
      serviceCpu: ofService((round) => round.cpuMicros),
      serviceRequests: ofService((round) => round.requestsPerSecond),
    };
  });
}

/** Measures routes in turn, in the other order every second round, after all have warmed up. */
export async function compare(method: string, routes: readonly Route[], load: Rounds): Promise<Comparison> {
  const fresh = routes.map((route) => ({ ...route, rounds: [] }));
  const what = `${method}, ${load.callers} callers`;
  console.log(`${what}: warming up`);
  await runRounds(fresh, load, (round) => console.log(`${what}: round ${round} of ${load.rounds}`));
  const { callers, requests, rounds } = load;
  return { method, callers, requests, rounds, routes: figuresOf(fresh) };
}
