import { test } from "vitest";
import { inFundStorage } from "../../support/fund/fund-storage.ts";
import { APTOS_COMMON, APTOS_RARE, assertAptosGuarantees } from "../simulation/aptos-properties.ts";
import { aptosSqlite } from "../simulation/aptos-store-views.ts";

/** The first ones of those in memory, which draw from the same seed. These reach every case, and cost far more here. */
const SIMULATIONS = 500;

test(`guarantees 1 to 7 hold through ${SIMULATIONS} long simulations of an Aptos fund, on SQLite`, async () => {
  await inFundStorage("aptos_properties", (storage) => {
    assertAptosGuarantees(() => aptosSqlite(storage), SIMULATIONS, 100, [...APTOS_COMMON, ...APTOS_RARE]);
  });
});
