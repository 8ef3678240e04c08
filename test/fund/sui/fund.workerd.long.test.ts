import { test } from "vitest";
import { inFundStorage } from "../../support/fund/fund-storage.ts";
import { sqlite } from "../../support/fund/sqlite-fund.ts";
import { assertFundGuarantees, COMMON, RARE } from "../simulation/sui-properties.ts";

/** The first ones of those in memory, which draw from the same seed. These reach every case, and cost far more here. */
const SIMULATIONS = 500;

test(`guarantees 1 to 9 hold through ${SIMULATIONS} long simulations of a fund, on SQLite`, async () => {
  await inFundStorage("fund_properties", (storage) => {
    assertFundGuarantees(() => sqlite(storage), SIMULATIONS, 100, [...COMMON, ...RARE]);
  });
});
