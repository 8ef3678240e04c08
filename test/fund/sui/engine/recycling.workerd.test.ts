import { toBase58 } from "@mysten/sui/utils";
import { describe, expect, test } from "vitest";
import { alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import {
  coinsOf,
  expectExactBooks,
  ledgerOf,
  onDisk,
  ownTransactions,
  sponsorshipOf,
  statesOf,
} from "../../../support/fund-books.ts";
import { longTest, shortTest, variants } from "../../../support/rounds.ts";
import {
  admittedCount,
  callsOf,
  clearFaults,
  DRY_RUN,
  gasOnChain,
  give,
  holdConsensus,
  LOOK_UP,
  nodeDown,
  OBJECTS,
  STALE,
  SUBMIT,
} from "../../../support/sui-chain.ts";
import {
  alarm,
  alarmInMs,
  BUDGET_MIST,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundOfCoins,
  pass,
  prepare,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  type TestFund,
  until,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const KEYS = ["key_00000000000000000001", "key_00000000000000000002"] as const;
/** More coins that cannot be moved than one run finds. */
const STUCK = 40;
const SYSTEM_IDS = 0xffff;

useStoppedClock();

function abandon(fund: TestFund, count: number) {
  return Promise.all(
    Array.from({ length: count }, (_, index) => sponsor(fund, `abandoned ${index}`, { keyId: KEYS[index % 2] ?? "" })),
  );
}

async function recycleRows(fund: TestFund) {
  return (await ledgerOf(fund)).filter(({ kind }) => kind === "recycle");
}

/** The fund has charged exactly the gas of its recycle transactions, to the keys that abandoned. */
async function expectExactCost(fund: TestFund): Promise<void> {
  let gasMist = 0n;
  for (const { digest } of await ownTransactions(fund, "recycle")) gasMist += (await gasOnChain(digest)) ?? 0n;
  const rows = await recycleRows(fund);
  expect(-rows.reduce((sum, { balanceAtoms: balanceMist }) => sum + balanceMist, 0n)).toBe(gasMist);
  for (const { reference, keyId, balanceAtoms: balanceMist } of rows) {
    const row = await sponsorshipOf(fund, { digest: reference });
    expect(row).toMatchObject({ state: "dead", keyId, maintenanceAtoms: -balanceMist, chargedAtoms: null });
  }
}

describe("guarantee 4: abandoned sponsorships", () => {
  shortTest(
    "two are recycled forty seconds after their hour, and their coins are lent again at a higher version",
    async () => {
      const fund = await newFund(9_000_000n, 40_000_000n);
      const abandoned = await abandon(fund, 2);
      const lent = (await coinsOf(fund)).filter(({ state }) => state === "held");
      expect(lent).toHaveLength(2);
      pass(HOUR_MS);
      await liveFor(fund, 39 * SECOND_MS);
      expect(await statesOf(fund, abandoned)).toEqual(["expired", "expired"]);
      expect(await stub(fund).view(), "still withheld").toMatchObject({ inFlightAtoms: 2n * BUDGET_MIST });

      await liveFor(fund, 2 * SECOND_MS);
      expect(await statesOf(fund, abandoned)).toEqual(["dead", "dead"]);
      const coins = await coinsOf(fund);
      for (const { objectId, version } of lent) {
        const coin = coins.find((candidate) => candidate.objectId === objectId);
        expect(coin).toMatchObject({ state: "free", heldByDigest: null });
        expect(coin?.version).toBeGreaterThan(version);
      }
      await expectExactBooks(fund);
      await expectExactCost(fund);
      expect((await recycleRows(fund)).map(({ keyId }) => keyId).sort()).toEqual(KEYS);
      for (const sponsored of abandoned) expect(await submitAsUser(sponsored), "the old bytes").toMatch(STALE);

      const again = await abandon(fund, 3);
      const held = (await coinsOf(fund)).filter(({ state }) => state === "held");
      expect(held.map(({ objectId }) => objectId)).toEqual(
        expect.arrayContaining(lent.map(({ objectId }) => objectId)),
      );
      for (const sponsored of again) await executeOnChain(sponsored);
      await liveFor(fund, 2 * SECOND_MS);
      expect(await statesOf(fund, again)).toEqual(["complete", "complete", "complete"]);
      await expectExactBooks(fund);
    },
  );

  longTest("thirty-two are worth a transaction ten seconds after their hour", async () => {
    const fund = await newFund(5n * SUI_MIST);
    const abandoned = await abandon(fund, 32);
    pass(HOUR_MS);
    await liveFor(fund, 9 * SECOND_MS);
    expect(new Set(await statesOf(fund, abandoned))).toEqual(new Set(["expired"]));
    await liveFor(fund, 2 * SECOND_MS);
    expect(new Set(await statesOf(fund, abandoned))).toEqual(new Set(["dead"]));
    expect(await ownTransactions(fund, "recycle")).toMatchObject([{ state: "complete" }]);
    await expectExactBooks(fund);
    await expectExactCost(fund);
  });

  longTest("more than one look-up takes are recycled in one transaction, each sharing its gas", async () => {
    const fund = await newFund(10n * SUI_MIST);
    const abandoned = await abandon(fund, 60);
    pass(HOUR_MS + MINUTE_MS);
    await liveFor(fund, MINUTE_MS);
    expect(new Set(await statesOf(fund, abandoned))).toEqual(new Set(["dead"]));
    expect(await ownTransactions(fund, "recycle")).toMatchObject([{ state: "complete" }]);
    const shares = (await recycleRows(fund)).map(({ balanceAtoms: balanceMist }) => balanceMist);
    expect(shares).toHaveLength(60);
    expect(new Set(shares).size).toBeLessThanOrEqual(2);
    await expectExactBooks(fund);
    await expectExactCost(fund);
    const outcomes = await Promise.all(abandoned.map(submitAsUser));
    expect(outcomes.filter((outcome) => !STALE.test(outcome))).toEqual([]);
  });
});

longTest("one coin that cannot be moved keeps no other from being recycled, and is tried again", async () => {
  const fund = await newFundOfCoins(7);
  const abandoned = await abandon(fund, 5);
  const stuck = await sponsorshipOf(fund, abandoned[2] ?? { digest: "" });
  const digestOfCoin = (digest?: string) =>
    onDisk(fund, (store) => {
      const coin = store.coin(stuck.gasObjectId ?? "");
      if (coin === null) throw new Error("the coin is gone");
      if (digest !== undefined) store.transact(() => store.putCoin({ ...coin, digest }));
      return coin.digest;
    });
  const right = await digestOfCoin();
  await digestOfCoin(toBase58(new Uint8Array(32).fill(9)));
  pass(HOUR_MS);
  await liveFor(fund, 50 * SECOND_MS);
  expect(await statesOf(fund, abandoned)).toEqual(["dead", "dead", "expired", "dead", "dead"]);
  const before = await callsOf(DRY_RUN);
  await liveFor(fund, 70 * SECOND_MS);
  expect((await callsOf(DRY_RUN)) - before, "two tries, each with its waits").toBe(8);
  await digestOfCoin(right);
  await liveFor(fund, MINUTE_MS);
  expect(await statesOf(fund, [stuck])).toEqual(["dead"]);
  await expectExactBooks(fund);
  await expectExactCost(fund);
});

longTest("many coins that cannot be moved end a run, and the next one goes on behind them", async () => {
  const fund = await newFundOfCoins(3);
  const [last] = await abandon(fund, 1);
  if (last === undefined) throw new Error("nothing was sponsored");
  await onDisk(fund, (store) => {
    const sponsorship = store.sponsorship(last.digest);
    const coin = store.coin(sponsorship?.gasObjectId ?? "");
    if (sponsorship === null || coin === null) throw new Error("the coin is gone");
    store.transact(() => {
      for (let serial = 1; serial <= STUCK; serial++) {
        // The lowest ids are those of the system, such as the clock.
        const objectId = `0x${(SYSTEM_IDS + serial).toString(16).padStart(64, "0")}`;
        const digest = toBase58(new Uint8Array(32).fill(serial));
        const { expiresAtMs } = sponsorship;
        store.putCoin({ ...coin, objectId, state: "quarantined", heldByDigest: digest });
        store.putSponsorship({
          ...sponsorship,
          digest,
          state: "expired",
          gasObjectId: objectId,
          expiresAtMs: expiresAtMs - 1,
        });
      }
    });
  });
  pass(HOUR_MS);
  await liveFor(fund, 9 * SECOND_MS);
  const before = await callsOf(DRY_RUN);
  pass(32 * SECOND_MS);
  await alarm(fund);
  expect((await callsOf(DRY_RUN)) - before).toBe(64);
  expect(await statesOf(fund, [last])).toEqual(["expired"]);
  expect(await alarmInMs(fund), "at once").toBeLessThanOrEqual(0);
  await liveFor(fund, 1);
  expect(await statesOf(fund, [last])).toEqual(["dead"]);
});

describe("guarantee 4: a user who executes late, in the same moment", () => {
  /** Three are abandoned; the user of the second executes when `moment` says. */
  async function lateUser(moment: (late: () => Promise<string>) => ReturnType<typeof once>) {
    const fund = await newFundOfCoins(5);
    const abandoned = await abandon(fund, 3);
    const [, late] = abandoned;
    if (late === undefined) throw new Error("nothing was sponsored");
    let outcome = "";
    const execute = async () => {
      outcome = await submitAsUser(late);
      return outcome;
    };
    pass(HOUR_MS);
    await liveFor(fund, 20 * SECOND_MS);
    alterReplies(withOurTime, moment(execute));
    await liveFor(fund, MINUTE_MS);
    return { fund, abandoned, outcome: () => outcome };
  }

  const moments = {
    "before its versions are read": (late: () => Promise<string>) => once(OBJECTS, { before: late }),
    "between its versions and its look-up": (late: () => Promise<string>) => once(LOOK_UP, { before: late }),
    "between its look-up and its journal": (late: () => Promise<string>) => once(DRY_RUN, { before: late }),
    "between its journal and its submit": (late: () => Promise<string>) => once(SUBMIT, { before: late }),
  };

  test.each(variants(Object.entries(moments), 2))(
    "%s: theirs is complete, and the rest of the batch gets through",
    async (_, moment) => {
      const { fund, abandoned, outcome } = await lateUser(moment);
      expect(outcome()).toBe("executed");
      expect(await statesOf(fund, abandoned)).toEqual(["dead", "complete", "dead"]);
      await expectExactBooks(fund);
      await expectExactCost(fund);
    },
  );

  longTest("admitted just before it: theirs is complete, and the lock conflict costs nothing", async () => {
    const admitted: Promise<string>[] = [];
    let released: Promise<unknown> | null = null;
    const { fund, abandoned } = await lateUser((late) =>
      once(SUBMIT, {
        before: async () => {
          await holdConsensus(true);
          admitted.push(late());
          await until(async () => (await admittedCount()) === 1);
          released = until(async () => (await admittedCount()) === 2).then(() => holdConsensus(false));
        },
      }),
    );
    await released;
    expect(await Promise.all(admitted)).toEqual(["executed"]);
    expect(await statesOf(fund, abandoned)).toEqual(["dead", "complete", "dead"]);
    await expectExactBooks(fund);
    await expectExactCost(fund);
  });

  shortTest("after it: theirs is refused by the chain, and dead", async () => {
    const { fund, abandoned, outcome } = await lateUser((late) => once(SUBMIT, { after: late }));
    expect(outcome()).toMatch(STALE);
    expect(await statesOf(fund, abandoned)).toEqual(["dead", "dead", "dead"]);
    await expectExactBooks(fund);
    await expectExactCost(fund);
  });
});

longTest("after ten minutes without a node everything settles, with no request and no cron", async () => {
  const fund = await newFund(5n * SUI_MIST);
  const abandoned = await abandon(fund, 3);
  const prepared = await prepare(fund, "prepared");
  const executed = await sponsor(fund, "executed while the fund is blind");
  pass(HOUR_MS - 5 * MINUTE_MS);
  await nodeDown();
  await liveFor(fund, MINUTE_MS);
  await executeOnChain(executed);
  await give(fund.address, 3n * SUI_MIST);
  await liveFor(fund, 9 * MINUTE_MS);
  expect(await statesOf(fund, [...abandoned, executed, prepared])).toEqual([...Array(4).fill("signed"), "dead"]);
  await clearFaults();
  await liveFor(fund, 2 * MINUTE_MS);
  expect(await statesOf(fund, [...abandoned, executed])).toEqual(["dead", "dead", "dead", "complete"]);
  // A fund that nobody uses looks for deposits every five minutes.
  await liveFor(fund, 5 * MINUTE_MS);
  await expectExactBooks(fund);
  await expectExactCost(fund);
});
