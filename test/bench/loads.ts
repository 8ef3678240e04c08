import type { Rounds } from "./report/comparison.ts";

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 500);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/** The loads of each comparison. Few callers send fewer requests, so that a round takes as long. */
export const LOADS: readonly Rounds[] = [
  { callers: 64, requests: REQUESTS, rounds: ROUNDS },
  { callers: 8, requests: REQUESTS / 2, rounds: ROUNDS },
];

/** The same loads with a share of the requests, for a method that takes longer. */
export function shareOf(share: number): readonly Rounds[] {
  return LOADS.map((load) => ({ ...load, requests: Math.ceil(load.requests * share) }));
}

/** Counts the coins that loads of sponsorships take. Each holds one for an hour, in the rounds and before them. */
export function coinsOf(loads: readonly Rounds[]): number {
  return loads.reduce((sum, { requests, rounds, callers }) => sum + requests * (rounds + 1) + callers, 0);
}
