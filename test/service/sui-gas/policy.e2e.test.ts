import { toBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { patchFund, patchKey } from "../../support/operator.ts";
import {
  BUDGET,
  BUDGET_MIST,
  balanceFundWithKey,
  getFund,
  newUser,
  prepare,
  refused,
  sponsorshipRows,
} from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const SUI_MIST = 1_000_000_000n;
const sender = newUser().toSuiAddress();
const stranger = newUser().toSuiAddress();
const MINT = `${DEMO_PACKAGE}::demo::mint`;
const belowBudget = (BUDGET_MIST - 1n).toString();
const NONE = { allow: null, deny: null };

/** Each refuses a badge for the sender at the budget; the second column takes the limit away again. */
const rules = [
  ["moveTargets", { moveTargets: { allow: ["0x2::*"] } }, { moveTargets: NONE }],
  ["moveTargets", { moveTargets: { allow: [`${DEMO_PACKAGE}::*`], deny: [MINT] } }, { moveTargets: NONE }],
  ["senders", { senders: { allow: [stranger] } }, { senders: NONE }],
  ["senders", { senders: { deny: [sender] } }, { senders: NONE }],
  ["maxGasBudget", { maxGasBudget: belowBudget }, { maxGasBudget: null }],
  ["maxStorageCost", { maxStorageCost: belowBudget }, { maxStorageCost: null }],
  ["maxInFlightCount", { maxInFlightCount: 0 }, { maxInFlightCount: null }],
  ["maxInFlightAmount", { maxInFlightAmount: belowBudget }, { maxInFlightAmount: null }],
  ["maxSpendPerDay", { maxSpendPerDay: belowBudget }, { maxSpendPerDay: null }],
  ["maxSpendPerSenderPerDay", { maxSpendPerSenderPerDay: belowBudget }, { maxSpendPerSenderPerDay: null }],
  ["maxAbandonCostPerDay", { maxAbandonCostPerDay: "0" }, { maxAbandonCostPerDay: null }],
] as const;

async function expectRefused(key: string, rule: string, params: readonly unknown[]): Promise<void> {
  for (const method of ["gas_sponsorTransactionBlock", "gas_prepareTransactionBlock"])
    expect(await refused(key, method, params)).toEqual({
      code: -32602,
      message: "Invalid params",
      data: { reason: "policy_refused", rule, details: expect.stringMatching(new RegExp(`^${rule}: `)) },
    });
}

test("each rule of a fund and of a key refuses by its name from the call after the PATCH, holds nothing, and ends with another PATCH", async () => {
  // Without coins: what is lent here is never taken back.
  const { fundId, keyId, key } = await balanceFundWithKey(SUI_MIST);
  const kind = await mintKind();
  const params = [toBase64(kind), sender, BUDGET];
  const owners = [(policy: object) => patchFund(fundId, { policy }), (policy: object) => patchKey(keyId, { policy })];
  let lent = 0;
  for (const patch of owners)
    for (const [rule, limit, none] of rules) {
      await patch(limit);
      await expectRefused(key, rule, params);
      expect(await sponsorshipRows(fundId)).toHaveLength(lent);
      await patch(none);
      await prepare(key, kind, sender, BUDGET);
      lent += 1;
    }
  expect((await getFund(key)).inFlight).toBe(BUDGET_MIST * BigInt(lent));
});

test("as made, a fund sponsors gas budgets of at most 0.5 SUI, given or by a dry run, and a limit on storage asks the dry run", async () => {
  const { fundId, key } = await balanceFundWithKey(SUI_MIST);
  const kind = await mintKind();
  await expectRefused(key, "maxGasBudget", [toBase64(kind), sender, "500000001"]);
  await prepare(key, kind, sender, "500000000");
  await patchFund(fundId, { policy: { maxGasBudget: "1000000", maxStorageCost: null } });
  await expectRefused(key, "maxGasBudget", [toBase64(kind), sender]);
  await patchFund(fundId, { policy: { maxGasBudget: null, maxStorageCost: "1000000" } });
  await expectRefused(key, "maxStorageCost", [toBase64(kind), sender]);
  await patchFund(fundId, { policy: { maxStorageCost: "10000000" } });
  await prepare(key, kind, sender);
});
