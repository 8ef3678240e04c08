import fc from "fast-check";

/** How many accounts take part. */
export const ACTORS = 2;

const actor = fc.nat(ACTORS - 1);
const amount = fc.bigInt(0n, 40_000_000n);

/**
 * What a command does, in words that do not depend on the chain's state: which coin or badge it is, is settled when the
 * transaction is built. Some can only fail.
 */
const command = fc.oneof(
  fc.record({ kind: fc.constant("splitAndSend"), amount, to: actor }),
  fc.record({ kind: fc.constant("sendFunds"), amount, to: actor }),
  fc.record({ kind: fc.constant("redeemCoin"), amount, to: actor }),
  fc.record({ kind: fc.constant("redeemBalance"), amount, to: actor }),
  fc.record({ kind: fc.constant("withdrawUnused"), amount }),
  fc.record({ kind: fc.constant("reserveCoin"), amount, to: actor }),
  fc.record({ kind: fc.constant("mergeCoins") }),
  fc.record({ kind: fc.constant("giveGasCoin"), to: actor }),
  fc.record({ kind: fc.constant("sendGasCoin"), to: actor }),
  fc.record({ kind: fc.constant("mint") }),
  fc.record({ kind: fc.constant("giveBadge"), to: actor, as: fc.constantFrom("owned", "party", "frozen") }),
  fc.record({ kind: fc.constant("newLocker") }),
  fc.record({ kind: fc.constant("shareLocker") }),
  fc.record({ kind: fc.constant("lockBadge") }),
  fc.record({ kind: fc.constant("unlockBadge") }),
  fc.record({ kind: fc.constant("burnLocked") }),
  fc.record({ kind: fc.constant("burnBadge") }),
  fc.record({ kind: fc.constant("mailBadge") }),
  fc.record({ kind: fc.constant("receiveBadge") }),
  fc.record({ kind: fc.constant("increment"), by: fc.constantFrom(0n, 1n, 7n) }),
  fc.record({ kind: fc.constant("readCounter") }),
  fc.record({ kind: fc.constant("leaveOver") }),
);

export type CommandPlan = typeof command extends fc.Arbitrary<infer Plan> ? Plan : never;

const transaction = fc.record({
  kind: fc.constant("transaction"),
  sender: actor,
  payer: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: actor }),
  pay: fc.constantFrom("coins", "balance", "coinThenBalance", "balanceThenCoin"),
  budget: fc.constantFrom(1_000_000n, 3_000_000n, 8_000_000n, 30_000_000n),
  commands: fc.array(command, { minLength: 1, maxLength: 4, size: "max" }),
});

export type TransactionPlan = typeof transaction extends fc.Arbitrary<infer Plan> ? Plan : never;

/** Two transactions that are admitted against one address balance, which may hold enough for one of them only. */
const race = fc.record({ kind: fc.constant("race"), sender: actor, amount: fc.bigInt(40_000_000n, 190_000_000n) });

export type RacePlan = typeof race extends fc.Arbitrary<infer Plan> ? Plan : never;

const step = fc.oneof(
  { weight: 8, arbitrary: transaction },
  { weight: 1, arbitrary: race },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("again") }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("epoch"), price: fc.constantFrom(1_000n, 750n, 1_250n) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait"), days: fc.constantFrom(1, 2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fund"),
      to: actor,
      amount: fc.constantFrom(1n, 3_000_000n, 50_000_000n),
      form: fc.constantFrom("coin", "address_balance"),
    }),
  },
);

export type Step = typeof step extends fc.Arbitrary<infer Plan> ? Plan : never;

/** A history of the chain: transactions of all kinds, faucet payments and epochs between them. */
export function histories(steps: number): fc.Arbitrary<Step[]> {
  return fc.array(step, { minLength: 2, maxLength: steps, size: "max" });
}
