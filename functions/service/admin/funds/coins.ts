import * as z from "zod";
import { isMissingMethod } from "../../../../shared/durable/missing-method.ts";
import { refuse } from "../../../../shared/errors.ts";
import type { CoinView } from "../../../../shared/fund/sui/coin-list.ts";
import { coinTiers } from "../../../../shared/fund/sui/refill-plan.ts";
import { coinStates } from "../../../../shared/fund/sui/store.ts";
import { atoms, fund, MAX_PAGE, mapPage, pageQuery } from "../route/fields.ts";
import { optional } from "../route/filters.ts";
import { listRoute } from "../route/list.ts";
import { answer, notFound, problemFor } from "../route/route.ts";

/** The id of a coin, and the tag of the list's filter. */
const COIN_CURSOR = /^0x[0-9a-f]{64}(?:-[0-9A-Za-z_-]{8})?$/;

/** The schema of a coin in a list. */
export const coinSchema = z.object({
  objectId: z.string(),
  version: z.string().regex(/^[0-9]+$/),
  balance: atoms,
  state: z
    .enum(coinStates)
    .describe(
      "free: may be reserved. held: pays for an open sponsorship. spending, recycling: in a transaction of the fund. quarantined: an old signature may still spend it. gone: no longer the fund's",
    ),
  tier: z
    .enum(coinTiers)
    .describe(
      "the size of a pool coin in MIST; source: to split from; dust: too small to pay; maintenance: for the fund's own transactions",
    ),
  heldBy: z.string().nullable().describe("the digest of the transaction that holds it"),
});

function showCoin({ version, balanceMist, ...coin }: CoinView): z.input<typeof coinSchema> {
  return { ...coin, version: version.toString(), balance: balanceMist.toString() };
}

/** Lists the coins in the books of a Sui fund. */
export const coinsRoute = listRoute({
  path: "/funds/:id/coins",
  summary:
    "List the coins of a Sui fund as its books have them, in the order of their ids. Without a state, those that are not gone. A page may be short, or empty, and have a next one",
  resource: fund,
  query: pageQuery(MAX_PAGE, COIN_CURSOR).extend({
    state: optional(z.enum(coinStates)),
    tier: optional(z.enum(coinTiers)),
  }),
  item: coinSchema,
  handle: async ({ env, id, query: { limit, cursor, state, tier } }) => {
    const listed = await env.FUND.getByName(id)
      .coins({ limit, cursor, filter: { state, tier } })
      .catch((error: unknown) => {
        if (!isMissingMethod(error, "coins")) throw error;
        return refuse("overloaded", "the fund is being updated: repeat the call in a minute");
      });
    if (listed === null) return notFound("fund");
    return listed.ok ? answer(mapPage(listed.value, showCoin)) : problemFor(listed.error);
  },
});
