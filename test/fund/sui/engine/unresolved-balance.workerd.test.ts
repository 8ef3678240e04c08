import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect } from "vitest";
import { sleep } from "../../../../shared/timing.ts";
import { type Alteration, alteration, alterReplies, pruned } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ledgerOf, statesOf } from "../../../support/fund-books.ts";
import { recoverFully } from "../../../support/restore.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { BALANCE, gasOnChain, give, LOOK_UP, nextEpoch, SUBMIT } from "../../../support/sui-chain.ts";
import {
  alarm,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFundWith,
  pass,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const FIRST = "/sui/first/sui.rpc.";
const SECOND = "/sui/second/sui.rpc.";
const HONEST = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));
const UNRESOLVABLE = ["unresolvable", "unresolvable"];

useStoppedClock();

/** An endpoint that shows the address balance as it was before every transaction. */
function unchanged(endpoint: string): Alteration {
  const full = alteration(BALANCE, GrpcTypes.GetBalanceResponse, ({ balance }) => {
    if (balance === undefined) return;
    balance.addressBalance = SUI_MIST;
    balance.balance = SUI_MIST;
  });
  return { ...full, endpoint };
}

async function fundOfBalance(settings: object = {}): Promise<TestFund> {
  const fund = await newFundWith({ mode: "address_balance", ...settings });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  return fund;
}

/** Two executed sponsorships whose last epochs end more than an hour after each other. No node shows them. */
async function twoEpochs(gasBudgetMist: bigint) {
  const fund = await fundOfBalance();
  alterReplies(withOurTime, ...pruned());
  const one = await sponsor(fund, "one", { gasBudgetMist });
  await executeOnChain(one);
  await nextEpoch();
  await liveFor(fund, 7 * MINUTE_MS);
  await stub(fund).refresh();
  const two = await sponsor(fund, "two", { gasBudgetMist });
  await executeOnChain(two);
  await nextEpoch();
  await liveFor(fund, 63 * MINUTE_MS);
  await nextEpoch();
  return { fund, rows: [one, two], costMist: await costOf([one, two]) };
}

async function costOf(rows: readonly { readonly digest: string }[]): Promise<bigint> {
  let sumMist = 0n;
  for (const { digest } of rows) sumMist += (await gasOnChain(digest)) ?? 0n;
  return sumMist;
}

async function changesOf(fund: TestFund): Promise<readonly string[]> {
  const rows = (await ledgerOf(fund)).filter(({ kind }) => kind !== "reserve" && kind !== "release");
  return rows.map(({ kind, balanceAtoms }) => `${kind} ${balanceAtoms}`);
}

describe("sponsorships from the address balance of two epochs, which no node shows", () => {
  longTest("are closed together, although neither budget covers all of the missing money", async () => {
    const { fund, rows, costMist } = await twoEpochs(3_000_000n);
    await liveFor(fund, 3 * HOUR_MS);
    expect(await statesOf(fund, rows)).toEqual(UNRESOLVABLE);
    expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`, `correction ${-costMist}`]);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n, pausedCause: null });
    await expectExactBooks(fund);
  });

  longTest("are each charged once, if a node shows them as soon as the first is closed", async () => {
    const { fund, rows, costMist } = await twoEpochs(50_000_000n);
    for (let minutes = 0; minutes < 200; minutes++) {
      await liveFor(fund, MINUTE_MS);
      if ((await statesOf(fund, rows)).includes("unresolvable")) break;
    }
    expect(await statesOf(fund, rows)).toEqual(UNRESOLVABLE);
    alterReplies(withOurTime);
    for (const { digest } of rows) expect(await stub(fund).status(digest)).toEqual({ ok: true, value: "COMPLETE" });
    await liveFor(fund, 30 * MINUTE_MS);
    expect((await changesOf(fund)).filter((change) => change.startsWith("deposit"))).toHaveLength(1);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST - costMist, pausedCause: null });
    await expectExactBooks(fund);
  });

  longTest("are closed by force-close of either", async () => {
    const { fund, rows } = await twoEpochs(3_000_000n);
    await liveFor(fund, 50 * MINUTE_MS);
    for (let calls = 0; calls < 4; calls++) {
      for (const { digest } of rows) await stub(fund).forceClose(digest);
      pass(6 * MINUTE_MS);
    }
    expect(await statesOf(fund, rows)).toEqual(UNRESOLVABLE);
    await expectExactBooks(fund);
  });
});

longTest("one host that hides the cost of a sponsorship closes nothing, and pauses no fund later", async () => {
  alterReplies(...HONEST);
  const fund = await fundOfBalance({ network: "SUI_MAINNET" });
  const executed = await sponsor(fund, "executed");
  await executeOnChain(executed);
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  alterReplies(...HONEST, ...pruned(FIRST), ...pruned(SECOND), unchanged(FIRST));
  await liveFor(fund, 100 * MINUTE_MS);
  expect(await statesOf(fund, [executed])).toEqual(["signed"]);
  alterReplies(...HONEST, ...pruned(FIRST), ...pruned(SECOND));
  await liveFor(fund, HOUR_MS);
  expect(await statesOf(fund, [executed])).toEqual(["unresolvable"]);
  expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`, `correction ${-(await costOf([executed]))}`]);
  expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
});

shortTest("two hosts that show the same balance close a sponsorship that has cost nothing", async () => {
  alterReplies(...HONEST);
  const fund = await fundOfBalance({ network: "SUI_MAINNET" });
  const abandoned = await sponsor(fund, "abandoned");
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  alterReplies(...HONEST, ...pruned(FIRST), ...pruned(SECOND));
  await liveFor(fund, 100 * MINUTE_MS);
  expect(await statesOf(fund, [abandoned])).toEqual(["unresolvable"]);
  expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`]);
});

longTest("deposits of 1 MIST keep no sponsorship open", async () => {
  const fund = await fundOfBalance();
  const executed = await sponsor(fund, "executed");
  await executeOnChain(executed);
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  alterReplies(withOurTime, ...pruned());
  await liveFor(fund, 55 * MINUTE_MS);
  for (let minutes = 0; minutes < 30; minutes += 3) {
    await give(fund.address, 1n, "address_balance");
    await liveFor(fund, 3 * MINUTE_MS);
  }
  expect(await statesOf(fund, [executed])).toEqual(["unresolvable"]);
  await expectExactBooks(fund);
});

longTest("the money of an open withdrawal is booked once, by the withdrawal", async () => {
  const fund = await fundOfBalance();
  const abandoned = await sponsor(fund, "abandoned", { gasBudgetMist: 50_000_000n });
  const lost = { method: SUBMIT, after: () => Promise.reject(new Error("the answer is lost")) };
  const hide = () => alterReplies(withOurTime, ...pruned(), lost);
  hide();
  const idempotency = { scope: "withdraw", fingerprint: "f" };
  const to = `0x${"8".repeat(64)}`;
  await stub(fund).withdraw({ to, from: "available", idempotency, amountAtoms: 10_000_000n });
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  hide();
  await liveFor(fund, 100 * MINUTE_MS);
  expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`]);
  alterReplies(withOurTime);
  await liveFor(fund, HOUR_MS);
  const [, ...others] = await changesOf(fund);
  expect(others.map((change) => change.split(" ")[0])).toEqual(["withdraw"]);
  expect(await statesOf(fund, [abandoned])).not.toEqual(["signed"]);
  await expectExactBooks(fund);
});

/** An endpoint that never shows this transaction, and shows each other one in its second look-up after a balance. */
function lagging(digest: string): readonly Alteration[] {
  const hidden = new Set([digest]);
  const shownNext = new Set<string>();
  let isBehind = false;
  const look = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const transaction of transactions) {
      const { result } = transaction;
      const found = result.oneofKind === "transaction" ? (result.transaction.digest ?? "") : "";
      if (!hidden.has(found) && (!isBehind || shownNext.has(found))) continue;
      shownNext.add(found);
      transaction.result = { oneofKind: "error", error: { code: 5, message: "", details: [] } };
    }
    isBehind = false;
  });
  const read = async () => {
    isBehind = true;
  };
  const headers = { method: null, headers: () => ({ "x-sui-lowest-available-checkpoint": "1000000000" }) };
  return [look, { method: BALANCE, after: read }, headers];
}

longTest("the cost of a young sponsorship that a look-up does not show yet is no part of a correction", async () => {
  const fund = await fundOfBalance();
  const lost = await sponsor(fund, "lost", { gasBudgetMist: 50_000_000n });
  await executeOnChain(lost);
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  alterReplies(withOurTime, ...lagging(lost.digest));
  await liveFor(fund, MINUTE_MS);
  for (let calls = 0; calls < 4; calls++) {
    await executeOnChain(await sponsor(fund, `young ${calls}`));
    await stub(fund).forceClose(lost.digest);
    await liveFor(fund, 6 * MINUTE_MS);
  }
  expect(await statesOf(fund, [lost])).toEqual(["unresolvable"]);
  const changes = (await changesOf(fund)).filter((change) => !change.startsWith("charge"));
  expect(changes).toEqual([`deposit ${SUI_MIST}`, `correction ${-(await costOf([lost]))}`]);
  await expectExactBooks(fund);
});

longTest("effects that cannot be those of a sponsorship show nothing, and keep no other one open", async () => {
  const fund = await fundOfBalance();
  const rows = [await sponsor(fund, "forged"), await sponsor(fund, "lost")];
  for (const row of rows) await executeOnChain(row);
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  const [forged] = rows;
  const forging = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const transaction of transactions) {
      const { result } = transaction;
      const shown = result.oneofKind === "transaction" ? result.transaction : undefined;
      if (shown?.digest === forged?.digest && shown?.effects?.gasUsed) shown.effects.gasUsed.computationCost = SUI_MIST;
      else transaction.result = { oneofKind: "error", error: { code: 5, message: "", details: [] } };
    }
  });
  const [, headers] = pruned();
  alterReplies(withOurTime, forging, ...(headers === undefined ? [] : [headers]));
  await liveFor(fund, 100 * MINUTE_MS);
  expect(await statesOf(fund, rows)).toEqual(UNRESOLVABLE);
  expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`, `correction ${-(await costOf(rows))}`]);
  await expectExactBooks(fund);
});

/** Counts the look-ups under way. Each of them stays until so many are, or for a while. */
function counting(count: number): Alteration & { readonly most: () => number } {
  let underWay = 0;
  let most = 0;
  const several = Promise.withResolvers<void>();
  return {
    method: LOOK_UP,
    before: async () => {
      most = Math.max(most, ++underWay);
      if (underWay >= count) several.resolve();
      await Promise.race([several.promise, sleep(200)]);
    },
    after: async () => {
      underWay -= 1;
    },
    most: () => most,
  };
}

longTest("rows that spoil their batches are looked up several at once, so that one run comes to its end", async () => {
  const fund = await fundOfBalance();
  const rows: { readonly digest: string }[] = [];
  for (let row = 0; row < 8; row++) rows.push(await sponsor(fund, `row ${row}`));
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  const unreadable = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const transaction of transactions)
      transaction.result = { oneofKind: "error", error: { code: 13, message: "", details: [] } };
  });
  alterReplies(withOurTime, unreadable);
  await liveFor(fund, 57 * MINUTE_MS);
  const counted = counting(3);
  alterReplies(withOurTime, unreadable, counted);
  await stub(fund).forceClose(rows[0]?.digest ?? "");
  expect(counted.most()).toBe(3);
});

longTest("look-ups at hosts and those of settlement share the connections of an object", async () => {
  const fund = await fundOfBalance();
  const names = Array.from({ length: 160 }, (_, index) => `row ${index}`);
  const rows = await Promise.all(names.map((name) => sponsor(fund, name, { gasBudgetMist: 3_000_000n })));
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  alterReplies(withOurTime, ...pruned());
  await liveFor(fund, 57 * MINUTE_MS);
  pass(20 * MINUTE_MS);
  const counted = counting(6);
  alterReplies(withOurTime, ...pruned(), counted);
  await Promise.all([alarm(fund), stub(fund).forceClose(rows[0]?.digest ?? "")]);
  expect(counted.most()).toBeGreaterThanOrEqual(4);
  expect(counted.most(), "the platform opens six").toBeLessThanOrEqual(5);
});

/** An endpoint that never shows this transaction. */
function hiding(digest: string): readonly Alteration[] {
  const look = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const transaction of transactions) {
      const { result } = transaction;
      if (result.oneofKind !== "transaction" || result.transaction.digest !== digest) continue;
      transaction.result = { oneofKind: "error", error: { code: 5, message: "", details: [] } };
    }
  });
  const [, headers] = pruned();
  return headers === undefined ? [look] : [look, headers];
}

longTest("a fund that is busy closes no row with missing money, and a recovery closes it exactly", async () => {
  const fund = await fundOfBalance();
  const lost = await sponsor(fund, "lost", { gasBudgetMist: 50_000_000n });
  await executeOnChain(lost);
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  alterReplies(withOurTime, ...hiding(lost.digest));
  await liveFor(fund, MINUTE_MS);
  const names = Array.from({ length: 10 }, (_, index) => `busy ${index}`);
  const held = await Promise.all(names.map((name) => sponsor(fund, name)));
  const used: { readonly digest: string }[] = [];
  // A user executes one in the middle of each reading of the balance.
  const act = async () => {
    const next = held.pop();
    if (next === undefined) return;
    used.push(next);
    await executeOnChain(next);
  };
  alterReplies(withOurTime, ...hiding(lost.digest), { method: BALANCE, after: act });
  for (let orders = 0; orders < 3; orders++) {
    await stub(fund).forceClose(lost.digest);
    expect(held, "the fund is busy").not.toEqual([]);
    pass(6 * MINUTE_MS);
  }
  expect(await statesOf(fund, [lost])).toEqual(["signed"]);
  alterReplies(withOurTime, ...hiding(lost.digest));
  await recoverFully(fund, "address_balance");
  expect(await statesOf(fund, [lost, ...used])).toEqual(["dead", ...used.map(() => "complete")]);
  const corrections = (await changesOf(fund)).filter((change) => change.startsWith("correction"));
  expect(corrections).toEqual([`correction ${-(await costOf([lost]))}`]);
  await expectExactBooks(fund);
});
