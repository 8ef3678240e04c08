import fc from "fast-check";
import { expect } from "vitest";
import { defaultKeyPolicy, NO_LIMITS } from "../../../shared/policy/fund-policy-defaults.ts";
import { aptosFates } from "./aptos-model-chain.ts";
import { AptosSimulation, deliveries } from "./aptos-simulation.ts";
import type { VisibleAptosStore } from "./aptos-store-views.ts";
import { KEYS } from "./aptos-world.ts";
import { Tally } from "./faulty-world.ts";
import { anyFault, mostly, stepOf } from "./step.ts";

const SEED = 20_261_122;

/** Limits that simulations of this size reach. */
const CROWDED = {
  ...NO_LIMITS,
  maxGasBudgetAtoms: 5_000_000n,
  maxInFlightCount: 2,
  maxInFlightAmountAtoms: 1_600_000n,
};
const THRIFTY = { ...NO_LIMITS, maxSpendPerDayAtoms: 4_000_000n, maxSpendPerSenderPerDayAtoms: 1_200_000n };

const anyTerms = fc.record({
  fundPolicy: mostly(NO_LIMITS, CROWDED, THRIFTY),
  keyPolicy: mostly({ ...defaultKeyPolicy("aptos"), orderless: true }, CROWDED, THRIFTY, defaultKeyPolicy("aptos")),
});

const step = stepOf<AptosSimulation>();

const pick = fc.nat(1_000);
const back = fc.oneof(fc.constant(0), fc.nat(8));
const early = fc.boolean();
const lag = fc.constantFrom(0, 0, 0, 1, 4, 15);
const fate = mostly(...aptosFates);
const delivery = fc.constantFrom("answered", "answered", ...deliveries);
const deposit = fc.constantFrom(3_000_000n, 10_000_000n, 50_000_000n);
const reservation = {
  key: fc.nat(1),
  sender: fc.nat(1),
  offset: fc.constantFrom(0n, 0n, 0n, 0n, 1n, 1n, 2n, -1n),
  nonce: fc.constantFrom(null, null, null, null, null, 1n, 2n),
  label: fc.nat(2),
  maxGasUnits: fc.constantFrom(5_300n, 6_000n, 6_000n, 9_000n, 9_000n, 1_000n, 60_000n),
  ttlSeconds: fc.constantFrom(20, 60, 60, 600, 3_599, 3_601, 0),
  secondary: fc.boolean(),
  signature: fc.constantFrom(null, null, 0, 1),
  idempotency: mostly<number | null>(null, 0, 1),
  closed: fc.nat(30).map((number) => (number === 30 ? "fund_paused" : number === 29 ? "storage_budget" : null)),
  lag: mostly(0, 1, 4),
  delivery,
  fate,
};

const anyStep = fc.oneof(
  { withCrossShrink: true },
  step(24, "reserve", reservation, (simulation, drawn) => simulation.reserve(drawn)),
  step(8, "reserve again", { back, signature: fc.constantFrom(null, 0, 1) }, (simulation, { back, signature }) =>
    simulation.reserveAgain(back, signature),
  ),
  step(8, "user submits", { pick, early, signature: fc.nat(2), fate }, (simulation, { pick, early, signature, fate }) =>
    simulation.userSubmits(simulation.released(pick, early), signature, fate),
  ),
  step(4, "sender acts", { pick, paysItself: fc.boolean() }, (simulation, { pick, paysItself }) =>
    simulation.senderActs(pick, paysItself ? simulation.released(pick) : ""),
  ),
  step(8, "look up", { pick, lag }, (simulation, { pick, lag }) => simulation.look(simulation.one(pick), lag)),
  step(10, "alarm", { lag, delivery, fate }, (simulation, drawn) =>
    simulation.ring(drawn.lag, drawn.delivery, drawn.fate),
  ),
  step(6, "read balance", { readLag: lag, lookLag: lag, pick, busy: fc.boolean() }, (simulation, drawn) =>
    simulation.readBalance(drawn.readLag, drawn.lookLag, () => {
      if (drawn.busy) simulation.userSubmits(simulation.released(drawn.pick), 0, "success");
    }),
  ),
  step(
    5,
    "withdraw",
    {
      from: fc.constantFrom("available", "fees"),
      permille: fc.constantFrom(100n, 500n, 1_000n, 1_001n),
      delivery,
      fate,
    },
    (simulation, drawn) => simulation.withdraw(drawn),
  ),
  step(6, "hide", { pick }, (simulation, drawn) => simulation.hide(drawn.pick)),
  step(4, "byzantine node", {}, (simulation) => simulation.showByzantineReplies()),
  step(2, "revoke", { key: fc.constantFrom(...KEYS, null) }, (simulation, { key }) => simulation.revoke(key)),
  step(5, "deposit", { deposit }, ({ world }, drawn) => world.chain.deposit(drawn.deposit)),
  step(9, "time passes", { ms: fc.constantFrom(1, 1_000, 15_000, 60_000, 600_000, 3_600_000) }, ({ world }, { ms }) =>
    world.chain.pass(ms),
  ),
  step(2, "set fee", { octas: fc.constantFrom(0n, 10_000n, 200_000n) }, ({ world }, { octas }) => {
    world.feeOctas = octas;
  }),
  step(1, "restart", {}, ({ world }) => world.view.restart()),
  step(1, "quiesce", {}, (simulation) => simulation.quiesce()),
);

/** Cases that random simulations reach often. */
export const APTOS_COMMON = [
  "promised",
  "promised: orderless",
  "orderless: complete",
  "orderless: dead",
  "refused: unsupported_transaction",
  "repeated: signed",
  "repeated: complete",
  "repeated: dead",
  "repeated with signatures",
  "a crash before it was signed",
  "replayed",
  "parked",
  "submitted by the user: success",
  "submitted by the user: abort",
  "the sender did something else",
  "the sender paid for the same",
  "looked up: complete",
  "looked up: signed",
  "completed under another hash",
  "dead: expired",
  "dead: sequence passed",
  "a lagging endpoint proved no death",
  "compared: not yet",
  "compared: equal",
  "compared: a deposit",
  "compared with an older version",
  "hidden",
  "given up",
  "withdrawal: begun",
  "withdrawal: complete",
  "withdrawal: failed",
  "withdrawal: dead",
  "withdrawal: pending",
  "withdrawal: sequence_conflict",
  "withdrawal: balance_too_low",
  "refused: fund_paused",
  "refused: storage_budget",
  "refused: expired",
  "refused: expiration_too_far",
  "refused: balance_too_low",
  "refused: account_not_found",
  "refused: gas_budget_out_of_range",
  "refused: sequence_conflict",
  "refused: policy_refused maxGasBudget",
  "refused: policy_refused maxInFlightCount",
  "refused: policy_refused maxInFlightAmount",
  "refused: policy_refused maxSpendPerDay",
  "refused: policy_refused maxSpendPerSenderPerDay",
  "byzantine reply: sender",
  "byzantine reply: sequence",
  "byzantine reply: kind",
  "byzantine reply: payer",
  "byzantine reply: no payer",
  "byzantine reply: gas",
  "byzantine reply: budget",
  "byzantine reply: price",
  "byzantine reply: expiration",
  "byzantine reply: secondary signers",
  "fault: crash",
  "fault: restart",
  "fault: bad_item",
] as const;

/** Cases that only many and long simulations reach. */
export const APTOS_RARE = [
  "orderless: completed under another hash",
  "repeated: unresolvable",
  "refused: outcome_unknown",
  "replay refused",
  "byzantine reply: own sender",
  "byzantine reply: own hash",
  "byzantine reply: own gas",
] as const;

/**
 * Runs random simulations of an Aptos fund: every guarantee after every step, and an exact match with the chain at the end.
 *
 * @param reached what has to happen in some of them, or they prove nothing about it.
 */
export function assertAptosGuarantees(
  open: () => VisibleAptosStore,
  runs: number,
  steps: number,
  reached: readonly string[],
): void {
  const tally = new Tally();
  const moments = fc.array(fc.record({ step: anyStep, fault: anyFault }), {
    minLength: steps,
    maxLength: steps,
    size: "max",
  });
  const anySimulation = fc.record({
    terms: anyTerms,
    deposits: fc.array(deposit, { minLength: 1, maxLength: 3 }),
    moments,
  });
  const property = fc.property(anySimulation, ({ terms, deposits, moments }) => {
    const simulation = new AptosSimulation(open(), terms, tally);
    simulation.begin(deposits);
    for (const { step, fault } of moments) simulation.perform(step.act, fault);
    simulation.quiesce();
  });
  fc.assert(property, { numRuns: runs, seed: SEED });
  const missed = reached.filter((happening) => tally.count(happening) === 0);
  expect(missed, "the simulations were too short, or too few").toEqual([]);
}
