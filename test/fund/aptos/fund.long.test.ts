import { test } from "vitest";
import { APTOS_COMMON, APTOS_RARE, assertAptosGuarantees } from "../simulation/aptos-properties.ts";
import { aptosMemory } from "../simulation/aptos-store-views.ts";

test("guarantees 1 to 7 hold through 1,000 long simulations of an Aptos fund, in memory", () => {
  assertAptosGuarantees(aptosMemory, 1_000, 100, [...APTOS_COMMON, ...APTOS_RARE]);
});
