// Sui only: an Aptos fund owns one balance, and no coins.

import { type Row, u64Text } from "../../durable/sql.ts";
import type { CoinCount } from "../views.ts";
import { boundsOf, MAX_POOL_COIN_MIST, TIERS } from "./refill-plan.ts";

/** SQL that names the tier of a coin, as `tierOf` does. */
const TIER_OF_COIN = [
  "WHEN maintenance = 1 THEN 'maintenance'",
  `WHEN balance_mist > '${u64Text(MAX_POOL_COIN_MIST)}' THEN 'source'`,
  ...TIERS.map(
    (tier, index) => `WHEN balance_mist < '${u64Text(boundsOf(index, tier)[0])}' THEN '${nameBelow(index)}'`,
  ),
  `ELSE '${nameBelow(TIERS.length)}'`,
].join(" ");

/** Names the coins below the lower bound of a tier: the coins of the tier before it. */
function nameBelow(index: number): string {
  const below = TIERS[index - 1];
  return below === undefined ? "dust" : String(below.sizeMist);
}

/** Counts a fund's coins by state and by the tier of the pool that they serve. */
export function coinCounts(sql: SqlStorage): readonly CoinCount[] {
  return sql
    .exec<Row<{ state: string; tier: string; count: number }>>(
      `SELECT state, CASE ${TIER_OF_COIN} END AS tier, COUNT(*) AS count
       FROM coin WHERE state <> 'gone' GROUP BY 1, 2 ORDER BY 1, 2`,
    )
    .toArray();
}
