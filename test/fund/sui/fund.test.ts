import { test } from "vitest";
import { memory } from "../../support/fund/memory-fund.ts";
import { assertFundGuarantees, COMMON } from "../simulation/sui-properties.ts";

test("guarantees 1 to 9 hold through 200 random simulations of a fund, in memory", { timeout: 300_000 }, () => {
  assertFundGuarantees(memory, 200, 50, COMMON);
});
