import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MIST_PER_SUI } from "../../../shared/amounts.ts";
import {
  GAS_PER_COIN_MIST,
  MAX_POOL_COIN_MIST,
  maintenancePayment,
  type PoolDemand,
  planSplit,
  type SplitPlan,
} from "../../../shared/fund/sui/refill-plan.ts";
import type { MemoryFundStore } from "../../support/fund/memory-sui-store.ts";
import { coin, deposit, digestOf, objectId, storeOf } from "../simulation/rows.ts";

const CENT_MIST = MIST_PER_SUI / 100n;
const QUIET: PoolDemand = { waitingBudgetsMist: [], heldCount: 0, gasPerCoinMist: GAS_PER_COIN_MIST };
/** The chain takes at most 512 arguments a command (`max_arguments` of the protocol configuration). */
const MAX_ARGUMENTS = 512;

function fundOf(...coinsMist: readonly bigint[]): MemoryFundStore {
  return storeOf(...coinsMist.map((balanceMist, index) => coin(index + 1, { balanceMist })));
}

/** With its maintenance coins set aside already. */
function withMaintenance(store: MemoryFundStore, ...balancesMist: readonly bigint[]): MemoryFundStore {
  const coinsMist = balancesMist.length > 0 ? balancesMist : [5n * CENT_MIST, 5n * CENT_MIST, 5n * CENT_MIST];
  for (const [index, balanceMist] of coinsMist.entries()) {
    store.putCoin(coin(900 + index, { balanceMist, maintenance: true }));
    deposit(store, balanceMist);
  }
  return store;
}

/** Executes a plan: the first source keeps what is left, less the gas, and the others are merged into it. */
function execute(store: MemoryFundStore, { purpose, sources, createdMist }: SplitPlan, round: number): void {
  const [kept, ...merged] = sources;
  const gasMist = BigInt(createdMist.length) * GAS_PER_COIN_MIST;
  const sourceMist = sources.reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
  store.putCoin({ ...kept, balanceMist: createdMist.reduce((left, mist) => left - mist, sourceMist - gasMist) });
  for (const gone of merged) store.putCoin({ ...gone, state: "gone", balanceMist: 0n, maintenance: false });
  for (const [index, balanceMist] of createdMist.entries())
    store.putCoin(coin(1_000 * round + index, { balanceMist, maintenance: purpose === "maintenance" }));
  deposit(store, -gasMist);
}

/** Executes plans until the pool is stocked. */
function stocked(store: MemoryFundStore, demand: PoolDemand = QUIET): readonly SplitPlan[] {
  const plans: SplitPlan[] = [];
  for (let plan = planSplit(store, demand); plan !== null; plan = planSplit(store, demand)) {
    plans.push(plan);
    if (plans.length > 100) throw new Error("the pool is never stocked");
    execute(store, plan, plans.length);
  }
  return plans;
}

function countOf(plans: readonly SplitPlan[], sizeMist: bigint): number {
  const tiers = plans.filter(({ purpose }) => purpose === "split");
  return tiers.flatMap(({ createdMist }) => createdMist).filter((amountMist) => amountMist === sizeMist).length;
}

describe("an idle fund", () => {
  test("without coins has nothing to split", () => {
    expect(planSplit(fundOf(), QUIET)).toBe(null);
  });

  test("with plenty stocks each size up to twice its mark, and is then at rest", () => {
    const plans = stocked(fundOf(1_000n * MIST_PER_SUI));
    expect(countOf(plans, CENT_MIST)).toBe(64);
    expect(countOf(plans, 5n * CENT_MIST)).toBe(16);
    expect(countOf(plans, 25n * CENT_MIST)).toBe(8);
  });

  test("splits the largest coin, the smallest size first", () => {
    const plan = planSplit(withMaintenance(fundOf(MIST_PER_SUI, 50n * MIST_PER_SUI, 2n * MIST_PER_SUI)), QUIET);
    expect(plan?.purpose).toBe("split");
    expect(plan?.sources.map(({ balanceMist }) => balanceMist)).toEqual([50n * MIST_PER_SUI]);
    expect(new Set(plan?.createdMist)).toEqual(new Set([CENT_MIST]));
  });

  test("of any balance comes to rest, and is not ground to dust", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 1n, max: 20n * MIST_PER_SUI }), { minLength: 1, maxLength: 5 }),
        (coinsMist) => {
          const balanceMist = coinsMist.reduce((sum, coinMist) => sum + coinMist, 0n);
          const plans = stocked(fundOf(...coinsMist));
          const made = (sizeMist: bigint) => BigInt(countOf(plans, sizeMist)) * sizeMist;
          expect(made(CENT_MIST) * 2n, "at most half of it in the smallest coins").toBeLessThanOrEqual(balanceMist);
          expect(made(5n * CENT_MIST) * 4n).toBeLessThanOrEqual(balanceMist);
          expect(made(25n * CENT_MIST) * 8n).toBeLessThanOrEqual(balanceMist);
          expect(made(MIST_PER_SUI) * 8n).toBeLessThanOrEqual(balanceMist);
        },
      ),
    );
  });

  test("with one small coin keeps it whole", () => {
    expect(planSplit(fundOf(2n * CENT_MIST), QUIET)).toBe(null);
  });
});

describe("calls that wait", () => {
  test("are served beyond the stock, each with a coin that covers its budget", () => {
    const store = fundOf(1_000n * MIST_PER_SUI);
    stocked(store);
    for (const { state, ...coin } of store.coins.values())
      if (coin.balanceMist <= MIST_PER_SUI) store.putCoin({ ...coin, state: "held", heldByDigest: "digest" });
    const waitingBudgetsMist = Array.from({ length: 100 }, () => CENT_MIST);
    const plan = planSplit(store, { ...QUIET, waitingBudgetsMist });
    expect(plan?.createdMist.length).toBeGreaterThanOrEqual(100);
  });

  test("are served beyond the share that a small balance keeps in stock", () => {
    const small = () => fundOf(10n * CENT_MIST);
    expect(planSplit(small(), QUIET)?.createdMist.length).toBe(5);
    const waitingBudgetsMist = Array.from({ length: 6 }, () => CENT_MIST);
    expect(planSplit(small(), { ...QUIET, waitingBudgetsMist })?.createdMist.length).toBeGreaterThanOrEqual(6);
  });

  test("are served with coins of the smallest size that covers them", () => {
    const store = fundOf(1_000n * MIST_PER_SUI);
    stocked(store);
    for (const sizeMist of [CENT_MIST, 5n * CENT_MIST, 25n * CENT_MIST, MIST_PER_SUI]) {
      const waitingBudgetsMist = Array.from({ length: 100 }, () => sizeMist);
      const plan = planSplit(store, { ...QUIET, waitingBudgetsMist });
      expect(new Set(plan?.createdMist)).toEqual(new Set([sizeMist]));
    }
  });
});

describe("caps", () => {
  const coinMist = fc.oneof(
    fc.bigInt({ min: 1n, max: 5_000n * MIST_PER_SUI }),
    fc.bigInt({ min: 1n, max: 3n * MIST_PER_SUI }),
  );
  const anyFund = fc.record({
    coinsMist: fc.array(coinMist, { minLength: 1, maxLength: 4 }),
    waitingBudgetsMist: fc.array(fc.bigInt({ min: 1n, max: 3n * MIST_PER_SUI }), { maxLength: 600 }),
    heldCount: fc.nat(10_000),
  });

  test("one transaction stays within the chain's arguments, and its source pays for it, the gas, and keeps a share", () => {
    fc.assert(
      fc.property(anyFund, ({ coinsMist, waitingBudgetsMist, heldCount }) => {
        const plan = planSplit(fundOf(...coinsMist), { ...QUIET, waitingBudgetsMist, heldCount });
        if (plan === null) return;
        expect(plan.createdMist.length).toBeGreaterThan(0);
        expect(plan.createdMist.length + 1).toBeLessThanOrEqual(MAX_ARGUMENTS);
        const shareMist = (plan.createdMist[0] ?? 0n) + GAS_PER_COIN_MIST;
        const neededMist = shareMist * BigInt(plan.createdMist.length + 1);
        expect(neededMist).toBeLessThanOrEqual(plan.sources[0].balanceMist);
      }),
    );
  });

  test("more callers in flight want more coins ready, up to one transaction's worth", () => {
    const rich = () => withMaintenance(fundOf(1_000n * MIST_PER_SUI));
    const made = (heldCount: number) => planSplit(rich(), { ...QUIET, heldCount })?.createdMist.length ?? 0;
    expect(made(0)).toBe(64);
    expect(made(400)).toBe(200);
    expect(made(10_000)).toBe(256);
  });
});

describe("maintenance coins", () => {
  test("are made first, three of them, while nobody waits", () => {
    const rich = fundOf(100n * MIST_PER_SUI);
    expect(planSplit(rich, QUIET)).toMatchObject({
      purpose: "maintenance",
      createdMist: [5n, 5n, 5n].map((n) => n * CENT_MIST),
    });
    expect(planSplit(rich, { ...QUIET, waitingBudgetsMist: [CENT_MIST] })?.purpose).toBe("split");
  });

  test("are not made by a fund that has too little to set any aside", () => {
    expect(planSplit(fundOf(2n * MIST_PER_SUI), QUIET)?.purpose).toBe("maintenance");
    expect(planSplit(fundOf(2n * MIST_PER_SUI - 1n), QUIET)?.purpose).toBe("split");
  });

  test("that are used up are merged into the source of new ones; one in use counts as there", () => {
    const store = withMaintenance(fundOf(100n * MIST_PER_SUI), CENT_MIST - 1n, 5n * CENT_MIST, CENT_MIST);
    store.putCoin(coin(902, { balanceMist: 1n, maintenance: true, state: "spending", heldByDigest: digestOf("r") }));
    const plan = planSplit(store, QUIET);
    expect(plan?.purpose).toBe("maintenance");
    expect(plan?.sources.map(({ objectId }) => objectId)).toEqual([objectId(1), objectId(900)]);
    expect(plan?.createdMist).toEqual([5n * CENT_MIST]);
  });

  test("are never lent, split, merged as dust, or counted as stock", () => {
    const store = withMaintenance(fundOf(), 5n * CENT_MIST, CENT_MIST, 100n * MIST_PER_SUI);
    expect(planSplit(store, QUIET)).toBe(null);
    expect(store.smallestFree(1n, MAX_POOL_COIN_MIST)).toBe(null);
    expect(store.dust(MIST_PER_SUI, 10)).toEqual([]);
    expect(store.countFree(0n, MIST_PER_SUI, 10)).toBe(0);
  });

  test("pay for own transactions before any other coin; where none of them can, the smallest that does", () => {
    const store = withMaintenance(fundOf(MIST_PER_SUI, 2n * CENT_MIST), CENT_MIST);
    expect(maintenancePayment(store, CENT_MIST)?.objectId).toBe(objectId(900));
    expect(maintenancePayment(store, CENT_MIST + 1n)?.objectId).toBe(objectId(2));
    store.putCoin(
      coin(900, { balanceMist: CENT_MIST, maintenance: true, state: "spending", heldByDigest: digestOf("r") }),
    );
    expect(maintenancePayment(store, CENT_MIST)?.objectId).toBe(objectId(2));
    expect(maintenancePayment(store, 2n * MIST_PER_SUI)).toBe(null);
  });
});

describe("dust", () => {
  const dust = (count: number) => fundOf(...Array.from({ length: count }, () => CENT_MIST / 2n - 1n));

  test("is merged into one coin once there are 32 pieces of it", () => {
    expect(planSplit(dust(31), QUIET)).toBe(null);
    const plan = planSplit(dust(32), QUIET);
    expect(plan).toMatchObject({ purpose: "split", createdMist: [] });
    expect(plan?.sources).toHaveLength(32);
  });

  test("is merged as much of it as one transaction takes as payment", () => {
    const store = fundOf(CENT_MIST, ...Array.from({ length: 300 }, () => 1n));
    const sources = planSplit(store, { ...QUIET, heldCount: 0 })?.sources ?? [];
    expect(sources).toHaveLength(256);
    expect(sources[0]?.balanceMist, "a coin that covers the gas comes first: pieces of 1 MIST cover nothing").toBe(
      CENT_MIST,
    );
  });

  test("comes after whatever the pool is short of", () => {
    const store = dust(32);
    store.putCoin(coin(50, { balanceMist: MIST_PER_SUI }));
    deposit(store, MIST_PER_SUI);
    expect(planSplit(store, QUIET)?.createdMist.length).toBeGreaterThan(0);
  });

  test("is not what has paid once or twice and still serves the smallest size", () => {
    expect(planSplit(fundOf(...Array.from({ length: 40 }, () => CENT_MIST / 2n)), QUIET)).toBe(null);
  });
});
