import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { APTOS_COMMON, APTOS_RARE, assertAptosGuarantees } from "../simulation/aptos-properties.ts";
import { aptosSqlite } from "../simulation/aptos-store-views.ts";

test("guarantees 1 to 7 hold through 1,000 long simulations of an Aptos fund, on SQLite", async () => {
  await runInDurableObject(env.FUND.getByName("aptos_properties"), (_, { storage }) => {
    assertAptosGuarantees(() => aptosSqlite(storage), 1_000, 100, [...APTOS_COMMON, ...APTOS_RARE]);
  });
});
