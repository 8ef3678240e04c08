import { test } from "vitest";
import { assertFundGuarantees, COMMON, RARE } from "./fund-properties.ts";
import { memory } from "./memory-fund.ts";

test("guarantees 1 to 8 hold through 1,000 long lives of a fund, in memory", () => {
  assertFundGuarantees(memory, 1_000, 100, [...COMMON, ...RARE]);
});
