import { test } from "vitest";
import { memory } from "../../support/fund/memory-fund.ts";
import { assertFundGuarantees, COMMON, RARE } from "../simulation/sui-properties.ts";

test("guarantees 1 to 9 hold through 1,000 long simulations of a fund, in memory", () => {
  assertFundGuarantees(memory, 1_000, 100, [...COMMON, ...RARE]);
});
