import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { automaticBudgetMist, netGasMist } from "../../../shared/fund/sui/gas.ts";

/** The SDK builds transactions with it, and does not export it. */
const { computeGasBudget } = z
  .object({
    computeGasBudget: z.custom<(gasUsed: object, gasPrice: bigint) => string>((value) => typeof value === "function"),
  })
  .parse(await import("../../../node_modules/@mysten/sui/dist/client/core-resolver.mjs"));

const u40 = fc.bigInt({ min: 0n, max: 2n ** 40n });
const gasUsed = fc.record({
  computationCostMist: u40,
  storageCostMist: u40,
  storageRebateMist: u40,
  nonRefundableStorageFeeMist: u40,
});

/** `@mysten/sui` takes and gives decimal strings. */
function budgetOfSdk(gas: typeof gasUsed extends fc.Arbitrary<infer T> ? T : never, priceMist: bigint): bigint {
  const summary = {
    computationCost: gas.computationCostMist.toString(),
    storageCost: gas.storageCostMist.toString(),
    storageRebate: gas.storageRebateMist.toString(),
    nonRefundableStorageFee: gas.nonRefundableStorageFeeMist.toString(),
  };
  return BigInt(computeGasBudget(summary, priceMist));
}

test("an automatic budget is the SDK's and five percent, a quarter with shared objects, rounded up", () => {
  fc.assert(
    fc.property(gasUsed, fc.bigInt({ min: 1n, max: 100_000n }), (gas, priceMist) => {
      const needed = budgetOfSdk(gas, priceMist);
      for (const [shared, percent] of [
        [false, 105n],
        [true, 125n],
      ] as const) {
        const budget = automaticBudgetMist(gas, priceMist, shared);
        expect(budget * 100n).toBeGreaterThanOrEqual(needed * percent);
        expect((budget - 1n) * 100n).toBeLessThan(needed * percent);
      }
    }),
  );
});

test("a rebate above the cost does not lower the budget below the computation", () => {
  const gas = {
    computationCostMist: 1_000_000n,
    storageCostMist: 1_000_000n,
    storageRebateMist: 9_000_000n,
    nonRefundableStorageFeeMist: 0n,
  };
  expect(netGasMist(gas)).toBe(-7_000_000n);
  expect(automaticBudgetMist(gas, 1_000n, false)).toBe(2_100_000n);
});

test("the charge is computation and storage less the rebate", () => {
  // Gas of a split and a transfer. Source: MystenLabs/sui, sui-indexer-alt-e2e-tests, bcs.snap (Apache-2.0).
  const gas = {
    computationCostMist: 1_000_000n,
    storageCostMist: 1_976_000n,
    storageRebateMist: 978_120n,
    nonRefundableStorageFeeMist: 9_880n,
  };
  expect(netGasMist(gas)).toBe(1_997_880n);
});
