import { quantile, type Rounds } from "../load.ts";
import { type Route, runPairs, runRounds } from "../route.ts";

/** A median, with the least and the greatest value of all rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A ratio of two sums over all rounds. */
export interface TotalRatio {
  readonly ratio: number;
  /** The interval that 95 of 100 such runs agree with. */
  readonly from: number;
  readonly to: number;
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
  /** The service's CPU of all rounds as a multiple of this route's. */
  readonly totalCpu: TotalRatio;
  /** This route's time for all rounds as a multiple of the service's. */
  readonly totalRequests: TotalRatio;
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

/** Sums up values of rounds. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted.at(0) ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Half the width of the interval, in standard errors (normal distribution). */
const STANDARD_ERRORS = 1.96;

/**
 * Divides the sum of one route's rounds by that of another's. Single rounds vary by a quarter, so the median of their
 * ratios needs many more of them.
 *
 * @param pairs the figures of both routes in each round. The interval is that of the ratio estimator of paired samples
 * (Cochran, Sampling Techniques, section 6.4).
 */
export function totalRatioOf(pairs: readonly (readonly [number, number])[]): TotalRatio {
  const count = pairs.length;
  const sum = pairs.reduce((total, [, other]) => total + other, 0);
  const ratio = pairs.reduce((total, [own]) => total + own, 0) / sum;
  const squares = pairs.reduce((total, [own, other]) => total + (own - ratio * other) ** 2, 0);
  const half = (STANDARD_ERRORS * Math.sqrt((squares * count) / (count - 1))) / sum;
  return { ratio, from: ratio - half, to: ratio + half };
}

/** Sums up the rounds of routes. Ratios are taken within each round, because the speed of a machine drifts. */
export function figuresOf(routes: readonly Pick<Route, "name" | "rounds">[]): readonly RouteFigures[] {
  const service = routes[0]?.rounds ?? [];
  return routes.map(({ name, rounds }) => {
    const pairs = rounds.flatMap((round, index) => {
      const own = service[index];
      return own === undefined ? [] : [[own, round] as const];
    });
    const ofService = (pick: (round: Route["rounds"][number]) => number) =>
      spreadOf(pairs.map(([own, round]) => pick(own) / pick(round)));
    return {
      name,
      requestsPerSecond: spreadOf(rounds.map((round) => round.requestsPerSecond)),
      cpuMicros: spreadOf(rounds.map((round) => round.cpuMicros)),
      p50Ms: spreadOf(rounds.map((round) => round.p50Ms)).median,
      p99Ms: spreadOf(rounds.map((round) => round.p99Ms)).median,
      serviceCpu: ofService((round) => round.cpuMicros),
      serviceRequests: ofService((round) => round.requestsPerSecond),
      totalCpu: totalRatioOf(pairs.map(([own, round]) => [own.cpuMicros, round.cpuMicros])),
      totalRequests: totalRatioOf(
        pairs.map(([own, round]) => [1 / round.requestsPerSecond, 1 / own.requestsPerSecond]),
      ),
    };
  });
}

/** Joins the rounds of routes with one name. They are processes of one build, which differ by a few percent. */
export function joined(routes: readonly Pick<Route, "name" | "rounds">[]): readonly Pick<Route, "name" | "rounds">[] {
  const names = [...new Set(routes.map(({ name }) => name))];
  return names.map((name) => ({
    name,
    rounds: routes.filter((route) => route.name === name).flatMap(({ rounds }) => rounds),
  }));
}

/** Measures routes in turn, in the other order every second round, after all have warmed up. */
export async function compare(method: string, routes: readonly Route[], load: Rounds): Promise<Comparison> {
  const fresh = unmeasured(routes);
  await runRounds(fresh, load, progressOf(method, load));
  return comparisonOf(method, load, fresh);
}

/**
 * Measures the two routes of each pair at the same time. Routes of nearly equal speed need it, because a machine drifts
 * from round to round. Routes with one name count as one.
 *
 * @param series has all rounds run so often.
 * @param withPairs gives each series its pairs, as long as it runs.
 */
export async function compareAtOnce(
  method: string,
  load: Rounds,
  series: number,
  withPairs: (use: (pairs: readonly (readonly Route[])[]) => Promise<void>) => Promise<void>,
): Promise<Comparison> {
  const measured: Route[] = [];
  for (let left = series; left > 0; left -= 1)
    await withPairs(async (pairs) => {
      const fresh = pairs.map(unmeasured);
      await runPairs(fresh, load, progressOf(method, load));
      measured.push(...fresh.flat());
    });
  return comparisonOf(method, { ...load, rounds: series * load.rounds }, joined(measured));
}

function unmeasured(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, rounds: [] }));
}

/** Says that the warm-up begins. Returns what says at most ten of the rounds. */
function progressOf(method: string, { callers, rounds }: Rounds): (round: number) => void {
  const what = `${method}, ${callers} callers`;
  console.log(`${what}: warming up`);
  return (round) => {
    if (round % Math.ceil(rounds / 10) === 0) console.log(`${what}: round ${round} of ${rounds}`);
  };
}

function comparisonOf(
  method: string,
  { callers, requests, rounds }: Rounds,
  routes: readonly Pick<Route, "name" | "rounds">[],
): Comparison {
  return { method, callers, requests, rounds, routes: figuresOf(routes) };
}
