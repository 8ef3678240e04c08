import { test } from "vitest";
import { assertFundGuarantees, COMMON } from "./fund-properties.ts";
import { memory } from "./memory-fund.ts";

test("guarantees 1 to 8 hold through 200 random lives of a fund, in memory", { timeout: 300_000 }, () => {
  assertFundGuarantees(memory, 200, 50, COMMON);
});
