import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect } from "vitest";
import { alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import {
  balanceOnChain,
  callsOf,
  clearFaults,
  give,
  LOOK_UP,
  nextEpoch,
  orderFault,
  SUBMIT,
} from "../../../support/sui-chain.ts";
import {
  dueInMs,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundOfCoins,
  newFundWith,
  pass,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

useStoppedClock();

/** An endpoint that fails every look-up in which one of these digests is. */
function failingFor(...digests: readonly string[]) {
  return {
    method: LOOK_UP,
    request: (message: Uint8Array) => {
      const asked = GrpcTypes.BatchGetTransactionsRequest.fromBinary(message).digests;
      return asked.some((digest) => digests.includes(digest)) ? new Response("too large", { status: 500 }) : null;
    },
  };
}

describe("one digest that no node can tell of", () => {
  longTest("costs no other its settlement, backs off alone, and is settled once a node can", async () => {
    const fund = await newFundOfCoins(24);
    const sponsored = [];
    for (let index = 0; index < 20; index++) sponsored.push(await sponsor(fund, `number ${index}`));
    for (const one of sponsored) await executeOnChain(one);
    const [poison, ...others] = sponsored;
    if (poison === undefined) throw new Error("nothing was sponsored");
    const asked: (readonly string[])[] = [];
    const watch = {
      method: LOOK_UP,
      request: (message: Uint8Array) => {
        asked.push(GrpcTypes.BatchGetTransactionsRequest.fromBinary(message).digests);
        return null;
      },
    };
    alterReplies(withOurTime, watch, failingFor(poison.digest));
    await liveFor(fund, 20 * SECOND_MS);
    expect(new Set(await statesOf(fund, others))).toEqual(new Set(["complete"]));
    const othersAlone = asked.filter(({ length, 0: first }) => length === 1 && first !== poison.digest);
    expect(othersAlone.length, "it is found by halving, and not by asking for each alone").toBeLessThanOrEqual(2);
    expect(await statesOf(fund, [poison])).toEqual(["signed"]);
    const calls = await callsOf(LOOK_UP);
    await liveFor(fund, 10 * MINUTE_MS);
    expect(await callsOf(LOOK_UP), "it is asked alone, and ever less often").toBe(calls);
    expect((await dueInMs(fund, "settle"))[0]).toBeGreaterThan(2 * MINUTE_MS);
    expect(await stub(fund).status(poison.digest)).toEqual({ ok: true, value: "IN_FLIGHT" });
    const story = await stub(fund).tell({ by: "digest", digest: poison.digest, askNodes: true });
    expect(story?.chain, "and the operator is told why").toMatchObject({
      failures: { inARow: expect.any(Number), why: "no node answered about it" },
    });
    alterReplies(withOurTime);
    expect(await stub(fund).status(poison.digest)).toEqual({ ok: true, value: "COMPLETE" });
    await liveFor(fund, 10 * MINUTE_MS);
    await expectExactBooks(fund);
  });

  shortTest("spoils no status of another", async () => {
    const fund = await newFundOfCoins(6);
    const poison = await sponsor(fund, "poison");
    const other = await sponsor(fund, "other");
    await executeOnChain(other);
    alterReplies(withOurTime, failingFor(poison.digest));
    const [ofPoison, ofOther] = await Promise.all([poison, other].map(({ digest }) => stub(fund).status(digest)));
    expect(ofPoison).toEqual({ ok: true, value: "IN_FLIGHT" });
    expect(ofOther).toEqual({ ok: true, value: "COMPLETE" });
  });

  longTest("keeps nothing from being recycled, itself neither", async () => {
    const fund = await newFundOfCoins(8);
    const abandoned = [await sponsor(fund, "first"), await sponsor(fund, "second"), await sponsor(fund, "poison")];
    pass(HOUR_MS);
    await liveFor(fund, 20 * SECOND_MS);
    alterReplies(withOurTime, failingFor(abandoned[2]?.digest ?? ""));
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await statesOf(fund, abandoned)).toEqual(["dead", "dead", "dead"]);
    await expectExactBooks(fund);
  });

  longTest(
    "and fifty of them in front hold up no recycling, neither their own nor that of those behind them",
    async () => {
      const fund = await newFund(10n * SUI_MIST);
      const abandoned = [];
      for (let index = 0; index < 55; index++) {
        abandoned.push(await sponsor(fund, `number ${index}`));
        pass(1);
      }
      pass(HOUR_MS);
      await liveFor(fund, 5 * SECOND_MS);
      alterReplies(withOurTime, failingFor(...abandoned.slice(0, 50).map(({ digest }) => digest)));
      await liveFor(fund, 2 * MINUTE_MS);
      expect(new Set(await statesOf(fund, abandoned))).toEqual(new Set(["dead"]));
      await expectExactBooks(fund);
    },
  );

  longTest("a status reads nothing that a sender can make large", async () => {
    const fund = await newFundOfCoins(3);
    const executed = await sponsor(fund, "executed");
    await executeOnChain(executed);
    const masks: string[][] = [];
    alterReplies(withOurTime, {
      method: LOOK_UP,
      request: (message) => {
        masks.push(GrpcTypes.BatchGetTransactionsRequest.fromBinary(message).readMask?.paths ?? []);
        return null;
      },
    });
    expect(await stub(fund).status(executed.digest)).toEqual({ ok: true, value: "COMPLETE" });
    const large = ["effects", "effects.changed_objects", "effects.dependencies", "events", "balance_changes"];
    expect(masks.flat().filter((path) => large.includes(path))).toEqual([]);
    await expectExactBooks(fund);
  });
});

describe("a withdrawal from the address balance whose answer is lost", () => {
  const to = `0x${"b".repeat(64)}`;
  const input = (scope: string) =>
    ({
      to,
      amountAtoms: SUI_MIST,
      from: "available",
      idempotency: { scope, fingerprint: "f" },
    }) as const;
  /** `google.rpc.Code.NOT_FOUND`: the endpoint has pruned it. */
  const forgetful = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, (reply) => {
    const error = { code: 5, message: "pruned", details: [] };
    for (const transaction of reply.transactions) transaction.result = { oneofKind: "error", error };
  });
  const prunedTo = (checkpoint: bigint) => ({
    method: null,
    headers: () => ({ "x-sui-lowest-available-checkpoint": checkpoint.toString() }),
  });

  async function lost(scope: string) {
    const fund = await newFundWith({ mode: "address_balance" });
    await give(fund.address, 5n * SUI_MIST, "address_balance");
    await stub(fund).refresh();
    const before = await balanceOnChain(to);
    await orderFault(SUBMIT, "drop_after_commit");
    expect(await stub(fund).withdraw(input(scope))).toMatchObject({ value: { state: "pending" } });
    await orderFault(SUBMIT, "unavailable_before_commit", 1_000);
    return { fund, beforeMist: before.totalMist };
  }

  longTest("is not called dead by an endpoint that has pruned its life, and is never paid again", async () => {
    const { fund, beforeMist } = await lost("pruned");
    alterReplies(withOurTime, forgetful, prunedTo(1_000_000n));
    await nextEpoch();
    await liveFor(fund, 6 * MINUTE_MS);
    expect(await stub(fund).withdraw(input("pruned"))).toMatchObject({ value: { state: "pending" } });
    expect(await ownTransactions(fund, "withdraw")).toMatchObject([{ state: "pending" }]);
    await clearFaults();
    expect(await stub(fund).withdraw(input("pruned"))).toMatchObject({ value: { state: "complete" } });
    expect((await balanceOnChain(to)).totalMist - beforeMist).toBe(SUI_MIST);
  });

  longTest(
    "is not called dead by an endpoint that says of an epoch it is over before the fund has seen the next",
    async () => {
      const { fund, beforeMist } = await lost("too early");
      const ahead = alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
        reply.epoch = (reply.epoch ?? 0n) + 5n;
      });
      alterReplies(withOurTime, forgetful, ahead);
      await liveFor(fund, 6 * MINUTE_MS);
      expect(await ownTransactions(fund, "withdraw")).toMatchObject([{ state: "pending" }]);
      alterReplies(withOurTime);
      await clearFaults();
      expect(await stub(fund).withdraw(input("too early"))).toMatchObject({ value: { state: "complete" } });
      expect((await balanceOnChain(to)).totalMist - beforeMist).toBe(SUI_MIST);
    },
  );

  shortTest("is paid once under its key even where an endpoint lies it dead", async () => {
    const { fund, beforeMist } = await lost("lied dead");
    alterReplies(withOurTime, forgetful);
    await nextEpoch();
    await liveFor(fund, 6 * MINUTE_MS);
    expect(await ownTransactions(fund, "withdraw")).toMatchObject([{ state: "dead" }]);
    alterReplies(withOurTime);
    await clearFaults();
    expect(await stub(fund).withdraw(input("lied dead"))).toMatchObject({ value: { state: "dead" } });
    expect((await balanceOnChain(to)).totalMist - beforeMist).toBe(SUI_MIST);
  });
});

longTest("a sponsorship that merges two coins is settled by the alarm, beside one that pays with one", async () => {
  const fund = await newFund(4_000_000n, 4_000_000n, 10_000_000n);
  const sponsored = [await sponsor(fund, "with one coin"), await sponsor(fund, "with two coins")];
  for (const one of sponsored) await executeOnChain(one);
  await liveFor(fund, 2 * SECOND_MS);
  expect(await statesOf(fund, sponsored)).toEqual(["complete", "complete"]);
  await expectExactBooks(fund);
});
