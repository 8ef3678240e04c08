import fc from "fast-check";
import { showByzantineReplies } from "./byzantine-node.ts";
import { deliveries } from "./sponsorship-steps.ts";
import { mostly, type Step, stepOf } from "./step.ts";
import { fates } from "./sui-model-chain.ts";
import type { SuiSimulation } from "./sui-simulation.ts";
import { KEYS } from "./sui-world.ts";

const MILLI_SUI_MIST = 1_000_000n;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** So many coins that nobody can be served with are merged. */
const DUST_COINS = 32;

const step = stepOf<SuiSimulation>();

function mist(...milliSui: readonly [number, ...number[]]): fc.Arbitrary<bigint> {
  return fc.constantFrom(...milliSui.map((amount) => BigInt(amount) * MILLI_SUI_MIST));
}

export const depositMist = mist(2, 6, 6, 15, 40, 300, 600, 3_000);
/** The first is dust. */
const partyMist = fc.constantFrom(500_000n, 2_000_000n, 40_000_000n, 600_000_000n);
export const payInMist = mist(1, 60, 200, 400);

const pick = fc.nat(1_000);
const rarely = fc.nat(15).map((number) => number === 15);
const lag = fc.constantFrom(0, 0, 0, 1, 4, 15);
/** Most endpoints have pruned nothing; some have, what is a few changes old. */
const kept = fc.constantFrom(1_000_000, 1_000_000, 1_000_000, 1_000_000, 20, 3);
const lags = fc.record({ read: lag, lookUp: lag, kept });
const fate = mostly(...fates);
const delivery = fc.constantFrom("answered", "answered", ...deliveries);
/** When the user of an expired signature executes it: not at all, before the fund looks, or between its two looks. */
const late = fc.constantFrom("never", "before", "between");
const attempt = fc.record({ delivery, fate, lags });
const idempotency = mostly<number | null>(null, 0, 1);
const reservation = {
  key: fc.nat(1),
  sender: fc.nat(1),
  label: fc.nat(2),
  gasBudgetMist: mist(3, 3, 3, 3, 3, 12, 12, 40, 40, 450, 2_500),
  isGasless: fc.nat(7).map((number) => number === 7),
  release: fc.constantFrom("at_once", "after_sender"),
  idempotency,
  paused: rarely,
  full: rarely,
};
const withdrawal = {
  key: fc.nat(2),
  from: fc.constantFrom("available", "fees"),
  permille: mostly(100, 500, 1_000, 1_001, 3_000),
  attempt,
};
/** A withdrawal may take the coins that a refill has planned with. */
const raced = fc.option(fc.record(withdrawal), { freq: 4 });
const recycling = {
  limit: fc.constantFrom(256, 256, 1),
  lateUser: mostly("never", "before", "between"),
  pick,
  fate,
  attempt,
};

const outside = [
  // It stands first, so that a failing simulation shrinks to as many of these as possible.
  step(3, "wait a second", {}, ({ world }) => world.chain.pass(SECOND_MS)),
  step(
    8,
    "wait",
    {
      ms: fc.constantFrom(
        40 * SECOND_MS,
        40 * SECOND_MS,
        40 * SECOND_MS,
        11 * MINUTE_MS,
        HOUR_MS,
        HOUR_MS,
        25 * HOUR_MS,
      ),
    },
    ({ world }, { ms }) => world.chain.pass(ms),
  ),
  step(4, "deposit", { mist: depositMist }, ({ world }, { mist }) => world.chain.deposit(mist)),
  step(1, "deposit dust", { mist: mist(1, 2) }, ({ world }, { mist }) => {
    for (let coins = 0; coins < DUST_COINS; coins++) world.chain.deposit(mist);
  }),
  step(3, "deposit as a party", { mist: partyMist }, ({ world }, { mist }) => world.chain.depositParty(mist)),
  step(2, "pay in", { mist: payInMist }, ({ world }, { mist }) => world.chain.payIn(mist)),
  step(2, "next epoch", { priceMist: mostly(1_000n, 1_500n) }, ({ world }, { priceMist }) =>
    world.chain.nextEpoch(priceMist),
  ),
  step(5, "user executes", { pick, fate }, ({ sponsorships }, { pick, fate }) =>
    sponsorships.userExecutes(sponsorships.released(pick), fate),
  ),
  step(2, "set fee", { mist: fc.constantFrom(0n, 100_000n, 2_000_000n) }, ({ world }, { mist }) => {
    world.feeMist = mist;
  }),
  step(1, "restart", {}, ({ world }) => world.view.restart()),
];

const ofSponsorships = [
  step(24, "reserve", reservation, (simulation, drawn) => {
    if (drawn.idempotency !== null) simulation.lastReserve = drawn;
    simulation.sponsorships.reserve(drawn);
  }),
  step(3, "reserve again", {}, ({ sponsorships, lastReserve }) => {
    if (lastReserve !== null) sponsorships.reserve(lastReserve);
  }),
  step(
    6,
    "approve",
    { pick, idempotency, paused: rarely, full: rarely, delivery, fate, isUnjudged: rarely },
    ({ sponsorships }, drawn) => sponsorships.approve(drawn),
  ),
  step(8, "look up", { pick, lag, asked: fc.constantFrom("by_schedule", "by_caller") }, ({ sponsorships }, drawn) =>
    sponsorships.lookUp(sponsorships.one(["signed", "unresolvable"], drawn.pick), drawn.lag, drawn.asked),
  ),
  step(
    10,
    "check expired",
    { pick, lags, late, epochs: fc.constantFrom(0, 0, 2) },
    ({ sponsorships, world }, drawn) => {
      const digest = sponsorships.one(["expired"], drawn.pick);
      if (drawn.late === "before") sponsorships.userExecutes(digest, "success");
      for (let epoch = 0; epoch < drawn.epochs; epoch++) world.chain.nextEpoch(world.facts.referenceGasPriceMist);
      if (drawn.epochs > 0) world.refreshFacts(0);
      sponsorships.checkExpired(digest, drawn.lags, () => {
        if (drawn.late === "between") sponsorships.userExecutes(digest, "success");
      });
    },
  ),
  step(4, "close unresolved", { pick, lags, kept: fc.constantFrom(0, 3), all: fc.boolean() }, (simulation, drawn) => {
    const { pick, lags, kept, all } = drawn;
    const { sponsorships, own, world } = simulation;
    const digest = sponsorships.one(["signed", "expired"], pick);
    for (let epoch = 0; epoch < 3; epoch++) world.chain.nextEpoch(world.facts.referenceGasPriceMist);
    world.refreshFacts(0);
    sponsorships.closeUnresolved(digest, { ...lags, kept });
    own.readAddressBalance({ ...lags, kept }, all ? world.view.store.liveIds(null) : [digest]);
  }),
  step(3, "abandon without gas", { reservation: fc.record(reservation), late }, (simulation, { reservation, late }) => {
    const { sponsorships, world } = simulation;
    const before = new Set(world.released.keys());
    sponsorships.reserve({ ...reservation, isGasless: true, release: "at_once", idempotency: null });
    const digest = [...world.released.keys()].find((released) => !before.has(released)) ?? "";
    world.chain.pass(HOUR_MS + SECOND_MS);
    sponsorships.lookUp(digest, 0, "by_schedule");
    if (late === "never") return;
    sponsorships.userExecutes(digest, "success");
    if (late === "between") sponsorships.lookUp(digest, 0, "by_caller");
  }),
  step(2, "release prepared", { pick }, ({ sponsorships }, { pick }) =>
    sponsorships.releasePrepared(sponsorships.one(["prepared"], pick)),
  ),
  step(3, "revoke", { key: fc.constantFrom(...KEYS, null) }, ({ sponsorships }, { key }) => sponsorships.revoke(key)),
];

const ofItself = [
  step(4, "list", { lag }, ({ own }, { lag }) => own.list(lag)),
  step(3, "read address balance", { lags }, ({ own }, { lags }) => own.readAddressBalance(lags)),
  step(5, "refill", { waitingMist: fc.array(mist(5, 40), { maxLength: 3 }), raced, attempt }, ({ own }, drawn) =>
    own.refill(
      drawn.waitingMist,
      () => {
        if (drawn.raced !== null) own.withdraw(drawn.raced);
      },
      drawn.attempt,
    ),
  ),
  step(3, "take in", { attempt }, ({ own }, { attempt }) => void own.takeIn(attempt)),
  step(7, "recycle", recycling, ({ own, sponsorships }, { limit, lateUser, pick, fate, attempt }) => {
    const one = (digests: readonly string[]) => digests[pick % Math.max(digests.length, 1)] ?? "";
    const users = {
      beforeJournal: (digests: readonly string[]) => {
        if (lateUser !== "before") return;
        sponsorships.userExecutes(one(digests), fate);
        sponsorships.lookUp(one(digests), 0, "by_caller");
      },
      beforeSubmit: (digests: readonly string[]) => {
        if (lateUser === "between") sponsorships.userExecutes(one(digests), fate);
      },
    };
    own.recycle(limit, users, attempt);
  }),
  step(5, "withdraw", withdrawal, (simulation, drawn) => {
    simulation.lastWithdraw = drawn;
    simulation.own.withdraw(drawn);
  }),
  step(3, "withdraw again", { attempt }, ({ own, lastWithdraw }, { attempt }) => {
    if (lastWithdraw !== null) own.withdraw({ ...lastWithdraw, attempt });
  }),
  step(5, "send own", { pick, attempt }, ({ own }, { pick, attempt }) => own.send(own.pending(pick), attempt)),
  step(2, "refresh facts", { lag }, ({ world }, { lag }) => world.refreshFacts(lag)),
  step(12, "alarm", { attempt }, ({ alarm }, { attempt }) => alarm.ring(attempt)),
  step(5, "byzantine node", { pick }, ({ world }, { pick }) => showByzantineReplies(world, pick)),
  step(1, "quiesce", {}, (simulation) => simulation.quiesce()),
];

export const anyStep: fc.Arbitrary<Step<SuiSimulation>> = fc.oneof(
  { withCrossShrink: true },
  ...outside,
  ...ofSponsorships,
  ...ofItself,
);
