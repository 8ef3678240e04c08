import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { sqlite } from "../../support/fund/sqlite-fund.ts";
import { rounds } from "../../support/rounds.ts";
import { assertFundGuarantees, COMMON } from "../simulation/sui-properties.ts";

const FULL = 200;
const ROUNDS = rounds(FULL);
/** So few reach only the most common cases. */
const required = ROUNDS < FULL ? [] : COMMON;

test(`guarantees 1 to 9 hold through ${ROUNDS} random simulations of a fund, on SQLite`, {
  timeout: 300_000,
}, async () => {
  await runInDurableObject(env.FUND.getByName("fund_properties"), (_, { storage }) => {
    assertFundGuarantees(() => sqlite(storage), ROUNDS, 50, required);
  });
});
