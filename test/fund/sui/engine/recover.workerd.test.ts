import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect, test, vi } from "vitest";
import type { Sponsored } from "../../../../shared/fund/sui/engine/sponsor.ts";
import { alteration, alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ledgerOf, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import { copyOf, type FundCopy, putBack, recoverFully } from "../../../support/restore.ts";
import { longTest, shortTest, variants } from "../../../support/rounds.ts";
import { clearFaults, coinsOnChain, give, giveDust, LIST, nodeDown, SUBMIT } from "../../../support/sui-chain.ts";
import {
  execute,
  executeOnChain,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  prepare,
  refusalOf,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

type Mode = "coin" | "address_balance";

const OUTSIDE = `0x${"9".repeat(64)}`;

useStoppedClock();

async function fundOf(mode: Mode): Promise<TestFund> {
  if (mode === "coin") return newFund(5n * SUI_MIST);
  const fund = await newFundWith({ mode });
  await give(fund.address, 5n * SUI_MIST, "address_balance");
  await stub(fund).refresh();
  return fund;
}

async function withdraw(fund: TestFund, scope: string): Promise<void> {
  const idempotency = { scope, fingerprint: "f" };
  const paid = await stub(fund).withdraw({ to: OUTSIDE, amountAtoms: SUI_MIST, from: "available", idempotency });
  expect(paid).toMatchObject({ value: { state: "complete" } });
}

/** What the restored copy has forgotten besides sponsorships. */
const events: Readonly<Record<string, (fund: TestFund) => Promise<unknown>>> = {
  "nothing else": async () => {},
  "a withdrawal": (fund) => withdraw(fund, "forgotten"),
  "a deposit and its refill": async (fund) => {
    await give(fund.address, 3n * SUI_MIST);
    await stub(fund).refresh();
  },
  "a recycling": async (fund) => {
    await sponsor(fund, "abandoned");
    pass(HOUR_MS);
    await liveFor(fund, 2 * MINUTE_MS);
  },
  "a revocation": async (fund) => {
    await sponsor(fund, "revoked");
    await stub(fund).revoke(KEY_ID);
    await stub(fund).unrevokeKey(KEY_ID);
  },
};

describe.each(["coin", "address_balance"] as const)("a fund that pays by %s", (mode) => {
  test.each(variants(Object.entries(events), 6))(
    "recovers a copy of before %s: the books are exact, and no forgotten signature executes",
    async (_, forget) => {
      const fund = await fundOf(mode);
      const open = await sponsor(fund, "open");
      const late = await sponsor(fund, "executed after the copy");
      const copy = await copyOf(fund);
      await executeOnChain(late);
      const executed = await sponsor(fund, "forgotten and executed");
      await executeOnChain(executed);
      const forgotten: Sponsored[] = [await sponsor(fund, "forgotten")];
      await forget(fund);
      forgotten.push(await sponsor(fund, "forgotten last"));
      await liveFor(fund, MINUTE_MS);
      await putBack(fund, copy);
      await recoverFully(fund, mode);
      for (const sponsored of [open, ...forgotten]) expect(await submitAsUser(sponsored)).not.toBe("executed");
      expect(await statesOf(fund, [open, late])).toEqual(["dead", "complete"]);
      await expectExactBooks(fund);
      await executeOnChain(await sponsor(fund, "afterwards"));
      await liveFor(fund, MINUTE_MS);
      await expectExactBooks(fund);
    },
  );
});

shortTest("a fund sponsors nothing, pays nothing out and moves nothing before its recovery is done", async () => {
  const fund = await fundOf("coin");
  const prepared = await prepare(fund, "prepared");
  await nodeDown();
  const recovery = await stub(fund).recover();
  expect(recovery).toMatchObject({ value: { state: "running" } });
  await clearFaults();
  expect(await refusalOf(fund, "meanwhile")).toBe("fund_paused");
  expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "fund_paused" } });
  const idempotency = { scope: "meanwhile", fingerprint: "f" };
  const input = { to: OUTSIDE, amountAtoms: SUI_MIST, from: "available", idempotency } as const;
  expect(await stub(fund).withdraw(input)).toMatchObject({ error: { reason: "fund_paused" } });
  await give(fund.address, SUI_MIST);
  await stub(fund).refresh();
  expect((await ledgerOf(fund)).filter(({ kind }) => kind === "deposit")).toHaveLength(1);
  await recoverFully(fund, "coin");
  expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "sponsorship_expired" } });
  await stub(fund).refresh();
  await expectExactBooks(fund);
});

longTest("its operator sees what a recovery waits for, and the log has it once", async () => {
  const log = vi.spyOn(console, "log");
  const fund = await fundOf("address_balance");
  await stub(fund).recover();
  const waitingFor = async () => (await stub(fund).view())?.recovery?.waitingFor;
  expect(await waitingFor()).toMatch(/^the end of epoch \d+, the last one of any forgotten signature$/);
  await liveFor(fund, 10 * MINUTE_MS);
  const logged = log.mock.calls.filter(([line]) => String(line).includes("fund.recovery_waits"));
  expect(logged).toHaveLength(1);
  await recoverFully(fund, "address_balance");
  expect(await waitingFor()).toBeNull();
});

longTest("an endpoint that lags behind the others keeps no recovery open, and its listing is not taken", async () => {
  const seenUpTo = (endpoint: string, timeMs: () => number) => [
    {
      ...alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
        reply.timestamp = { seconds: BigInt(Math.floor(timeMs() / 1_000)), nanos: 0 };
      }),
      endpoint,
    },
    { method: null, endpoint, headers: () => ({ "x-sui-timestamp-ms": `${timeMs()}` }) },
  ];
  const [first, second] = ["/sui/first/sui.rpc.", "/sui/second/sui.rpc."];
  const honest = seenUpTo(second, () => Date.now());
  alterReplies(...seenUpTo(first, () => Date.now()), ...honest);
  const fund = await newFundWith({ network: "SUI_MAINNET" }, SUI_MIST, SUI_MIST);
  const standsAtMs = Date.now();
  pass(5 * MINUTE_MS);
  const hides = alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, (reply) => {
    reply.objects.pop();
  });
  alterReplies(...seenUpTo(first, () => standsAtMs), ...honest, { ...hides, endpoint: first });
  await recoverFully(fund, "coin");
  await expectExactBooks(fund);
});

longTest("a fund that its operator has paused stays paused after its recovery", async () => {
  const fund = await fundOf("coin");
  await stub(fund).update({ paused: true });
  await recoverFully(fund, "coin");
  expect(await stub(fund).view()).toMatchObject({ pausedCause: "operator" });
});

longTest(
  "a user who executes a forgotten sponsorship during the sweep makes it stale, and it is made anew",
  async () => {
    const fund = await fundOf("coin");
    const copy = await copyOf(fund);
    const forgotten = [await sponsor(fund, "one"), await sponsor(fund, "two"), await sponsor(fund, "three")];
    await putBack(fund, copy);
    const [first, ...others] = forgotten;
    if (first === undefined) throw new Error("nothing was sponsored");
    alterReplies(withOurTime, once(SUBMIT, { before: () => executeOnChain(first) }));
    await recoverFully(fund, "coin");
    const [stale, ...anew] = (await ownTransactions(fund, "recover")).map(({ state }) => state);
    expect([stale, ...new Set(anew)]).toEqual(["dead", "complete"]);
    for (const sponsored of others) expect(await submitAsUser(sponsored)).not.toBe("executed");
    await expectExactBooks(fund);
  },
);

longTest(
  "a copy with a recycling under way recovers: its coins are free, its sponsorships dead, its gas booked",
  async () => {
    const fund = await fundOf("coin");
    const abandoned = [await sponsor(fund, "one"), await sponsor(fund, "two")];
    pass(HOUR_MS);
    const copies: FundCopy[] = [];
    alterReplies(withOurTime, once(SUBMIT, { before: async () => copies.push(await copyOf(fund)) }));
    await liveFor(fund, 2 * MINUTE_MS);
    const [copy] = copies;
    if (copy === undefined) throw new Error("nothing was recycled");
    await putBack(fund, copy);
    expect(await ownTransactions(fund, "recycle")).toMatchObject([{ state: "pending" }]);
    await recoverFully(fund, "coin");
    expect(await ownTransactions(fund, "recycle")).toMatchObject([{ state: "complete" }]);
    expect(await statesOf(fund, abandoned)).toEqual(["dead", "dead"]);
    expect((await ledgerOf(fund)).filter(({ kind }) => kind === "recycle")).toHaveLength(2);
    await expectExactBooks(fund);
  },
);

longTest(
  "a copy with a recycling that never executed recovers: the recycling and its sponsorships are dead",
  async () => {
    const fund = await fundOf("coin");
    const abandoned = [await sponsor(fund, "one"), await sponsor(fund, "two")];
    pass(HOUR_MS);
    const copies: FundCopy[] = [];
    const before = async () => {
      copies.push(await copyOf(fund));
      throw new Error("the connection is gone");
    };
    alterReplies(withOurTime, { method: SUBMIT, before });
    await liveFor(fund, MINUTE_MS);
    const [copy] = copies;
    if (copy === undefined) throw new Error("nothing was recycled");
    alterReplies(withOurTime);
    await putBack(fund, copy);
    await recoverFully(fund, "coin");
    expect(await ownTransactions(fund, "recycle")).toMatchObject([{ state: "dead" }]);
    expect(await statesOf(fund, abandoned)).toEqual(["dead", "dead"]);
    await expectExactBooks(fund);
  },
);

longTest("more coins than one transaction takes are moved by several, each journaled", async () => {
  const fund = await newFund(4n * SUI_MIST);
  const before = await coinsOnChain(fund.address);
  await giveDust(fund.address, 300);
  await recoverFully(fund, "coin");
  const after = new Map((await coinsOnChain(fund.address)).map((coin) => [coin.objectId, coin.version]));
  for (const { objectId, version } of before) expect(after.get(objectId) ?? version + 1n).toBeGreaterThan(version);
  expect((await ownTransactions(fund, "recover")).map(({ state }) => state)).toEqual(["complete", "complete"]);
  await stub(fund).refresh();
  await expectExactBooks(fund);
});
