import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { newFund, newKey, sui } from "../harness/harness.ts";
import { suiOf } from "../support/operator.ts";
import { expectNothingHeld, netMist, newUser, prepare, refused, submitSponsored } from "../support/sui-gas.ts";
import { kindOf, mintKind } from "../support/sui-transactions.ts";
import { newAttacker } from "./attacker.ts";
import { carelessSponsor, coinsOf } from "./careless-sponsor.ts";

/**
 * Storage farming: whoever pays for a transaction pays the deposits of what it creates, and whoever pays for the one
 * that deletes it gets 99 % of them. So an attacker has large objects made for him, and deletes them himself.
 */

const SUI = 1_000_000_000n;
/** About as long as an argument may be, and all badges share it. */
const LONG_NAME = "x".repeat(16_000);
const BADGES = 8;

function mintBadges(count: number): Promise<Uint8Array> {
  return kindOf((transaction) => {
    const name = transaction.pure.string(LONG_NAME);
    for (let badge = 0; badge < count; badge++)
      transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [name] });
  });
}

test("straight at the chain, a sponsor that looks at nothing but its coin loses the deposits, and the attacker gets 99 %", async () => {
  const [attacker, careless] = await Promise.all([newAttacker(), carelessSponsor([2n * SUI])]);
  const { address, keypair } = attacker;
  const payment = await coinsOf(careless.address);
  const balances = async () => ({
    sponsorMist: await suiOf(careless.address),
    attackerMist: await suiOf(address),
  });
  const before = await balances();

  const terms = { kind: await mintBadges(BADGES), sender: address, gasBudgetMist: (3n * SUI) / 2n, payment };
  const { status, effects } = await submitSponsored(keypair, await careless.sponsor(terms));
  expect(status.success).toBe(true);
  const lostMist = netMist(effects.gasUsed);
  expect(lostMist).toBeGreaterThan((95n * SUI) / 100n);

  const type = `${DEMO_PACKAGE}::demo::Badge`;
  const { objects: badges } = await sui.core.listOwnedObjects({ owner: address, type });
  expect(badges).toHaveLength(BADGES);
  const burning = new Transaction();
  for (const badge of badges)
    burning.moveCall({ target: `${DEMO_PACKAGE}::demo::burn`, arguments: [burning.objectRef(badge)] });
  await sui.core.signAndExecuteTransaction({ transaction: burning, signer: keypair });

  const after = await balances();
  expect(before.sponsorMist - after.sponsorMist).toBe(lostMist);
  expect(after.attackerMist - before.attackerMist).toBeGreaterThan((lostMist * 98n) / 100n);
});

describe("through the service", () => {
  const MAX_STORAGE_COST_MIST = 20_000_000n;
  const sender = newUser().toSuiAddress();
  let fund: Awaited<ReturnType<typeof newFund>>;
  beforeEach(async () => {
    fund = await newFund();
  });

  async function expectRule(key: string, kind: Uint8Array, gasBudgetMist: bigint | null, rule: string) {
    for (const method of ["gas_sponsorTransactionBlock", "gas_prepareTransactionBlock"]) {
      const { code, data } = await refused(key, method, [toBase64(kind), sender, gasBudgetMist?.toString() ?? null]);
      expect({ code, reason: data.reason, rule: data.rule }).toEqual({ code: -32602, reason: "policy_refused", rule });
    }
    await expectNothingHeld({ ...fund, key });
  }

  test("maxStorageCost refuses deposits above it, by the dry run or by a budget that could pay for them", async () => {
    const { key } = await newKey(fund, { policy: { maxStorageCost: MAX_STORAGE_COST_MIST.toString() } });
    await expectRule(key, await mintBadges(3), null, "maxStorageCost");
    await expectRule(key, await mintBadges(3), SUI / 2n, "maxStorageCost");
    await expectRule(key, await mintKind(), MAX_STORAGE_COST_MIST + 1n, "maxStorageCost");
    await prepare(key, await mintKind(), sender);
    await prepare(key, await mintKind(), newUser().toSuiAddress(), MAX_STORAGE_COST_MIST.toString());
  });

  test("a fund that nobody configured pays half a SUI at most", async () => {
    const { key } = await newKey(fund);
    await expectRule(key, await mintBadges(BADGES), null, "maxGasBudget");
    await expectRule(key, await mintBadges(BADGES), SUI / 2n + 1n, "maxGasBudget");
  });
});
