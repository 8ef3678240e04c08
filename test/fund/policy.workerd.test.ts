import { beforeEach, describe, expect } from "vitest";
import type { FundPolicy } from "../../shared/policy/fund-policy.ts";
import { defaultKeyPolicy, NO_LIMITS } from "../../shared/policy/fund-policy-defaults.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { expectExactBooks, sponsorshipOf } from "../support/fund-books.ts";
import { longTest, shortCases, shortTest } from "../support/rounds.ts";
import {
  BUDGET_MIST,
  crash,
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
  sponsorInput,
  stub,
  type TestFund,
  user,
  useStoppedClock,
} from "../support/sui-fund.ts";

const DAY_MS = 24 * HOUR_MS;
const OTHER_KEY = "key_00000000000000000002";
const OTHER_SENDER = `0x${"5".repeat(64)}`;
const FEE_MIST = 1_000n;

useStoppedClock();
// No test runs into midnight by itself.
beforeEach(passIntoNextDay);

type Terms = NonNullable<Parameters<typeof sponsorInput>[1]>;

/** The rule that refuses; null where it is sponsored. */
async function refusingRule(fund: TestFund, terms: Terms = {}): Promise<unknown> {
  const outcome = await stub(fund).sponsor(await sponsorInput("asked for", terms));
  if (outcome.ok) return null;
  return outcome.error.reason === "policy_refused" ? outcome.error.data?.rule : outcome.error.reason;
}

/** To the start of the next UTC day. */
function passIntoNextDay(): void {
  pass(DAY_MS - (Date.now() % DAY_MS));
}

describe("each limit refuses with its rule, of the fund and of the key alike", () => {
  const limits: Readonly<Record<string, readonly [Partial<FundPolicy>, Partial<FundPolicy>]>> = {
    moveTargets: [
      { moveTargets: { allow: [`${DEMO_PACKAGE}::other::*`], deny: null } },
      { moveTargets: { allow: null, deny: [`${DEMO_PACKAGE}::other::*`] } },
    ],
    senders: [
      { senders: { allow: [OTHER_SENDER], deny: null } },
      { senders: { allow: [user.toSuiAddress()], deny: null } },
    ],
    maxGasBudget: [{ maxGasBudgetAtoms: BUDGET_MIST - 1n }, { maxGasBudgetAtoms: BUDGET_MIST }],
    maxStorageCost: [{ maxStorageCostAtoms: BUDGET_MIST - 1n }, { maxStorageCostAtoms: BUDGET_MIST }],
    maxInFlightCount: [{ maxInFlightCount: 1 }, { maxInFlightCount: 2 }],
    maxInFlightAmount: [
      { maxInFlightAmountAtoms: 2n * (BUDGET_MIST + FEE_MIST) - 1n },
      { maxInFlightAmountAtoms: 2n * (BUDGET_MIST + FEE_MIST) },
    ],
    maxSpendPerDay: [
      { maxSpendPerDayAtoms: 2n * (BUDGET_MIST + FEE_MIST) - 1n },
      { maxSpendPerDayAtoms: 2n * (BUDGET_MIST + FEE_MIST) },
    ],
    maxSpendPerSenderPerDay: [
      { maxSpendPerSenderPerDayAtoms: 2n * (BUDGET_MIST + FEE_MIST) - 1n },
      { maxSpendPerSenderPerDayAtoms: 2n * (BUDGET_MIST + FEE_MIST) },
    ],
    maxAbandonCostPerDay: [{ maxAbandonCostPerDayAtoms: 0n }, { maxAbandonCostPerDayAtoms: 1n }],
  };

  shortCases.each(Object.entries(limits))("%s", async (rule, [tooLow, enough]) => {
    const fund = await newFundOfCoins(6, { policy: NO_LIMITS, sponsorshipFeeAtoms: FEE_MIST });
    await sponsor(fund, "in flight");
    expect(await refusingRule(fund, { keyPolicy: { ...NO_LIMITS, ...tooLow } })).toBe(rule);
    const { inFlightAtoms } = (await stub(fund).view()) ?? {};
    expect(inFlightAtoms, "what was refused holds nothing").toBe(BUDGET_MIST + FEE_MIST);
    expect(await refusingRule(fund, { keyPolicy: { ...NO_LIMITS, ...enough } })).toBe(null);

    const strict = await newFundOfCoins(6, { policy: { ...NO_LIMITS, ...enough }, sponsorshipFeeAtoms: FEE_MIST });
    await sponsor(strict, "in flight", { keyPolicy: NO_LIMITS });
    expect(await refusingRule(strict, { keyPolicy: { ...NO_LIMITS, ...tooLow } })).toBe(rule);
    expect(await refusingRule(strict, { keyPolicy: NO_LIMITS, keyId: OTHER_KEY })).toBe(null);
  });

  longTest("a dry run's storage cost counts where one was made, and not the budget", async () => {
    const fund = await newFundOfCoins(6, { policy: NO_LIMITS });
    const dryRun = { gasBudgetMist: null } as const;
    const policy = (maxStorageCostAtoms: bigint) => ({ ...NO_LIMITS, maxStorageCostAtoms });
    expect(await refusingRule(fund, { ...dryRun, keyPolicy: policy(1_000_000n) })).toBe("maxStorageCost");
    expect(await refusingRule(fund, { ...dryRun, keyPolicy: policy(3_000_000n) })).toBe(null);
    expect(await refusingRule(fund, { keyPolicy: policy(3_000_000n) })).toBe("maxStorageCost");
  });
});

describe("two keys of one fund", () => {
  shortTest("each has its own limits, and the fund's count over both", async () => {
    const fund = await newFundOfCoins(6, { policy: { ...NO_LIMITS, maxInFlightCount: 3 } });
    const keyPolicy = { ...NO_LIMITS, maxInFlightCount: 2 };
    expect(await refusingRule(fund, { keyPolicy })).toBe(null);
    expect(await refusingRule(fund, { keyPolicy })).toBe(null);
    expect(await refusingRule(fund, { keyPolicy }), "of the key").toBe("maxInFlightCount");
    expect(await refusingRule(fund, { keyPolicy, keyId: OTHER_KEY })).toBe(null);
    expect(await refusingRule(fund, { keyPolicy, keyId: OTHER_KEY }), "of the fund").toBe("maxInFlightCount");
  });

  shortTest("calls at once do not slip past a limit together", async () => {
    const fund = await newFundOfCoins(6, { policy: NO_LIMITS });
    const keyPolicy = { ...NO_LIMITS, maxInFlightCount: 3 };
    const rules = await Promise.all(Array.from({ length: 10 }, () => refusingRule(fund, { keyPolicy })));
    expect(rules.filter((rule) => rule === null)).toHaveLength(3);
    expect(rules.filter((rule) => rule === "maxInFlightCount")).toHaveLength(7);
  });
});

describe("what has been counted", () => {
  shortTest("is corrected to what it cost once that is known, and to nothing where it was freed", async () => {
    const fund = await newFundOfCoins(6, { policy: NO_LIMITS, sponsorshipFeeAtoms: FEE_MIST });
    const sponsored = await sponsor(fund, "executed");
    await prepare(fund, "freed");
    await executeOnChain(sponsored);
    await liveFor(fund, 2 * SECOND_MS);
    pass(10 * MINUTE_MS);
    await liveFor(fund, SECOND_MS);
    const { chargedAtoms: chargedMist } = await sponsorshipOf(fund, sponsored);
    const spentMist = (chargedMist ?? 0n) + FEE_MIST;
    const limit = (maxSpendPerDayAtoms: bigint) => ({ keyPolicy: { ...NO_LIMITS, maxSpendPerDayAtoms } });
    expect(await refusingRule(fund, limit(spentMist + BUDGET_MIST + FEE_MIST - 1n))).toBe("maxSpendPerDay");
    await crash();
    expect(await refusingRule(fund, limit(spentMist + BUDGET_MIST + FEE_MIST - 1n))).toBe("maxSpendPerDay");
    expect(await refusingRule(fund, limit(spentMist + BUDGET_MIST + FEE_MIST))).toBe(null);
    await expectExactBooks(fund);
  });

  shortTest("of a day is forgotten with the next UTC day; what is in flight is not", async () => {
    const fund = await newFundOfCoins(6, { policy: NO_LIMITS });
    await sponsor(fund, "yesterday's");
    const spend = { ...NO_LIMITS, maxSpendPerDayAtoms: BUDGET_MIST, maxSpendPerSenderPerDayAtoms: BUDGET_MIST };
    const count = { ...NO_LIMITS, maxInFlightCount: 1 };
    pass(DAY_MS - (Date.now() % DAY_MS) - 1);
    expect(await refusingRule(fund, { keyPolicy: spend })).toBe("maxSpendPerDay");
    pass(1);
    expect(await refusingRule(fund, { keyPolicy: count })).toBe("maxInFlightCount");
    expect(await refusingRule(fund, { keyPolicy: spend })).toBe(null);
  });

  longTest("of a sender is that sender's only", async () => {
    const fund = await newFundOfCoins(6, { policy: { ...NO_LIMITS, maxSpendPerSenderPerDayAtoms: BUDGET_MIST } });
    const sponsored = await sponsor(fund, "first");
    expect(await refusingRule(fund)).toBe("maxSpendPerSenderPerDay");
    expect(await refusingRule(fund, { keyId: OTHER_KEY }), "over all keys of the fund").toBe("maxSpendPerSenderPerDay");
    expect(await refusingRule(fund, { sender: OTHER_SENDER })).toBe(null);
    await executeOnChain(sponsored);
    await liveFor(fund, 2 * SECOND_MS);
    expect(await refusingRule(fund), "what it cost counts on").toBe("maxSpendPerSenderPerDay");
    passIntoNextDay();
    expect(await refusingRule(fund)).toBe(null);
  });
});

describe("abandoning", () => {
  shortTest(
    "stops a key for the rest of the UTC day once its recycling has cost the limit, and no other key",
    async () => {
      const fund = await newFund(3n * SUI_MIST);
      await sponsor(fund, "abandoned");
      pass(HOUR_MS);
      await liveFor(fund, MINUTE_MS);
      const keyPolicy = { ...defaultKeyPolicy("sui"), maxAbandonCostPerDayAtoms: 500_000n };
      expect(await refusingRule(fund, { keyPolicy })).toBe("maxAbandonCostPerDay");
      expect(await refusingRule(fund, { keyPolicy, keyId: OTHER_KEY })).toBe(null);
      passIntoNextDay();
      expect(await refusingRule(fund, { keyPolicy })).toBe(null);
    },
  );

  longTest("what was only prepared costs nothing and stops nobody", async () => {
    const fund = await newFundOfCoins(6);
    const keyPolicy = { ...defaultKeyPolicy("sui"), maxAbandonCostPerDayAtoms: 1n };
    for (let round = 0; round < 5; round++) {
      await prepare(fund, `abandoned ${round}`, { keyPolicy });
      pass(10 * MINUTE_MS);
      await liveFor(fund, SECOND_MS);
    }
    expect(await refusingRule(fund, { keyPolicy })).toBe(null);
  });
});

describe("a PATCH of the fund's policy", () => {
  shortTest("merges field by field and holds from the next call, also after a restart", async () => {
    const fund = await newFundOfCoins(6);
    expect(await refusingRule(fund)).toBe(null);
    await stub(fund).update({ policy: { maxGasBudget: BUDGET_MIST - 1n } });
    expect(await refusingRule(fund)).toBe("maxGasBudget");
    await stub(fund).update({ policy: { maxInFlightCount: 1 } });
    expect(await refusingRule(fund)).toBe("maxGasBudget");
    await crash();
    expect(await refusingRule(fund)).toBe("maxGasBudget");
    await stub(fund).update({ policy: { maxGasBudget: null } });
    expect(await refusingRule(fund)).toBe("maxInFlightCount");
    await stub(fund).update({ policy: { maxInFlightCount: null } });
    expect(await refusingRule(fund)).toBe(null);
  });

  longTest("counts what was lent before it", async () => {
    const fund = await newFundOfCoins(6, { policy: NO_LIMITS });
    await sponsor(fund, "before");
    await stub(fund).update({ policy: { maxSpendPerDay: BUDGET_MIST } });
    expect(await refusingRule(fund)).toBe("maxSpendPerDay");
  });

  shortTest("a fee holds from the next sponsorship: what is lent keeps its own", async () => {
    const fund = await newFundOfCoins(6);
    const before = await sponsor(fund, "before");
    await stub(fund).update({ sponsorshipFeeAtoms: FEE_MIST });
    const after = await sponsor(fund, "after");
    for (const sponsored of [before, after]) await executeOnChain(sponsored);
    await liveFor(fund, 2 * SECOND_MS);
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: FEE_MIST });
    await expectExactBooks(fund);
  });
});
