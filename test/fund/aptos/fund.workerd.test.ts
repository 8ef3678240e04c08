import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { APTOS_COMMON, assertAptosGuarantees } from "../simulation/aptos-properties.ts";
import { aptosSqlite } from "../simulation/aptos-store-views.ts";

test("guarantees 1 to 7 hold through 200 random simulations of an Aptos fund, on SQLite", {
  timeout: 300_000,
}, async () => {
  await runInDurableObject(env.FUND.getByName("aptos_properties"), (_, { storage }) => {
    assertAptosGuarantees(() => aptosSqlite(storage), 200, 50, APTOS_COMMON);
  });
});
