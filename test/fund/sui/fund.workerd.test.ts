import { test } from "vitest";
import { inFundStorage } from "../../support/fund/fund-storage.ts";
import { sqlite } from "../../support/fund/sqlite-fund.ts";
import { assertFundGuarantees } from "../simulation/sui-properties.ts";

/** So few reach only the most common cases. The long suite has others, which reach all. */
const ROUNDS = 20;

test(`guarantees 1 to 9 hold through ${ROUNDS} random simulations of a fund, on SQLite`, {
  timeout: 300_000,
}, async () => {
  await inFundStorage("fund_properties", (storage) => {
    assertFundGuarantees(() => sqlite(storage), ROUNDS, 50, []);
  });
});
