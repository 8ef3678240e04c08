import { toBase64 } from "@mysten/sui/utils";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { batchesOf } from "../../shared/paging.ts";
import { advance, gasResult, newFund, newKey } from "../harness/harness.ts";
import { executedSchema } from "../service/sui-gas/responses.ts";
import { suiOf } from "../support/operator.ts";
import { sleep } from "../support/random.ts";
import {
  fundWithKey,
  getFund,
  netMist,
  newUser,
  refused,
  type Sponsored,
  signatureOf,
  sponsor,
  sponsorshipRows,
  status,
  submitSponsored,
} from "../support/sui-gas.ts";
import { mintKind } from "../support/sui-transactions.ts";
import { type CarelessSponsor, carelessSponsor, coinsOf } from "./careless-sponsor.ts";
import type { Coin } from "./drain-case.ts";
import { HOUR_MS, RECYCLED_AFTER_MS, recycleCostMist } from "./recycling.ts";

/**
 * Drains that need time: a signature executes for as long as its coin has the version that it names, whatever was agreed
 * on how long it is good for.
 */

const SUI = 1_000_000_000n;
const GAS_BUDGET_MIST = 5_000_000n;
const COIN_MIST = 10_000_000n;
const FLOOD = 1_000;
const SIGNED_AT_ONCE = 20;
const POLL = { timeout: 60_000, interval: 100 };
const STALE = "is unavailable for consumption, current version";

describe("straight at the chain, with a sponsor that believes in its own clock", () => {
  const attacker = newUser();
  let careless: CarelessSponsor;
  let kind: Uint8Array;
  beforeEach(async () => {
    careless = await carelessSponsor([20n * SUI]);
    kind = await mintKind();
  });

  const lend = (coin: Coin, sender: string) =>
    careless.sponsor({ kind, sender, gasBudgetMist: GAS_BUDGET_MIST, payment: [coin] });

  async function oneCoin(): Promise<Coin> {
    const [coin] = await careless.splitOff(1, COIN_MIST);
    if (coin === undefined) throw new Error("the sponsor has no coin");
    return coin;
  }

  test("an abandonment flood of 1,000 locks 10 SUI for nothing: each signature stays good, and no coin is free", async () => {
    const coins = await careless.splitOff(FLOOD, COIN_MIST);
    const before = await suiOf(careless.address);
    const sponsored: Awaited<ReturnType<typeof lend>>[] = [];
    for (const batch of batchesOf(coins, SIGNED_AT_ONCE)) {
      sponsored.push(...(await Promise.all(batch.map((coin) => lend(coin, attacker.toSuiAddress())))));
      // The chain closes a connection that is idle for seconds, and only an event tells that.
      await sleep(0);
    }
    expect(new Set(sponsored.map(({ txDigest }) => txDigest)).size).toBe(FLOOD);

    expect(await suiOf(careless.address)).toBe(before);
    const untouched = (await coinsOf(careless.address)).filter(({ balanceMist: mist }) => mist === COIN_MIST);
    expect(untouched).toEqual(coins);
    const any = sponsored[FLOOD / 2];
    if (any === undefined) throw new Error("nothing was sponsored");
    const executed = await submitSponsored(attacker, any);
    expect(executed.status.success).toBe(true);
    expect(await suiOf(careless.address)).toBe(before - netMist(executed.effects.gasUsed));
  });

  describe("that lends a coin again after an hour", () => {
    const honest = newUser();
    let late: Awaited<ReturnType<typeof lend>>;
    let next: Awaited<ReturnType<typeof lend>>;
    beforeEach(async () => {
      const coin = await oneCoin();
      late = await lend(coin, attacker.toSuiAddress());
      // The hour would change nothing here: the chain does not know of it.
      next = await lend(coin, honest.toSuiAddress());
    });

    test("the late transaction lands, is charged, and the honest user's dies of it", async () => {
      const before = await suiOf(careless.address);
      const executed = await submitSponsored(attacker, late);
      expect(executed.status.success).toBe(true);
      expect(await suiOf(careless.address)).toBe(before - netMist(executed.effects.gasUsed));
      await expect(submitSponsored(honest, next)).rejects.toThrow(STALE);
    });

    test("or the honest user's lands, and only then the late one is dead", async () => {
      expect((await submitSponsored(honest, next)).status.success).toBe(true);
      const before = await suiOf(careless.address);
      await expect(submitSponsored(attacker, late)).rejects.toThrow(STALE);
      expect(await suiOf(careless.address)).toBe(before);
    });
  });

  test("a coin that was taken to its next version is out of reach of the signature over the one before", async () => {
    const coin = await oneCoin();
    const sponsored = await lend(coin, attacker.toSuiAddress());
    await careless.recycle(coin);
    const before = await suiOf(careless.address);
    await expect(submitSponsored(attacker, sponsored)).rejects.toThrow(`${coin.objectId} version`);
    await expect(submitSponsored(attacker, sponsored)).rejects.toThrow(STALE);
    expect(await suiOf(careless.address)).toBe(before);
  });

  test("the same bytes again are answered from the chain, and charged once", async () => {
    const sponsored = await lend(await oneCoin(), attacker.toSuiAddress());
    const before = await suiOf(careless.address);
    const first = await submitSponsored(attacker, sponsored);
    const again = await submitSponsored(attacker, sponsored);
    expect(again.effects).toEqual(first.effects);
    expect(await suiOf(careless.address)).toBe(before - netMist(first.effects.gasUsed));
  });
});

describe("through the service, an abandonment flood", () => {
  const LIMIT = 4;
  const ABANDON_LIMIT_MIST = 1_000_000n;
  const attacker = newUser();
  let fund: Awaited<ReturnType<typeof newFund>>;
  let key: string;
  let flood: readonly Sponsored[];
  beforeAll(async () => {
    fund = await newFund();
    const policy = { maxInFlightCount: LIMIT, maxAbandonCostPerDay: ABANDON_LIMIT_MIST.toString() };
    ({ key } = await newKey(fund, { policy }));
  });

  const request = async () => [toBase64(await mintKind()), attacker.toSuiAddress(), GAS_BUDGET_MIST.toString()];

  async function refusedRule(method: string) {
    const { code, data } = await refused(key, method, await request());
    return { code, reason: data.reason, rule: data.rule };
  }

  test("ends at what the key may have in flight, and leaves the fund's other keys alone", async () => {
    const kind = await mintKind();
    const calls = Array.from({ length: LIMIT }, () =>
      sponsor(key, kind, attacker.toSuiAddress(), GAS_BUDGET_MIST.toString()),
    );
    flood = await Promise.all(calls);
    for (const method of ["gas_sponsorTransactionBlock", "gas_prepareTransactionBlock"])
      expect(await refusedRule(method)).toEqual({ code: -32602, reason: "policy_refused", rule: "maxInFlightCount" });
    expect((await getFund(key)).inFlight).toBe(BigInt(LIMIT) * GAS_BUDGET_MIST);

    const other = await newKey(fund);
    const user = newUser();
    const sponsored = await sponsor(other.key, kind, user.toSuiAddress(), GAS_BUDGET_MIST.toString());
    expect((await submitSponsored(user, sponsored)).status.success).toBe(true);
  });

  test("is dead an hour later, and costs what it takes to bump the coins", async () => {
    await advance(HOUR_MS + RECYCLED_AFTER_MS);
    const digests = new Set(flood.map(({ txDigest }) => txDigest));
    const rows = async () => (await sponsorshipRows(fund.fundId)).filter(({ digest }) => digests.has(digest));
    await expect.poll(async () => (await rows()).map(({ state }) => state), POLL).toEqual(flood.map(() => "dead"));
    expect((await getFund(key)).inFlight).toBe(0n);

    const before = await suiOf(fund.depositAddress);
    for (const sponsored of flood) {
      expect(await status(key, sponsored.txDigest)).toBe("INVALID");
      await expect(submitSponsored(attacker, sponsored)).rejects.toThrow(STALE);
    }
    expect(await suiOf(fund.depositAddress)).toBe(before);
    const costMist = (await rows()).reduce((sum, { maintenance }) => sum + BigInt(String(maintenance)), 0n);
    expect(costMist).toBe(recycleCostMist(flood.length));
  });

  test("is over for the day once it has cost what the key may abandon", async () => {
    expect(await refusedRule("gas_sponsorTransactionBlock")).toEqual({
      code: -32602,
      reason: "policy_refused",
      rule: "maxAbandonCostPerDay",
    });
  });
});

describe("through the service, landing late", () => {
  const attacker = newUser();
  const honest = newUser();
  let early: Awaited<ReturnType<typeof lend>>;
  let late: Awaited<ReturnType<typeof lend>>;

  async function lend() {
    const fund = await newFund();
    const { key } = await newKey(fund);
    const sponsored = await sponsor(key, await mintKind(), attacker.toSuiAddress(), GAS_BUDGET_MIST.toString());
    return { ...fund, key, sponsored };
  }

  beforeAll(async () => {
    [early, late] = await Promise.all([lend(), lend()]);
    await advance(HOUR_MS);
  });

  test("before the coin is recycled, it is INVALID, then COMPLETE, and nobody else's dies of it", async () => {
    const { key, depositAddress, sponsored } = early;
    expect(await status(key, sponsored.txDigest)).toBe("INVALID");
    const next = await sponsor(key, await mintKind(), honest.toSuiAddress(), GAS_BUDGET_MIST.toString());
    const before = await suiOf(depositAddress);
    const executed = await submitSponsored(attacker, sponsored);
    expect(executed.status.success).toBe(true);
    expect(await suiOf(depositAddress)).toBe(before - netMist(executed.effects.gasUsed));
    expect(await status(key, sponsored.txDigest)).toBe("COMPLETE");
    expect((await getFund(key)).inFlight).toBe(GAS_BUDGET_MIST);
    expect((await submitSponsored(honest, next)).status.success).toBe(true);
  });

  test("after it, the chain refuses it, and the fund goes on lending", async () => {
    const { key, fundId, sponsored } = late;
    await advance(RECYCLED_AFTER_MS);
    const state = async () =>
      (await sponsorshipRows(fundId)).find(({ digest }) => digest === sponsored.txDigest)?.state;
    await expect.poll(state, POLL).toBe("dead");
    await expect(submitSponsored(attacker, sponsored)).rejects.toThrow(STALE);
    expect(await status(key, sponsored.txDigest)).toBe("INVALID");
    const next = await sponsor(key, await mintKind(), honest.toSuiAddress(), GAS_BUDGET_MIST.toString());
    expect((await submitSponsored(honest, next)).status.success).toBe(true);
  });
});

describe("through the service", () => {
  test("the same bytes again, past the service and by it, are charged once", async () => {
    const fund = await fundWithKey();
    const user = newUser();
    const { balance } = await getFund(fund.key);
    const sponsored = await sponsor(fund.key, await mintKind(), user.toSuiAddress(), GAS_BUDGET_MIST.toString());
    const { effects } = await submitSponsored(user, sponsored);
    await submitSponsored(user, sponsored);
    const params = [sponsored.txDigest, await signatureOf(user, sponsored)];
    const again = await gasResult(fund.key, "gas_executeTransactionBlock", params, executedSchema);
    expect(netMist(again.effects.gasUsed)).toBe(netMist(effects.gasUsed));
    expect(await status(fund.key, sponsored.txDigest)).toBe("COMPLETE");
    const after = await getFund(fund.key);
    expect(after).toMatchObject({ balance: balance - netMist(effects.gasUsed), inFlight: 0n });
    expect(await suiOf(fund.depositAddress)).toBe(after.balance);
  });
});
