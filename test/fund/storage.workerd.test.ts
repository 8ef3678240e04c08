import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { STORAGE_FAILED } from "../../shared/errors.ts";
import { alterReplies, once } from "../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ownTransactions, statesOf } from "../support/fund-books.ts";
import { SUBMIT } from "../support/sui-chain.ts";
import {
  execute,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundOfCoins,
  pass,
  platformStub,
  prepare,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  until,
  useStoppedClock,
  withOurTime,
} from "../support/sui-fund.ts";

useStoppedClock();

/** The disk fails at the fund's next commit, when everything is decided and written: the rows are rolled back. */
function failNextCommit(fund: TestFund): Promise<void> {
  return runInDurableObject(platformStub(fund), (_, { storage }) => {
    const commit = storage.transactionSync.bind(storage);
    storage.transactionSync = (transition) => {
      storage.transactionSync = commit;
      return commit(() => {
        transition();
        throw new Error("SQLITE_FULL: database or disk is full");
      });
    };
  });
}

let ended: object | null = null;

/** How a call fails. The instance then has to end itself, and the fund to start anew. */
async function failureOf(fund: TestFund, call: () => Promise<unknown>): Promise<string> {
  await runInDurableObject(platformStub(fund), (instance) => {
    ended = instance;
  });
  const failure = await call().then(
    (answer) => JSON.stringify(answer),
    (error) => String(error),
  );
  await until(() => runInDurableObject(platformStub(fund), (instance) => instance !== ended).catch(() => false));
  return failure;
}

describe("a commit that fails once the transition has decided ends the instance", () => {
  test("a sponsorship: nothing was handed out, nothing is held, and the next call starts from the disk", async () => {
    const fund = await newFundOfCoins(3);
    const before = await stub(fund).view();
    await failNextCommit(fund);
    expect(await failureOf(fund, () => sponsor(fund, "lost"))).toContain('"reason":"storage"');
    expect(await stub(fund).view()).toEqual(before);
    expect(await stub(fund).sponsorships({ limit: 10, cursor: null })).toMatchObject({ items: [] });
    await expectExactBooks(fund);
    await executeOnChain(await sponsor(fund, "afterwards"));
    await liveFor(fund, 2 * SECOND_MS);
    await expectExactBooks(fund);
  });

  test("an approval: nothing was signed, and the call can be repeated", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "prepared");
    await failNextCommit(fund);
    expect(await failureOf(fund, () => execute(fund, prepared))).toContain('"reason":"storage"');
    expect(await statesOf(fund, [prepared])).toEqual(["prepared"]);
    expect(await execute(fund, prepared)).toMatchObject({ value: { execution: { success: true } } });
    await expectExactBooks(fund);
  });

  test("the booking of an execution: the chain has it, and an alarm books it", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "executed");
    alterReplies(withOurTime, once(SUBMIT, { before: () => failNextCommit(fund) }));
    const failure = await failureOf(fund, () => execute(fund, prepared));
    expect(failure, "something was sent").not.toContain(STORAGE_FAILED);
    expect(await statesOf(fund, [prepared])).toEqual(["signed"]);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await statesOf(fund, [prepared])).toEqual(["complete"]);
    await expectExactBooks(fund);
  });

  test("an alarm: what it was about is still due, and the next one does it", async () => {
    const fund = await newFundOfCoins(3);
    const sponsored = await sponsor(fund, "executed");
    await executeOnChain(sponsored);
    pass(2 * SECOND_MS);
    await failNextCommit(fund);
    await failureOf(fund, () => runDurableObjectAlarm(platformStub(fund)));
    expect(await statesOf(fund, [sponsored])).toEqual(["signed"]);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [sponsored])).toEqual(["complete"]);
    await expectExactBooks(fund);
  });

  test("the journal of a withdrawal: nothing was signed, and the same key pays once", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const idempotency = { scope: "operator withdraw", fingerprint: "f" };
    const input = { to: `0x${"9".repeat(64)}`, amountAtoms: 1_000n, from: "available", idempotency } as const;
    await failNextCommit(fund);
    expect(await failureOf(fund, async () => await stub(fund).withdraw(input))).toContain(STORAGE_FAILED);
    expect(await ownTransactions(fund, "withdraw")).toEqual([]);
    expect(await stub(fund).withdraw(input)).toMatchObject({ value: { state: "complete" } });
    await expectExactBooks(fund);
  });

  test("a change of its settings: the old ones hold", async () => {
    const fund = await newFundOfCoins(3);
    const before = await stub(fund).view();
    await failNextCommit(fund);
    expect(
      await failureOf(fund, async () => await stub(fund).update({ paused: true, policy: { maxGasBudget: 1n } })),
    ).toContain(STORAGE_FAILED);
    expect(await stub(fund).view()).toEqual(before);
    await sponsor(fund, "not paused");
  });
});
