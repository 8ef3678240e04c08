import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { sqlite } from "../../support/fund/sqlite-fund.ts";
import { assertFundGuarantees, COMMON, RARE } from "../simulation/sui-properties.ts";

test("guarantees 1 to 9 hold through 1,000 long simulations of a fund, on SQLite", async () => {
  await runInDurableObject(env.FUND.getByName("fund_properties"), (_, { storage }) => {
    assertFundGuarantees(() => sqlite(storage), 1_000, 100, [...COMMON, ...RARE]);
  });
});
