import { bcs } from "@mysten/sui/bcs";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { beforeAll, describe, expect, test } from "vitest";
import { refreshPast } from "../../shared/cli/client/admin.ts";
import { createFundInProject } from "../../shared/cli/client/funds.ts";
import { suiAccount } from "../devchain/sui/accounts.ts";
import { createCoinReservationRef } from "../devchain/sui/coin-reservation.ts";
import { harness, newKey, sui, uniqueName } from "../harness/harness.ts";
import { suiOf } from "../support/operator.ts";
import { shortCases, shortTest, variants } from "../support/rounds.ts";
import {
  expectNothingHeld,
  fundWithKey,
  netMist,
  newUser,
  prepare,
  refused,
  signatureOf,
  sponsor,
  submit,
  submitSponsored,
} from "../support/sui-gas.ts";
import { mintKind, type ObjectReference, transferKind } from "../support/sui-transactions.ts";
import { type Attacker, newAttacker } from "./attacker.ts";
import { carelessSponsor, coinsOf, giveToAddressBalance, referenceOf, wrap } from "./careless-sponsor.ts";
import { corpus, withdrawalKind } from "./corpus.ts";
import type { Coin, Consequence, DrainFixture } from "./drain-case.ts";

const SUI = 1_000_000_000n;
const GAS_BUDGET_MIST = 10_000_000n;
/** A fund leaves so little in its address balance, and makes no coin of it by itself in the middle of a test. */
const RESERVED_MIST = 5_000_000n;
const METHODS = ["gas_sponsorTransactionBlock", "gas_prepareTransactionBlock"];

function fixtureOf(victim: string, [gasCoin, ...otherCoins]: readonly Coin[], attacker: Attacker): DrainFixture {
  if (gasCoin === undefined) throw new Error("the victim has no coin");
  return {
    victim,
    gasCoinMist: gasCoin.balanceMist,
    gasBudgetMist: GAS_BUDGET_MIST,
    otherCoins,
    bait: () => attacker.bait(victim, 1),
    attacker: attacker.address,
    attackersCoin: attacker.coin,
  };
}

/** Rows whose first column is the title of a test: in a template a long name would be cut off. */
function named<Case extends { readonly name: string }>(cases: readonly Case[]): [string, Case][] {
  return cases.map((one) => [one.name, one]);
}

/** A fund whose address balance pays, and an access key for it. */
async function balanceFundWithKey() {
  const fund = await createFundInProject(harness, uniqueName("fund"), { mode: "address_balance" });
  await giveToAddressBalance(fund.depositAddress, SUI);
  await refreshPast(harness, fund.fundId, 0n);
  return { ...fund, ...(await newKey(fund)) };
}

describe.each([
  ["coins", () => fundWithKey(3), variants(corpus, 2)],
  // What is refused does not depend on the form.
  ["an address balance", balanceFundWithKey, variants(corpus, 6)],
])("through the service it is refused, and nothing is held of a fund of %s", (_form, newFundWithKey, drains) => {
  let fund: Awaited<ReturnType<typeof fundWithKey>>;
  let fixture: DrainFixture;
  beforeAll(async () => {
    const attacker = await newAttacker();
    fund = await newFundWithKey();
    // Any coins do here: it is refused before anybody looks whose they are.
    const coins = await coinsOf(attacker.address);
    fixture = { ...fixtureOf(fund.depositAddress, coins, attacker), bait: () => Promise.resolve(attacker.coin) };
  });

  test.each(named(drains))("%s", async (_, { build, throughTheService: { reason, details, more } }) => {
    const { kind, sender, gasPriceMist } = await build(fixture);
    for (const method of METHODS)
      for (const gasBudget of [GAS_BUDGET_MIST.toString(), null]) {
        const error = await refused(fund.key, method, [toBase64(kind), sender, gasBudget, gasPriceMist?.toString()]);
        expect(error).toEqual({
          code: -32602,
          message: "Invalid params",
          data: { reason, details: expect.stringMatching(details), ...more },
        });
      }
    await expectNothingHeld(fund);
  });
});

shortTest("the careless sponsor's bytes are what the service would sign", async () => {
  const fund = await fundWithKey();
  const kind = await mintKind();
  const { txBytes } = await prepare(fund.key, kind, newUser().toSuiAddress(), GAS_BUDGET_MIST.toString());
  const { sender, gasData, expiration } = bcs.TransactionData.parse(fromBase64(txBytes)).V1;
  expect(toBase64(wrap(kind, { sender, gasData, expiration }))).toBe(txBytes);
});

describe("straight at the chain, with a sponsor that signs whatever it is given", () => {
  const attacks = corpus.flatMap((drain) =>
    (["coin", "address balance"] as const).flatMap((payment) => {
      const consequence = drain.atTheChain[payment];
      if (consequence === undefined) return [];
      return [{ ...drain, name: `${consequence.is}: ${drain.name}, gas from its ${payment}`, payment, consequence }];
    }),
  );

  // Each has an attacker and a sponsor of its own.
  test.concurrent.each(named(variants(attacks, 6)))("%s", async (_, attack) => {
    const [attacker, careless] = await Promise.all([newAttacker(), carelessSponsor([SUI, SUI / 2n, SUI / 4n], SUI)]);
    const [gasCoin, ...otherCoins] = await coinsOf(careless.address);
    if (gasCoin === undefined) throw new Error("the sponsor has no coin");
    const fixture = fixtureOf(careless.address, [gasCoin, ...otherCoins], attacker);
    const attempt = await attack.build(fixture);
    const payment = attack.payment === "coin" ? [gasCoin] : [];
    const sponsored = await careless.sponsor({ ...attempt, gasBudgetMist: GAS_BUDGET_MIST, payment });
    const own = attack.needsNoSignature ? [] : [await signatureOf(attacker.keypair, sponsored)];
    await expectConsequence(attack.consequence, fixture, () =>
      submit(sponsored.txBytes, [...own, sponsored.signature]),
    );
  });
});

async function expectConsequence(
  consequence: Consequence,
  fixture: DrainFixture,
  attack: () => ReturnType<typeof submit>,
): Promise<void> {
  const before = await balancesIn(fixture);
  if (consequence.is === "refused") {
    await expect(attack()).rejects.toThrow(consequence.text);
    expect(await balancesIn(fixture)).toEqual(before);
    return;
  }
  const { status, effects } = await attack();
  const gasMist = netMist(effects.gasUsed);
  const gainMist = gainOf(consequence, gasMist, fixture);
  expect(await balancesIn(fixture)).toEqual({
    attackerMist: before.attackerMist + gainMist,
    victimMist: before.victimMist - gainMist - gasMist,
  });
  expect(status.success).toBe(consequence.is !== "wasted");
  if (consequence.is === "wasted") expect(status.error?.message).toContain(consequence.error);
  if (consequence.is === "burned")
    expect(effects.gasUsed.computationCost).toBe(consequence.computationMist(fixture).toString());
}

async function balancesIn({ attacker, victim }: DrainFixture) {
  return { attackerMist: await suiOf(attacker), victimMist: await suiOf(victim) };
}

function gainOf(consequence: Consequence, gasMist: bigint, fixture: DrainFixture): bigint {
  switch (consequence.is) {
    case "taken":
      return consequence.mist(gasMist, fixture);
    case "given":
      return -consequence.mist(fixture);
    default:
      return 0n;
  }
}

describe("what the service leaves to the chain: inputs are the sender's own", () => {
  let attacker: Attacker;
  let fund: Awaited<ReturnType<typeof fundWithKey>>;
  beforeAll(async () => {
    [attacker, fund] = await Promise.all([newAttacker(), fundWithKey(3)]);
    await giveToAddressBalance(attacker.address, SUI);
    await giveToAddressBalance(fund.depositAddress, 2n * RESERVED_MIST);
  });

  shortTest(
    "a withdrawal from the sender's address balance is sponsored, and costs the fund its gas and no more",
    async () => {
      const { address, keypair } = attacker;
      const [attackerMist, fundMist] = await Promise.all([address, fund.depositAddress].map(suiOf));
      const sponsored = await sponsor(fund.key, withdrawalKind({ Sender: true }, SUI, address), address);
      const { status, effects } = await submitSponsored(keypair, sponsored);
      expect(status.success).toBe(true);
      expect(await suiOf(address)).toBe(attackerMist);
      expect(await suiOf(fund.depositAddress)).toBe((fundMist ?? 0n) - netMist(effects.gasUsed));
    },
  );

  shortCases.each([
    [
      "a coin of the fund",
      "was not signed by the correct sender",
      async () => (await coinsOf(fund.depositAddress)).at(-1),
    ],
    ["a coin reservation of its address balance", "not sender", () => reservationOf(fund.depositAddress)],
  ])("%s as an input is refused by the dry run, and by the chain where there was none", async (_, text, reference) => {
    const coin = await reference();
    if (coin === undefined) throw new Error("the fund has no coin");
    const kind = await transferKind(referenceOf(coin), attacker.address);
    const error = await refused(fund.key, "gas_sponsorTransactionBlock", [toBase64(kind), attacker.address]);
    expect(error.data).toMatchObject({ reason: "dry_run_failed", details: expect.stringContaining(text) });

    const before = await suiOf(fund.depositAddress);
    const sponsored = await sponsor(fund.key, kind, attacker.address, GAS_BUDGET_MIST.toString());
    await expect(submitSponsored(attacker.keypair, sponsored)).rejects.toThrow(text);
    expect(await suiOf(fund.depositAddress)).toBe(before);
  });
});

/** A part of an address balance in the form of a coin, as wallets use it that know nothing else. */
async function reservationOf(owner: string): Promise<ObjectReference> {
  const { systemState } = await sui.core.getCurrentSystemState();
  const { chainIdentifier } = await sui.core.getChainIdentifier();
  return createCoinReservationRef(suiAccount(owner), RESERVED_MIST, BigInt(systemState.epoch), chainIdentifier);
}
