import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { sqlite } from "../../support/fund/sqlite-fund.ts";
import { assertFundGuarantees } from "../simulation/sui-properties.ts";

/** So few reach only the most common cases. The long suite has others, which reach all. */
const ROUNDS = 20;

test(`guarantees 1 to 9 hold through ${ROUNDS} random simulations of a fund, on SQLite`, {
  timeout: 300_000,
}, async () => {
  await runInDurableObject(env.FUND.getByName("fund_properties"), (_, { storage }) => {
    assertFundGuarantees(() => sqlite(storage), ROUNDS, 50, []);
  });
});
