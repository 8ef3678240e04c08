import { runInDurableObject } from "cloudflare:test";
import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import type { LastSeenChain } from "../../../../shared/fund/last-seen.ts";
import { readFundRecord } from "../../../../shared/fund/record.ts";
import { alteration, alterReplies, asChain } from "../../../byzantine-node/altered-sui-node.ts";
import { longTest, shortCases, shortTest } from "../../../support/rounds.ts";
import { callsOf, clearFaults, EPOCH, give, LOOK_UP, orderFault, SUBMIT } from "../../../support/sui-chain.ts";
import {
  alarm,
  alarmInMs,
  crash,
  dueInMs,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  pass,
  platformStub,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stateOf,
  stopClock,
  stub,
  type TestFund,
  termsOf,
  until,
  withOurTime,
} from "../../../support/sui-fund.ts";

const OTHER_CHAIN = toBase58(new Uint8Array(32).fill(9));

beforeEach(() => stopClock());
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await clearFaults();
});

function withPrice(priceMist: bigint) {
  return alteration(EPOCH, GrpcTypes.GetEpochResponse, ({ epoch }) => {
    if (epoch) epoch.referenceGasPrice = priceMist;
  });
}

function withEpoch(number: bigint) {
  return alteration(EPOCH, GrpcTypes.GetEpochResponse, ({ epoch }) => {
    if (epoch) epoch.epoch = number;
  });
}

function withEpochStart(startMs: () => number) {
  return alteration(EPOCH, GrpcTypes.GetEpochResponse, ({ epoch }) => {
    if (epoch) epoch.start = { seconds: BigInt(Math.floor(startMs() / SECOND_MS)), nanos: 0 };
  });
}

/** A fund that has looked twice, so that it believes its chain and epoch. */
async function newPinnedFund(): Promise<TestFund> {
  alterReplies(withOurTime);
  const fund = await newFund(SUI_MIST);
  pass(6 * MINUTE_MS);
  await sponsor(fund, "pins the chain");
  return fund;
}

async function seenBy(fund: TestFund): Promise<LastSeenChain> {
  const seen = await runInDurableObject(platformStub(fund), (_, { storage }) => readFundRecord(storage.sql)?.seen);
  if (seen == null) throw new Error("the fund believes no epoch");
  return seen;
}

/** The endpoint is a node of another chain. */
const withOtherChain = asChain(OTHER_CHAIN);

describe("what the fund knows of its chain", () => {
  shortTest("is used for 30 seconds without asking again", async () => {
    const fund = await newPinnedFund();
    const before = await callsOf(EPOCH);
    pass(30 * SECOND_MS);
    await sponsor(fund, "second");
    expect(await callsOf(EPOCH)).toBe(before);
  });

  longTest("is used once more after 30 seconds, and refreshed after the answer", async () => {
    const fund = await newFund(SUI_MIST);
    expect(termsOf(await sponsor(fund, "first")).priceMist).toBe(1_000n);
    alterReplies(withPrice(2_000n));
    pass(30 * SECOND_MS + 1);
    const before = await callsOf(EPOCH);
    expect(termsOf(await sponsor(fund, "second")).priceMist).toBe(1_000n);
    await until(async () => (await callsOf(EPOCH)) > before);
    await until(async () => termsOf(await sponsor(fund, "later")).priceMist === 2_000n);
  });

  longTest("a refresh that fails after the answer does not take the fund down", async () => {
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "first");
    await orderFault(EPOCH, "unavailable", 100);
    for (const name of ["second", "third"]) {
      pass(31 * SECOND_MS);
      expect(await refusalOf(fund, name)).toBe(null);
    }
  });

  shortTest("is refreshed before anything is signed once it is older than five minutes", async () => {
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "first");
    await orderFault(EPOCH, "unavailable", 100);
    pass(5 * MINUTE_MS + 1);
    expect(await refusalOf(fund, "second")).toBe("node_unavailable");
    await clearFaults();
    alterReplies(withPrice(2_000n));
    expect(termsOf(await sponsor(fund, "third")).priceMist).toBe(2_000n);
  });

  longTest("is believed although each instance lives for seconds only: the alarm looks a second time", async () => {
    alterReplies(withOurTime);
    const fund = await newFund(SUI_MIST);
    await crash();
    await sponsor(fund, "tells it of its chain");
    await liveFor(fund, 3 * SECOND_MS);
    const believes = () => seenBy(fund).catch(() => null);
    await until(async () => (await believes()) !== null);
    await crash();
    expect(await believes()).toMatchObject({ epoch: expect.any(BigInt) });
  });

  shortTest("a lower epoch is an endpoint that lags: it changes nothing, and is no answer", async () => {
    const fund = await newFund(SUI_MIST);
    alterReplies(withOurTime, withEpoch(5n));
    pass(6 * MINUTE_MS);
    expect(await refusalOf(fund, "at the first look")).toBe("node_unavailable");
    pass(3 * SECOND_MS);
    expect(termsOf(await sponsor(fund, "first")).expirationEpoch).toBe(6n);
    vi.restoreAllMocks();
    for (const name of ["second", "third"]) {
      pass(31 * SECOND_MS);
      expect(termsOf(await sponsor(fund, name)).expirationEpoch).toBe(6n);
    }
    pass(6 * MINUTE_MS);
    expect(await refusalOf(fund, "with nothing fresh to go by")).toBe("node_unavailable");
    await crash();
    expect(await refusalOf(fund, "the epoch is remembered")).toBe("node_unavailable");
    expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
    alterReplies(withEpoch(6n));
    expect(termsOf(await sponsor(fund, "caught up")).expirationEpoch).toBe(7n);
  });

  shortCases.each([1n, 2n, 8n])("one reply that lies about the epoch, by %i, is not remembered", async (ahead) => {
    const fund = await newPinnedFund();
    const { epoch } = await seenBy(fund);
    alterReplies(withOurTime, withEpoch(epoch + ahead));
    pass(6 * MINUTE_MS);
    await refusalOf(fund, "lied to");
    alterReplies(withOurTime);
    expect((await seenBy(fund)).epoch).toBe(epoch);
    pass(6 * MINUTE_MS);
    expect(termsOf(await sponsor(fund, "told the truth")).expirationEpoch).toBe(epoch + 1n);
    await crash();
    expect(await refusalOf(fund, "after a restart")).toBe(null);
  });

  shortTest("the first reply of a fund's life pins nothing", async () => {
    alterReplies(withOurTime, withEpoch(1_000n));
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "lied to");
    alterReplies(withOurTime);
    pass(6 * MINUTE_MS);
    expect(await refusalOf(fund, "told the truth")).toBe(null);
  });

  longTest("a fund that was away for a week comes back by itself", async () => {
    const fund = await newPinnedFund();
    const { epoch } = await seenBy(fund);
    await crash();
    pass(7 * 24 * HOUR_MS);
    alterReplies(withOurTime, withEpoch(epoch + 7n));
    await liveFor(fund, 5 * SECOND_MS);
    expect((await seenBy(fund)).epoch).toBe(epoch + 7n);
    expect(termsOf(await sponsor(fund, "first")).expirationEpoch).toBe(epoch + 8n);
  });

  shortCases.each([
    ["an epoch that cannot be yet", withEpoch(1_000n)],
    ["an epoch that begins in the future", withEpochStart(() => Date.now() + HOUR_MS)],
  ])("%s is no answer, and is not remembered", async (_, reply) => {
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "first");
    alterReplies(reply);
    pass(6 * MINUTE_MS);
    expect(await refusalOf(fund, "second")).toBe("node_unavailable");
    vi.restoreAllMocks();
    expect(await refusalOf(fund, "third")).toBe(null);
  });

  shortTest("another chain identifier pauses the fund, until the node answers for its own chain again", async () => {
    const fund = await newPinnedFund();
    alterReplies(...withOtherChain);
    pass(6 * MINUTE_MS);
    expect(await refusalOf(fund, "second"), "one reply pauses nothing").toBe("node_unavailable");
    expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
    pass(3 * SECOND_MS);
    expect(await refusalOf(fund, "second")).toBe("fund_paused");
    expect(await stub(fund).update({ paused: false })).toMatchObject({ pausedCause: "chain_reset" });
    expect(await stub(fund).update({ paused: true })).toMatchObject({ pausedCause: "chain_reset" });
    await alarm(fund);
    expect(await alarmInMs(fund), "nothing to settle on that chain").toBe(HOUR_MS);
    await crash();
    expect(await stub(fund).view()).toMatchObject({ pausedCause: "chain_reset" });
    vi.restoreAllMocks();
    expect(await refusalOf(fund, "third")).toBe("fund_paused");
    expect(await stub(fund).update({ paused: false })).toMatchObject({ pausedCause: null });
    expect(await refusalOf(fund, "fourth")).toBe(null);
  });
});

describe("the alarm", () => {
  shortTest("finds deposits by itself, and books each once", async () => {
    const fund = await newFund();
    await give(fund.address, 3_000_000n);
    await alarm(fund);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 3_000_000n });
    await give(fund.address, 2_000_000n);
    pass(15 * SECOND_MS);
    await alarm(fund);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 5_000_000n });
    pass(15 * SECOND_MS);
    await alarm(fund);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 5_000_000n });
  });

  shortTest(
    "asks for a live digest 2, 5, 15, 60 and 300 seconds after its creation, then every five minutes",
    async () => {
      const fund = await newFund(SUI_MIST);
      const { digest } = await sponsor(fund, "abandoned");
      const createdAtMs = Date.now();
      const askedAt: number[] = [];
      while (askedAt.length < 7) {
        const [inMs = Number.NaN] = await dueInMs(fund, "settle");
        // A caller who polls does not use up the schedule.
        await stub(fund).status(digest);
        pass(inMs);
        const before = await callsOf(LOOK_UP);
        await alarm(fund);
        expect(await callsOf(LOOK_UP)).toBe(before + 1);
        askedAt.push((Date.now() - createdAtMs) / SECOND_MS);
      }
      expect(askedAt).toEqual([2, 5, 15, 60, 300, 600, 900]);
    },
  );

  shortTest("settles what a user executed without telling us, at the first look-up", async () => {
    const fund = await newFund(SUI_MIST);
    const sponsored = await sponsor(fund, "executed");
    await executeOnChain(sponsored);
    pass(2 * SECOND_MS);
    await alarm(fund);
    expect(await stateOf(fund, sponsored.digest)).toBe("complete");
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
  });

  shortTest("calls a sponsorship expired only once the endpoint has seen its hour pass", async () => {
    const fund = await newFund(SUI_MIST);
    const { digest } = await sponsor(fund, "abandoned");
    pass(HOUR_MS);
    await alarm(fund);
    expect(await stateOf(fund, digest), "the chain's clock is an hour behind").toBe("signed");
    alterReplies(withOurTime);
    pass(15 * SECOND_MS);
    await alarm(fund);
    expect(await stateOf(fund, digest)).toBe("expired");
    expect(await stub(fund).view(), "its budget is still withheld").toMatchObject({ inFlightAtoms: 5_000_000n });
  });

  longTest("does everything else when one part fails, and is armed again", async () => {
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "abandoned");
    const before = (await stub(fund).view())?.balanceAtoms ?? 0n;
    await runInDurableObject(platformStub(fund), (_, { storage }) => {
      storage.sql.exec("UPDATE sponsorship_row SET state = 99");
    });
    // Memory has the row as it was. A new instance reads the disk.
    await crash();
    await give(fund.address, 3_000_000n);
    pass(15 * SECOND_MS);
    await alarm(fund);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: before + 3_000_000n });
    expect(await dueInMs(fund, "settle"), "the part that failed is tried again later").toEqual([15 * SECOND_MS]);
    expect(await alarmInMs(fund), "a new instance reads the chain's epoch twice").toBe(3 * SECOND_MS);
    pass(3 * SECOND_MS);
    await alarm(fund);
    expect(await alarmInMs(fund)).toBe(12 * SECOND_MS);
  });

  shortTest("is armed again where no node answers at all", async () => {
    const fund = await newFund(SUI_MIST);
    const { digest } = await sponsor(fund, "abandoned");
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no network"));
    pass(15 * SECOND_MS);
    await alarm(fund);
    expect(await alarmInMs(fund)).toBe(15 * SECOND_MS);
    expect(await stateOf(fund, digest)).toBe("signed");
  });

  longTest("is armed by the next use of the object where the platform lost it", async () => {
    const fund = await newFund(SUI_MIST);
    await runInDurableObject(platformStub(fund), (_, { storage }) => storage.deleteAlarm());
    await crash();
    await stub(fund).view();
    expect(await alarmInMs(fund)).not.toBe(null);
  });
});

type Executed = NonNullable<GrpcTypes.ExecuteTransactionResponse["transaction"]>;

describe("effects that cannot be those of what the fund signed are not believed", () => {
  const byzantineReplies: Readonly<Record<string, (transaction: Executed) => void>> = {
    "a charge above the budget": ({ effects }) => {
      if (effects?.gasUsed) effects.gasUsed.computationCost = SUI_MIST;
    },
    "a gas coin that was deleted": (transaction) => {
      if (transaction.effects?.gasObject) transaction.effects.gasObject.outputState = 1;
    },
    "a gas coin whose version did not rise": ({ effects }) => {
      const changed = effects?.gasObject;
      if (changed?.inputVersion !== undefined) changed.outputVersion = changed.inputVersion;
    },
    "a gas coin of somebody else's": ({ effects }) => {
      if (effects?.gasObject?.outputOwner) effects.gasObject.outputOwner.kind = 3;
    },
    "another transaction": (transaction) => {
      transaction.digest = OTHER_CHAIN;
    },
  };

  shortCases.each(Object.entries(byzantineReplies))("%s", async (_, alter) => {
    const fund = await newFund(SUI_MIST);
    const sponsored = await sponsor(fund, "executed");
    await executeOnChain(sponsored);
    const honest = await stub(fund).view();
    alterReplies(
      alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
        for (const { result } of transactions) if (result.oneofKind === "transaction") alter(result.transaction);
      }),
    );
    pass(2 * SECOND_MS);
    await alarm(fund);
    expect(await stateOf(fund, sponsored.digest)).toBe("signed");
    expect(await stub(fund).view()).toEqual(honest);
    expect(await stub(fund).status(sponsored.digest)).not.toMatchObject({ value: "COMPLETE" });
    expect(await alarmInMs(fund), "it asks again, and not at once").toBeGreaterThanOrEqual(SECOND_MS);

    vi.restoreAllMocks();
    pass(15 * SECOND_MS);
    await alarm(fund);
    expect(await stateOf(fund, sponsored.digest)).toBe("complete");
  });

  shortTest("coins of a split that belong to somebody else", async () => {
    const fund = await newFund();
    await give(fund.address, SUI_MIST);
    alterReplies(
      alteration(SUBMIT, GrpcTypes.ExecuteTransactionResponse, ({ transaction }) => {
        for (const { outputOwner } of transaction?.effects?.changedObjects ?? [])
          if (outputOwner) outputOwner.address = `0x${"6".repeat(64)}`;
      }),
    );
    await alarm(fund);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST });
    pass(5 * SECOND_MS);
    await alarm(fund);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST });
    expect(await alarmInMs(fund), "it sends again, and not at once").toBeGreaterThan(SECOND_MS);

    vi.restoreAllMocks();
    pass(MINUTE_MS);
    await alarm(fund);
    const settled = await stub(fund).view();
    expect(settled?.balanceAtoms).toBeLessThan(SUI_MIST);
    expect(await stub(fund).refresh(), "what it books is what its address owns").toMatchObject({
      value: { balanceAtoms: settled?.balanceAtoms },
    });
    expect(await refusalOf(fund, "after all")).toBe(null);
  });
});
