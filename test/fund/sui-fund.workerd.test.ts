import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { assertFundGuarantees, COMMON } from "./fund-properties.ts";
import { sqlite } from "./sqlite-fund.ts";

test("guarantees 1 to 8 hold through 200 random lives of a fund, on SQLite", { timeout: 300_000 }, async () => {
  await runInDurableObject(env.FUND.getByName("fund_properties"), (_, { storage }) => {
    assertFundGuarantees(() => sqlite(storage), 200, 50, COMMON);
  });
});
