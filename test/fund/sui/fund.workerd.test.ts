import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { sqlite } from "../../support/fund/sqlite-fund.ts";
import { assertFundGuarantees, COMMON } from "../simulation/sui-properties.ts";

test("guarantees 1 to 8 hold through 200 random simulations of a fund, on SQLite", { timeout: 300_000 }, async () => {
  await runInDurableObject(env.FUND.getByName("fund_properties"), (_, { storage }) => {
    assertFundGuarantees(() => sqlite(storage), 200, 50, COMMON);
  });
});
