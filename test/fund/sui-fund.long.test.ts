import { test } from "vitest";
import { assertFundGuarantees } from "./fund-properties.ts";
import { memory } from "./memory-fund.ts";

test("guarantees 1, 2, 3, 4, 5 and 7 hold through 1,000 long lives of a fund, in memory", () => {
  assertFundGuarantees(memory, 1_000, 100);
});
