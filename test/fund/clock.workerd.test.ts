import { runInDurableObject } from "cloudflare:test";
import { GrpcTypes } from "@mysten/sui/grpc";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { alteration, alterReplies } from "../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, statesOf } from "../support/fund-books.ts";
import { shortTest, variants } from "../support/rounds.ts";
import { clearFaults, give } from "../support/sui-chain.ts";
import {
  alarm,
  alarmInMs,
  crash,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  pass,
  platformStub,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stopClock,
  stub,
  type TestFund,
  useStoppedClock,
} from "../support/sui-fund.ts";

describe("a clock that was an hour ahead for 20 seconds", () => {
  /** By how much the service's clock is ahead of the chain's. */
  let aheadMs = 0;
  const withChainTime = alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
    reply.timestamp = { seconds: BigInt(Math.floor((Date.now() - aheadMs) / 1_000)), nanos: 0 };
  });

  beforeEach(() => {
    aheadMs = 0;
    stopClock();
    alterReplies(withChainTime);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    await clearFaults();
  });

  function setAhead(ms: number): void {
    vi.setSystemTime(Date.now() + ms - aheadMs);
    aheadMs = ms;
  }

  test.each(variants(["without a restart", "with one"], 2))(
    "and is right again, %s: deposits, look-ups and recycling go on",
    async (restart) => {
      const fund = await newFund(2n * SUI_MIST);
      const executed = await sponsor(fund, "executed");
      const abandoned = await sponsor(fund, "abandoned");
      setAhead(HOUR_MS);
      await liveFor(fund, 20 * SECOND_MS);
      const meanwhile = await sponsor(fund, "made by the wrong clock");
      setAhead(0);
      if (restart === "with one") await crash();

      await executeOnChain(executed);
      await executeOnChain(meanwhile);
      await give(fund.address, SUI_MIST / 10n);
      const { balanceAtoms: before = 0n } = (await stub(fund).view()) ?? {};
      await liveFor(fund, 20 * SECOND_MS);
      expect(await statesOf(fund, [executed, abandoned, meanwhile])).toEqual(["complete", "signed", "complete"]);
      const { balanceAtoms: after = 0n } = (await stub(fund).view()) ?? {};
      expect(after, "the deposit is more than what the two have cost").toBeGreaterThan(before);
      pass(HOUR_MS);
      await liveFor(fund, 2 * MINUTE_MS);
      expect(await statesOf(fund, [abandoned])).toEqual(["dead"]);
      await expectExactBooks(fund);
    },
  );
});

describe("an alarm that cannot write", () => {
  useStoppedClock();

  /** The disk takes no more writes. */
  function failCommits(fund: TestFund): Promise<void> {
    return runInDurableObject(platformStub(fund), (_, { storage }) => {
      const { sql } = storage;
      storage.transactionSync = () => {
        throw new Error("SQLITE_FULL: database or disk is full");
      };
      const exec = sql.exec.bind(sql);
      vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
        if (/^\s*(INSERT|UPDATE|DELETE)/.test(query)) throw new Error("SQLITE_FULL: database or disk is full");
        return exec(query, ...bindings);
      });
    });
  }

  shortTest("what it would tidy away still looks for deposits", async () => {
    const fund = await newFund(SUI_MIST);
    await runInDurableObject(platformStub(fund), (_, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql);
      vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
        if (/FROM (idempotency WHERE expires_at_ms|sender_usage WHERE day <)/.test(query))
          throw new Error("unreadable");
        return exec(query, ...bindings);
      });
    });
    await give(fund.address, SUI_MIST);
    await liveFor(fund, HOUR_MS);
    await expectExactBooks(fund);
  });

  shortTest("is never armed in the past, and waits longer each time", async () => {
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "live");
    await failCommits(fund);
    pass(MINUTE_MS);
    const waits: number[] = [];
    for (let time = 0; time < 12; time++) {
      await alarm(fund);
      const inMs = (await alarmInMs(fund)) ?? 0;
      waits.push(inMs);
      pass(inMs);
    }
    expect(waits[0]).toBeGreaterThanOrEqual(SECOND_MS);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits.at(-1)).toBe(5 * MINUTE_MS);
    await crash();
    await liveFor(fund, MINUTE_MS);
    await expectExactBooks(fund);
  });
});
