import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect } from "vitest";
import { alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, sponsorshipOf, statesOf } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { balanceOnChain, gasOnChain, LOOK_UP, nextEpoch, orderFault, SUBMIT } from "../../../support/sui-chain.ts";
import {
  crash,
  execute,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  pass,
  prepare,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  termsOf,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

/** `google.rpc.Code.NOT_FOUND`. */
const NOT_FOUND = 5;

useStoppedClock();

shortTest("after a restart, a new epoch and another price, the first bytes handed out execute", async () => {
  const fund = await newFund(5n * SUI_MIST);
  await crash();
  await nextEpoch(2_000n);
  pass(6 * MINUTE_MS);
  const first = await sponsor(fund, "first");
  expect(termsOf(first)).toEqual({ priceMist: 2_000n, expirationEpoch: 2n });
  await executeOnChain(first);
  const prepared = await prepare(fund, "second");
  expect(await execute(fund, prepared)).toMatchObject({ value: { execution: { success: true } } });
  await liveFor(fund, 2 * SECOND_MS);
  expect(await statesOf(fund, [first, prepared])).toEqual(["complete", "complete"]);
  expect((await sponsorshipOf(fund, first)).chargedAtoms).toBe(await gasOnChain(first.digest));
  await expectExactBooks(fund);
});

longTest("what was handed out before an epoch ended executes within its hour", async () => {
  const fund = await newFund(SUI_MIST);
  const signed = await sponsor(fund, "signed");
  const prepared = await prepare(fund, "prepared");
  await nextEpoch();
  pass(9 * MINUTE_MS);
  expect(await execute(fund, prepared)).toMatchObject({ value: { execution: { success: true } } });
  pass(50 * MINUTE_MS);
  expect(await submitAsUser(signed)).toBe("executed");
  expect(await stub(fund).status(signed.digest)).toEqual({ ok: true, value: "COMPLETE" });
  await expectExactBooks(fund);
});

longTest(
  "a price that rises after the hand-out: the submit fails, the status ends INVALID, and nothing is lost",
  async () => {
    const fund = await newFund(5n * SUI_MIST);
    const signed = await sponsor(fund, "signed");
    const prepared = await prepare(fund, "prepared");
    await nextEpoch(3_000n);
    expect(await execute(fund, prepared)).toMatchObject({
      error: { reason: "node_refused", details: expect.stringMatching(/gas price/i) },
    });
    expect(await submitAsUser(signed)).toMatch(/gas price/i);
    expect(await stub(fund).status(signed.digest)).toEqual({ ok: true, value: "IN_FLIGHT" });
    pass(HOUR_MS);
    for (const { digest } of [signed, prepared])
      expect(await stub(fund).status(digest)).toEqual({ ok: true, value: "INVALID" });
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [signed, prepared])).toEqual(["dead", "dead"]);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
    await expectExactBooks(fund);
    await executeOnChain(await sponsor(fund, "at the new price"));
  },
);

shortTest("what an epoch has ended for is dead without a transaction of the fund's", async () => {
  const fund = await newFund(SUI_MIST);
  const abandoned = await sponsor(fund, "abandoned");
  const { balanceAtoms } = (await stub(fund).view()) ?? {};
  await nextEpoch();
  await nextEpoch();
  pass(HOUR_MS);
  await liveFor(fund, MINUTE_MS);
  expect(await statesOf(fund, [abandoned])).toEqual(["dead"]);
  expect(await stub(fund).view()).toMatchObject({ balanceAtoms, inFlightAtoms: 0n });
  expect(await submitAsUser(abandoned)).toMatch(/expired/i);
  await expectExactBooks(fund);
});

describe("executed, and the node remembers the transaction no more: once its last epoch is over, its coins tell", () => {
  const forgetful = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, (reply) => {
    const error = { code: NOT_FOUND, message: "pruned", details: [] };
    for (const transaction of reply.transactions) transaction.result = { oneofKind: "error", error };
  });

  longTest("a sponsorship is complete, at what is missing from its coin", async () => {
    const fund = await newFund(SUI_MIST);
    const sponsored = await sponsor(fund, "executed");
    await executeOnChain(sponsored);
    alterReplies(withOurTime, forgetful);
    pass(HOUR_MS);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [sponsored]), "while it may only lag").toEqual(["expired"]);
    await nextEpoch();
    await nextEpoch();
    pass(5 * MINUTE_MS);
    await liveFor(fund, 6 * MINUTE_MS);
    const chargedAtoms = await gasOnChain(sponsored.digest);
    expect(await sponsorshipOf(fund, sponsored)).toMatchObject({ state: "complete", chargedAtoms });
    await expectExactBooks(fund);
  });

  longTest("a withdrawal is complete, and never paid again", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const to = `0x${"a".repeat(64)}`;
    const idempotency = { scope: "operator withdraw", fingerprint: "f" };
    const input = { to, amountAtoms: SUI_MIST / 5n, from: "available", idempotency } as const;
    await orderFault(SUBMIT, "drop_after_commit");
    expect(await stub(fund).withdraw(input)).toMatchObject({ value: { state: "pending" } });
    alterReplies(withOurTime, forgetful);
    await orderFault(SUBMIT, "unavailable_before_commit", 1_000);
    await nextEpoch();
    await liveFor(fund, 3 * MINUTE_MS);
    expect(await stub(fund).withdraw(input)).toMatchObject({ value: { state: "complete" } });
    expect(await balanceOnChain(to)).toMatchObject({ totalMist: SUI_MIST / 5n });
    await expectExactBooks(fund);
  });
});
