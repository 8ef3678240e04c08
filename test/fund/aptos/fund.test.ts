import { test } from "vitest";
import { APTOS_COMMON, assertAptosGuarantees } from "../simulation/aptos-properties.ts";
import { aptosMemory } from "../simulation/aptos-store-views.ts";

test("guarantees 1 to 7 hold through 200 random simulations of an Aptos fund, in memory", { timeout: 300_000 }, () => {
  assertAptosGuarantees(aptosMemory, 200, 50, APTOS_COMMON);
});
