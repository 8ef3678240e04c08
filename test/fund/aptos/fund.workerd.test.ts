import { test } from "vitest";
import { inFundStorage } from "../../support/fund/fund-storage.ts";
import { assertAptosGuarantees } from "../simulation/aptos-properties.ts";
import { aptosSqlite } from "../simulation/aptos-store-views.ts";

/** So few reach only the most common cases. The long suite has others, which reach all. */
const ROUNDS = 40;

test(`guarantees 1 to 7 hold through ${ROUNDS} random simulations of an Aptos fund, on SQLite`, {
  timeout: 300_000,
}, async () => {
  await inFundStorage("aptos_properties", (storage) => {
    assertAptosGuarantees(() => aptosSqlite(storage), ROUNDS, 50, []);
  });
});
