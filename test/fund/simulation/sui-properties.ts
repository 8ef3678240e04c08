import fc from "fast-check";
import { expect } from "vitest";
import { defaultKeyPolicy, NO_LIMITS } from "../../../shared/policy/fund-policy-defaults.ts";
import { Tally } from "./faulty-world.ts";
import { anyFault, mostly } from "./step.ts";
import { anyStep, depositMist, payInMist } from "./steps.ts";
import { Life } from "./sui-simulation.ts";
import type { LifeTerms } from "./sui-world.ts";
import type { VisibleStore } from "./visible-store.ts";

const SEED = 20_261_120;

/** Limits that lives of this size run into. */
const CROWDED = {
  ...NO_LIMITS,
  maxGasBudgetAtoms: 500_000_000n,
  maxInFlightCount: 3,
  maxInFlightAmountAtoms: 40_000_000n,
};
const THRIFTY = {
  ...NO_LIMITS,
  maxSpendPerDayAtoms: 30_000_000n,
  maxSpendPerSenderPerDayAtoms: 20_000_000n,
  maxAbandonCostPerDayAtoms: 1_000_000n,
};

const anyTerms: fc.Arbitrary<LifeTerms> = fc.record({
  mode: fc.constantFrom("coin", "coin", "address_balance"),
  fundPolicy: mostly(NO_LIMITS, CROWDED, THRIFTY),
  keyPolicy: mostly(defaultKeyPolicy("sui"), CROWDED, THRIFTY),
});

/** What random lives come to often. */
export const COMMON = [
  "lent a coin",
  "lent several coins",
  "lent from the address balance",
  "approved",
  "replayed",
  "replay refused",
  "freed unsigned",
  "executed by the user, signed",
  "executed by the user, expired",
  "a rebate above the cost",
  "completed, signed",
  "completed, expired",
  "expired",
  "a lagging endpoint proved no expiry",
  "dead by proof",
  "revoked: ended",
  "revoked: to_recycle",
  "revoked: irrevocable",
  "refused: fund_paused",
  "refused: balance_too_low",
  "refused: no_gas_object",
  "refused: policy_refused maxGasBudget",
  "refused: policy_refused maxInFlightCount",
  "refused: policy_refused maxInFlightAmount",
  "refused: policy_refused maxSpendPerDay",
  "own: split",
  "own: split dead",
  "own: split refused: no_gas_object",
  "own: maintenance",
  "own: recycle",
  "own: recycle dead",
  "own: convert",
  "own: convert dead",
  "own: take_in",
  "own: withdraw",
  "own: withdraw dead",
  "own: withdraw refused: balance_too_low",
  "an own transaction without an answer",
  "a crash before an own transaction was signed",
  "recycled several",
  "paid in",
  "withdrawal repeated: complete",
  "lie: a charge above the budget",
  "lie: another digest",
  "lie: a gas coin that did not change",
  "lie: a gas coin that is gone",
  "fault: crash",
  "fault: restart",
  "fault: bad_item",
] as const;

/** What many and long lives come to. */
export const RARE = [
  "completed, its coin being recycled",
  "executed by the user: abort",
  "executed by the user: funds_short",
  "refused: policy_refused maxSpendPerSenderPerDay",
  "refused: policy_refused maxAbandonCostPerDay",
  "own: split abort",
  "own: maintenance abort",
  "own: maintenance dead",
  "own: maintenance refused: no_gas_object",
  "own: recycle abort",
  "own: recycle refused: no_gas_object",
  "own: convert abort",
  "own: convert funds_short",
  "own: take_in abort",
  "own: take_in dead",
  "own: withdraw abort",
  "own: withdraw funds_short",
  "merged dust",
  "paid in, read by halves",
  "withdrawal repeated: pending",
  "withdrawal repeated: failed",
  "withdrawal repeated: dead",
  "lie: a gas coin of another object",
  "lie: a gas coin that nobody put in",
  "lie: a gas coin whose version did not rise",
  "lie: a merged coin that is still there",
  "lie: a new coin that is missing",
  "lie: a new coin that is somebody else's",
  "lie: a swept coin that is still there",
  "lie: a recycled coin that stayed where it was",
  "lie: a recycled coin whose version did not rise",
] as const;

/**
 * Random lives of a fund: every guarantee after every step, and an exact match with the chain at the end.
 *
 * @param reached what has to happen in some of them, or they prove nothing about it.
 */
export function assertFundGuarantees(
  open: () => VisibleStore,
  runs: number,
  steps: number,
  reached: readonly string[],
): void {
  const tally = new Tally();
  const anyLife = fc.record({
    terms: anyTerms,
    coinsMist: fc.array(depositMist, { minLength: 1, maxLength: 6 }),
    paidInMist: payInMist,
    moments: fc.array(fc.record({ step: anyStep, fault: anyFault }), {
      minLength: steps,
      maxLength: steps,
      size: "max",
    }),
  });
  const property = fc.property(anyLife, ({ terms, coinsMist, paidInMist, moments }) => {
    const life = new Life(open(), terms, tally);
    life.begin(coinsMist, paidInMist);
    for (const { step, fault } of moments) life.live(step.act, fault);
    life.quiesce();
  });
  fc.assert(property, { numRuns: runs, seed: SEED });
  const missed = reached.filter((happening) => tally.count(happening) === 0);
  expect(missed, "the lives were too short, or too few").toEqual([]);
}
