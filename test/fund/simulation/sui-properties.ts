import fc from "fast-check";
import { expect } from "vitest";
import { defaultKeyPolicy, NO_LIMITS } from "../../../shared/policy/fund-policy-defaults.ts";
import { Tally } from "./faulty-world.ts";
import { anyFault, mostly } from "./step.ts";
import { anyStep, depositMist, payInMist } from "./steps.ts";
import { SuiSimulation } from "./sui-simulation.ts";
import type { SuiSimulationTerms } from "./sui-world.ts";
import type { VisibleStore } from "./visible-store.ts";

const SEED = 20_261_120;

/** Limits that simulations of this size reach. */
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

const anyTerms: fc.Arbitrary<SuiSimulationTerms> = fc.record({
  mode: fc.constantFrom("coin", "coin", "address_balance"),
  fundPolicy: mostly(NO_LIMITS, CROWDED, THRIFTY),
  keyPolicy: mostly(defaultKeyPolicy("sui"), CROWDED, THRIFTY),
});

/** Cases that random simulations reach often. */
export const COMMON = [
  "nothing lent: without gas",
  "lent a coin",
  "lent several coins",
  "lent from the address balance",
  "approved",
  "approved, unjudged",
  "given back",
  "given back, then complete",
  "given back, then dead",
  "told as expired, without a coin",
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
  "unresolved: dead",
  "unresolvable, and executed",
  "unresolvable, and nothing is missing",
  "unresolvable, several at once",
  "completed, unresolvable",
  "revoked: ended",
  "revoked: to_recycle",
  "revoked: irrevocable",
  "refused: fund_paused",
  "refused: storage_budget",
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
  "byzantine reply: a charge above the budget",
  "byzantine reply: another digest",
  "byzantine reply: a gas coin that did not change",
  "byzantine reply: a gas coin that is gone",
  "fault: crash",
  "fault: restart",
  "fault: bad_item",
] as const;

/** Cases that only many and long simulations reach. */
export const RARE = [
  "completed, its coin being recycled",
  "given back, then unresolvable",
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
  "byzantine reply: a gas coin of another object",
  "byzantine reply: a gas coin that nobody put in",
  "byzantine reply: a gas coin whose version did not rise",
  "byzantine reply: a merged coin that is still there",
  "byzantine reply: a new coin that is missing",
  "byzantine reply: a new coin that is somebody else's",
  "byzantine reply: a swept coin that is still there",
  "byzantine reply: a recycled coin that stayed where it was",
  "byzantine reply: a recycled coin whose version did not rise",
] as const;

/**
 * Runs random simulations of a fund: every guarantee after every step, and an exact match with the chain at the end.
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
  const anySimulation = fc.record({
    terms: anyTerms,
    coinsMist: fc.array(depositMist, { minLength: 1, maxLength: 6 }),
    paidInMist: payInMist,
    moments: fc.array(fc.record({ step: anyStep, fault: anyFault }), {
      minLength: steps,
      maxLength: steps,
      size: "max",
    }),
  });
  const property = fc.property(anySimulation, ({ terms, coinsMist, paidInMist, moments }) => {
    const simulation = new SuiSimulation(open(), terms, tally);
    simulation.begin(coinsMist, paidInMist);
    for (const { step, fault } of moments) simulation.perform(step.act, fault);
    simulation.quiesce();
  });
  fc.assert(property, { numRuns: runs, seed: SEED });
  const missed = reached.filter((happening) => tally.count(happening) === 0);
  expect(missed, "the simulations were too short, or too few").toEqual([]);
}
