import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MIST_PER_SUI } from "../../shared/amounts.ts";
import { MemoryCoinStore } from "../../shared/fund/memory-coin-store.ts";
import { GAS_PER_COIN_MIST, type PoolDemand, planSplit, type SplitPlan } from "../../shared/fund/refill-plan.ts";

const CENT_MIST = MIST_PER_SUI / 100n;
const QUIET: PoolDemand = { waitingBudgetsMist: [], lentCount: 0, gasPerCoinMist: GAS_PER_COIN_MIST };
/** The chain takes at most 512 arguments a command (`max_arguments` of the protocol configuration). */
const MAX_ARGUMENTS = 512;

function fundOf(...coinsMist: readonly bigint[]): MemoryCoinStore {
  const store = new MemoryCoinStore();
  for (const [index, balanceMist] of coinsMist.entries()) {
    const objectId = `0x${(index + 1).toString(16).padStart(64, "0")}`;
    store.putCoin({ objectId, version: 1n, digest: "", balanceMist, state: "free", holder: null });
    store.addLedger({ atMs: 0, kind: "deposit", reference: objectId, balanceMist, inFlightMist: 0n });
  }
  return store;
}

/** Executes splits until the pool is stocked: the source keeps what is left, less the gas. */
function stocked(store: MemoryCoinStore, demand: PoolDemand = QUIET): readonly SplitPlan[] {
  const plans: SplitPlan[] = [];
  for (let plan = planSplit(store, demand); plan !== null; plan = planSplit(store, demand)) {
    plans.push(plan);
    if (plans.length > 100) throw new Error("the pool is never stocked");
    const gasMist = BigInt(plan.splitMist.length) * GAS_PER_COIN_MIST;
    const splitOffMist = plan.splitMist.reduce((sum, amountMist) => sum + amountMist, gasMist);
    store.putCoin({ ...plan.source, balanceMist: plan.source.balanceMist - splitOffMist });
    for (const [index, balanceMist] of plan.splitMist.entries()) {
      const objectId = `0x${plans.length}_${index}`;
      store.putCoin({ objectId, version: 1n, digest: "", balanceMist, state: "free", holder: null });
    }
    store.addLedger({ atMs: 0, kind: "split", reference: "", balanceMist: -gasMist, inFlightMist: 0n });
  }
  return plans;
}

function countOf(plans: readonly SplitPlan[], sizeMist: bigint): number {
  return plans.flatMap(({ splitMist }) => splitMist).filter((amountMist) => amountMist === sizeMist).length;
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
    const plan = planSplit(fundOf(MIST_PER_SUI, 50n * MIST_PER_SUI, 2n * MIST_PER_SUI), QUIET);
    expect(plan?.source.balanceMist).toBe(50n * MIST_PER_SUI);
    expect(new Set(plan?.splitMist)).toEqual(new Set([CENT_MIST]));
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
      if (coin.balanceMist <= MIST_PER_SUI) store.putCoin({ ...coin, state: "held", holder: "digest" });
    const waitingBudgetsMist = Array.from({ length: 100 }, () => CENT_MIST);
    const plan = planSplit(store, { ...QUIET, waitingBudgetsMist });
    expect(plan?.splitMist.length).toBeGreaterThanOrEqual(100);
  });

  test("are served beyond the share that a small balance keeps in stock", () => {
    const small = () => fundOf(10n * CENT_MIST);
    expect(planSplit(small(), QUIET)?.splitMist.length).toBe(5);
    const waitingBudgetsMist = Array.from({ length: 6 }, () => CENT_MIST);
    expect(planSplit(small(), { ...QUIET, waitingBudgetsMist })?.splitMist.length).toBeGreaterThanOrEqual(6);
  });

  test("are served with coins of the smallest size that covers them", () => {
    const store = fundOf(1_000n * MIST_PER_SUI);
    stocked(store);
    for (const sizeMist of [CENT_MIST, 5n * CENT_MIST, 25n * CENT_MIST, MIST_PER_SUI]) {
      const waitingBudgetsMist = Array.from({ length: 100 }, () => sizeMist);
      const plan = planSplit(store, { ...QUIET, waitingBudgetsMist });
      expect(new Set(plan?.splitMist)).toEqual(new Set([sizeMist]));
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
    lentCount: fc.nat(10_000),
  });

  test("one transaction stays within the chain's arguments, and its source pays for it, the gas, and keeps a share", () => {
    fc.assert(
      fc.property(anyFund, ({ coinsMist, waitingBudgetsMist, lentCount }) => {
        const plan = planSplit(fundOf(...coinsMist), { ...QUIET, waitingBudgetsMist, lentCount });
        if (plan === null) return;
        expect(plan.splitMist.length).toBeGreaterThan(0);
        expect(plan.splitMist.length + 1).toBeLessThanOrEqual(MAX_ARGUMENTS);
        const shareMist = (plan.splitMist[0] ?? 0n) + GAS_PER_COIN_MIST;
        const neededMist = shareMist * BigInt(plan.splitMist.length + 1);
        expect(neededMist).toBeLessThanOrEqual(plan.source.balanceMist);
      }),
    );
  });

  test("more callers in flight want more coins ready, up to one transaction's worth", () => {
    const rich = () => fundOf(1_000n * MIST_PER_SUI);
    const made = (lentCount: number) => planSplit(rich(), { ...QUIET, lentCount })?.splitMist.length ?? 0;
    expect(made(0)).toBe(64);
    expect(made(400)).toBe(200);
    expect(made(10_000)).toBe(256);
  });
});
