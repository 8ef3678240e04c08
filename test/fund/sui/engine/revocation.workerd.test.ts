import { describe, expect } from "vitest";
import { alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ledgerOf, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { clearFaults, gasOnChain, LOOK_UP, nodeDown, orderFault, STALE, SUBMIT } from "../../../support/sui-chain.ts";
import {
  crash,
  crashDuring,
  execute,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundOfCoins,
  pass,
  prepare,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const LEAKED = "key_00000000000000000001";
const OTHER = "key_00000000000000000002";
const NOTHING = { revoked: 0, tooLate: 0, irrevocable: 0, pending: 0 };

useStoppedClock();

function leak(fund: TestFund, count: number) {
  return Promise.all(Array.from({ length: count }, (_, index) => sponsor(fund, `leaked ${index}`, { keyId: LEAKED })));
}

describe("after a key is revoked", () => {
  shortTest("none of its signatures executes, except those that the chain had first", async () => {
    const fund = await newFund(5n * SUI_MIST);
    const leaked = await leak(fund, 20);
    const [first, second, ...rest] = leaked;
    if (first === undefined || second === undefined) throw new Error("nothing was sponsored");
    await executeOnChain(first);
    await executeOnChain(second);
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, revoked: 18, tooLate: 2 });
    for (const sponsored of rest) expect(await submitAsUser(sponsored)).toMatch(STALE);
    expect(await statesOf(fund, [first, second])).toEqual(["complete", "complete"]);
    expect(new Set(await statesOf(fund, rest))).toEqual(new Set(["dead"]));
    await expectExactBooks(fund);
    const [recycle] = await ownTransactions(fund, "recycle");
    const rows = (await ledgerOf(fund)).filter(({ kind }) => kind === "recycle");
    expect(rows).toHaveLength(18);
    for (const { keyId } of rows) expect(keyId).toBe(LEAKED);
    expect(-rows.reduce((sum, { balanceAtoms: balanceMist }) => sum + balanceMist, 0n)).toBe(
      await gasOnChain(recycle?.digest ?? ""),
    );
  });

  shortTest("what was only prepared is freed at no cost, and can be approved no more", async () => {
    const fund = await newFundOfCoins(5);
    const prepared = await prepare(fund, "prepared", { keyId: LEAKED });
    const { balanceAtoms } = (await stub(fund).view()) ?? {};
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, revoked: 1 });
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms, inFlightAtoms: 0n });
    expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "sponsorship_expired" } });
    expect(await ownTransactions(fund, "recycle")).toEqual([]);
    await expectExactBooks(fund);
  });

  longTest("sponsorships of other keys are untouched", async () => {
    const fund = await newFundOfCoins(5);
    await leak(fund, 2);
    const signed = await sponsor(fund, "signed", { keyId: OTHER });
    const prepared = await prepare(fund, "prepared", { keyId: OTHER });
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, revoked: 2 });
    expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    await executeOnChain(signed);
    await liveFor(fund, 2 * SECOND_MS);
    expect(await statesOf(fund, [signed, prepared])).toEqual(["complete", "complete"]);
    await expectExactBooks(fund);
  });

  longTest("a second revocation finds nothing left, also while the first is at work", async () => {
    const fund = await newFundOfCoins(5);
    const leaked = await leak(fund, 3);
    await orderFault(LOOK_UP, "delay", 1, 500);
    const both = await Promise.all([stub(fund).revoke(LEAKED), stub(fund).revoke(LEAKED)]);
    expect(both).toEqual([
      { ...NOTHING, revoked: 3 },
      { ...NOTHING, revoked: 3 },
    ]);
    expect(await ownTransactions(fund, "recycle")).toHaveLength(1);
    expect(await stub(fund).revoke(LEAKED)).toEqual(NOTHING);
    expect(new Set(await statesOf(fund, leaked))).toEqual(new Set(["dead"]));
    await expectExactBooks(fund);
  });

  longTest("a user who executes between its look-up and its submit is too late for it", async () => {
    const fund = await newFundOfCoins(5);
    const leaked = await leak(fund, 3);
    const [late] = leaked;
    if (late === undefined) throw new Error("nothing was sponsored");
    alterReplies(withOurTime, once(SUBMIT, { before: () => executeOnChain(late) }));
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, revoked: 2, tooLate: 1 });
    expect(await statesOf(fund, leaked)).toEqual(["complete", "dead", "dead"]);
    await expectExactBooks(fund);
  });
});

shortTest("a revoked key is lent nothing more, also after a restart, until it is reinstated", async () => {
  const fund = await newFundOfCoins(5);
  await leak(fund, 1);
  await stub(fund).revoke(LEAKED);
  expect(await refusalOf(fund, "admitted before, comes after", { keyId: LEAKED })).toBe("bad_key");
  await crash();
  expect(await refusalOf(fund, "after a restart", { keyId: LEAKED })).toBe("bad_key");
  expect(await refusalOf(fund, "of another key", { keyId: OTHER })).toBe(null);
  await stub(fund).unrevokeKey(LEAKED);
  expect(await refusalOf(fund, "reinstated", { keyId: LEAKED })).toBe(null);
});

describe("where it cannot be finished at once, it is pending, and alarms finish it", () => {
  shortTest("no node answers", async () => {
    const fund = await newFundOfCoins(5);
    const leaked = await leak(fund, 3);
    await nodeDown();
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, pending: 3 });
    await liveFor(fund, 5 * MINUTE_MS);
    await clearFaults();
    await liveFor(fund, MINUTE_MS);
    expect(new Set(await statesOf(fund, leaked))).toEqual(new Set(["dead"]));
    await expectExactBooks(fund);
  });

  longTest.each([
    ["the node goes away before the submit", SUBMIT, "unavailable_before_commit"],
    ["the node goes away after the submit", SUBMIT, "drop_after_commit"],
  ] as const)("%s", async (_, method, mode) => {
    const fund = await newFundOfCoins(5);
    const leaked = await leak(fund, 3);
    await orderFault(method, mode);
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, pending: 3 });
    await liveFor(fund, MINUTE_MS);
    expect(new Set(await statesOf(fund, leaked))).toEqual(new Set(["dead"]));
    expect(await ownTransactions(fund, "recycle")).toMatchObject([{ state: "complete" }]);
    await expectExactBooks(fund);
  });

  longTest("a node that looks nothing up still recycles: what moves the coins needs no look-up", async () => {
    const fund = await newFundOfCoins(5);
    const leaked = await leak(fund, 3);
    await orderFault(LOOK_UP, "unavailable", 1_000);
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, revoked: 3 });
    await clearFaults();
    expect(new Set(await statesOf(fund, leaked))).toEqual(new Set(["dead"]));
    await expectExactBooks(fund);
  });

  longTest.each([
    ["before", LOOK_UP],
    ["before", SUBMIT],
    ["after", SUBMIT],
  ] as const)("the fund crashes %s its %s", async (moment, method) => {
    const fund = await newFundOfCoins(5);
    const leaked = await leak(fund, 3);
    await crashDuring(() => stub(fund).revoke(LEAKED), moment, method);
    await liveFor(fund, MINUTE_MS);
    expect(new Set(await statesOf(fund, leaked))).toEqual(new Set(["dead"]));
    expect(await ownTransactions(fund, "recycle")).toMatchObject([{ state: "complete" }]);
    await expectExactBooks(fund);
  });

  longTest("asked again, it goes on where it stands", async () => {
    const fund = await newFundOfCoins(5);
    await leak(fund, 3);
    await nodeDown();
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, pending: 3 });
    await clearFaults();
    expect(await stub(fund).revoke(LEAKED)).toEqual({ ...NOTHING, revoked: 3 });
    await expectExactBooks(fund);
  });
});

shortTest("a whole fund is paused by its revocation, and sponsors again when the operator says so", async () => {
  const fund = await newFundOfCoins(5);
  const leaked = await leak(fund, 2);
  const other = await sponsor(fund, "of another key", { keyId: OTHER });
  expect(await stub(fund).revoke(null)).toEqual({ ...NOTHING, revoked: 3 });
  expect(await stub(fund).view()).toMatchObject({ pausedCause: "revoked", inFlightAtoms: 0n });
  for (const sponsored of [...leaked, other]) expect(await submitAsUser(sponsored)).toMatch(STALE);
  pass(MINUTE_MS);
  expect(await stub(fund).update({ paused: false })).toMatchObject({ pausedCause: null });
  await sponsor(fund, "afterwards");
  await expectExactBooks(fund);
});
