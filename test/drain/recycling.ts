/** What abandoned sponsorships come to: the fund bumps their coins with transactions of its own. */

export const HOUR_MS = 3_600_000;
/** After the hour a fund waits ten seconds for late users, and then thirty for more coins to recycle at once. */
export const RECYCLED_AFTER_MS = 45_000;

const COMPUTATION_MIST = 1_000_000n;
/** One percent of a coin's deposit, which each new version of it costs. */
const REWRITE_MIST = 9_880n;
const COINS_PER_TRANSACTION = 256;

/** What it costs to recycle so many coins at the reference price of 1,000 MIST; each transaction rewrites its gas coin too. */
export function recycleCostMist(coins: number): bigint {
  const transactions = Math.ceil(coins / COINS_PER_TRANSACTION);
  return BigInt(transactions) * COMPUTATION_MIST + BigInt(coins + transactions) * REWRITE_MIST;
}
