/** What abandoned sponsorships come to: the fund bumps their coins with transactions of its own. */

export const HOUR_MS = 3_600_000;
/** After the hour a fund waits ten seconds for late users, and then thirty for more coins to recycle at once. */
export const RECYCLED_AFTER_MS = 45_000;

const COMPUTATION_MIST = 1_000_000n;
const COIN_DEPOSIT_MIST = 988_000n;
const BASIS_POINTS = 10_000n;
const COINS_PER_TRANSACTION = 256;

/** What it costs to recycle so many coins at the reference price of 1,000 MIST; each transaction rewrites its gas coin too. */
export function recycleCostMist(coins: number): bigint {
  let cost = 0n;
  for (let left = coins; left > 0; left -= COINS_PER_TRANSACTION)
    cost += COMPUTATION_MIST + lostMist(Math.min(left, COINS_PER_TRANSACTION) + 1);
  return cost;
}

/** What of the deposits of so many coins does not come back: 0.01 %. Half a MIST comes back. */
function lostMist(coins: number): bigint {
  const deposits = BigInt(coins) * COIN_DEPOSIT_MIST;
  return deposits - (deposits * (BASIS_POINTS - 1n) + BASIS_POINTS / 2n) / BASIS_POINTS;
}
