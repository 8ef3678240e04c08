import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { afterEach, expect, vi } from "vitest";
import { alteration, alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, onDisk } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { callsOf, LOOK_UP, orderFault, orderLag, SUBMIT, submitToChain } from "../../../support/sui-chain.ts";
import {
  alarm,
  crash,
  execute,
  executeOnChain,
  HOUR_MS,
  newFundOfCoins,
  pass,
  prepare,
  SECOND_MS,
  sponsor,
  stateOf,
  stub,
  type TestFund,
  until,
  user,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";
import { execution } from "../../simulation/rows.ts";

const DAY_MS = 24 * HOUR_MS;
const LAG_MS = 1_000;
const REPEATS = 1_000;
const AT_ONCE = 50;

useStoppedClock();
afterEach(() => orderLag(0));

function keptAnswers(fund: TestFund): Promise<number> {
  return onDisk(fund, (_, sql) => sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM kept_answer").one().count);
}

/** Alarms every few seconds of a day would take minutes: the one at its end does what is due. */
async function alarmAfter(fund: TestFund, ms: number): Promise<void> {
  pass(ms);
  await alarm(fund);
}

longTest(
  "a thousand repeats against a chain that lags by a second have the same answer, from the fund's own row",
  async () => {
    const fund = await newFundOfCoins(1);
    const prepared = await prepare(fund, "again and again");
    await orderLag(LAG_MS);
    const first = await execute(fund, prepared);
    expect(first).toMatchObject({ ok: true, value: { execution: { success: true } } });
    if (first.ok) expect(first.value.execution.balanceChanges.length).toBeGreaterThan(0);
    // The chain forgets how often it was asked when it has not been asked for ten seconds.
    let asked = 0;
    const counted = (method: string) => ({
      method,
      request: () => {
        asked += 1;
        return null;
      },
    });
    alterReplies(withOurTime, counted(SUBMIT), counted(LOOK_UP));
    for (let repeat = 0; repeat < REPEATS; repeat += AT_ONCE) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => execute(fund, prepared)));
      for (const answer of answers) expect(answer).toEqual(first);
      expect(await stub(fund).status(prepared.digest)).toEqual({ ok: true, value: "COMPLETE" });
    }
    expect(asked, "no node is asked").toBe(0);
    await crash();
    // The chain has lost its lag too.
    await orderLag(LAG_MS);
    expect(await execute(fund, prepared)).toEqual(first);
  },
);

shortTest("calls of one execution at once are one submission, and have one answer", async () => {
  const fund = await newFundOfCoins(1);
  const prepared = await prepare(fund, "at once");
  const before = await callsOf(SUBMIT);
  const answers = await Promise.all(Array.from({ length: 10 }, () => execute(fund, prepared)));
  expect(answers[0]).toMatchObject({ ok: true });
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(await callsOf(SUBMIT)).toBe(before + 1);
});

/**
 * The next signature is verified as slowly as some schemes are: only once it is released. The test and the fund share no
 * promise. The runtime crashes now and then if one object resolves what another one awaits.
 */
function holdNextVerification() {
  const { subtle } = crypto;
  const honest = subtle.verify.bind(subtle);
  const held = { isReached: false, isReleased: false };
  vi.spyOn(subtle, "verify").mockImplementationOnce(async (...args) => {
    held.isReached = true;
    await until(async () => held.isReleased);
    return honest(...args);
  });
  return {
    reached: () => until(async () => held.isReached),
    release: async () => {
      held.isReleased = true;
    },
  };
}

shortTest(
  "of two calls of one execution, the slower one never hears that the node has refused what the other has sent",
  async () => {
    const fund = await newFundOfCoins(1);
    const prepared = await prepare(fund, "slow and fast");
    await orderLag(LAG_MS);
    await orderFault(SUBMIT, "drop_after_commit");
    await orderFault(SUBMIT, "stale_version");
    const held = holdNextVerification();
    const slow = execute(fund, prepared);
    await held.reached();
    // The faster one has sent it and had no answer: what the slower one sends is refused.
    alterReplies(withOurTime, once(LOOK_UP, { before: held.release }));
    const fast = execute(fund, prepared);
    const answers = await Promise.all([slow, fast]);
    for (const answer of answers) expect(answer).toMatchObject({ ok: true, value: { execution: { success: true } } });
    await orderLag(0);
    await expectExactBooks(fund);
  },
);

shortTest("a sponsorship that ended while a signature was verified is told as it ended", async () => {
  const fund = await newFundOfCoins(1);
  const prepared = await prepare(fund, "given up meanwhile");
  const held = holdNextVerification();
  const slow = execute(fund, prepared);
  await held.reached();
  await orderFault(SUBMIT, "stale_version");
  expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "node_refused" } });
  await until(async () => (await stateOf(fund, prepared.digest)) === "expired");
  const submitted = await callsOf(SUBMIT);
  await held.release();
  expect(await slow).toMatchObject({ error: { reason: "outcome_unknown", data: { digest: prepared.digest } } });
  expect(await callsOf(SUBMIT), "nothing more is sent").toBe(submitted);
});

longTest(
  "a caller that waits for the checkpoint hears of it and of nothing else, and so does every repeat after",
  async () => {
    const fund = await newFundOfCoins(1);
    const prepared = await prepare(fund, "seen");
    await orderLag(LAG_MS);
    const shownLess = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
      for (const { result } of transactions)
        if (result.oneofKind === "transaction") result.transaction.balanceChanges = [];
    });
    alterReplies(withOurTime, shownLess);
    const waited = await execute(fund, prepared, { waitForLocalExecution: true });
    if (!waited.ok) throw new Error(waited.error.details);
    const { execution } = waited.value;
    expect(waited.value.confirmedLocalExecution).toBe(true);
    expect(execution.checkpoint).not.toBeNull();
    expect(execution.balanceChanges.length).toBeGreaterThan(0);
    expect(await execute(fund, prepared)).toMatchObject({ ok: true, value: { execution } });
  },
);

longTest(
  "what its user has executed first is answered whole: with the balance changes that a node's repeat leaves out",
  async () => {
    const fund = await newFundOfCoins(1);
    const sponsored = await sponsor(fund, "by the user");
    await orderLag(LAG_MS);
    const { signature } = await user.signTransaction(sponsored.txBytes);
    expect(await submitToChain(sponsored.txBytes, [signature, sponsored.signature])).toBe("executed");
    const executed = await execute(fund, sponsored);
    if (!executed.ok) throw new Error(executed.error.details);
    expect(executed.value.execution.balanceChanges.length).toBeGreaterThan(0);
    expect(await execute(fund, sponsored)).toEqual(executed);
  },
);

longTest("what a status call has settled is answered whole, too", async () => {
  const fund = await newFundOfCoins(1);
  const sponsored = await sponsor(fund, "settled");
  await executeOnChain(sponsored);
  expect(await stub(fund).status(sponsored.digest)).toEqual({ ok: true, value: "COMPLETE" });
  const executed = await execute(fund, sponsored);
  if (!executed.ok) throw new Error(executed.error.details);
  expect(executed.value.execution.balanceChanges.length).toBeGreaterThan(0);
});

longTest("an answer is dropped after its day, and the chain answers a later repeat the same", async () => {
  const fund = await newFundOfCoins(2);
  const early = await prepare(fund, "early");
  const first = await execute(fund, early);
  if (!first.ok) throw new Error(first.error.details);
  pass(DAY_MS / 2);
  const late = await prepare(fund, "late");
  await execute(fund, late);
  expect(await keptAnswers(fund)).toBe(2);
  await alarmAfter(fund, DAY_MS / 2 + SECOND_MS);
  expect(await keptAnswers(fund)).toBe(1);
  const { checkpoint, timestampMs, ...effects } = first.value.execution;
  expect(await execute(fund, early)).toMatchObject({ ok: true, value: { execution: effects } });
  await alarmAfter(fund, DAY_MS + SECOND_MS);
  expect(await keptAnswers(fund)).toBe(0);
  await expectExactBooks(fund);
});

longTest(
  "what is kept has a bound: the oldest answers give way, and one that is too large is looked up instead",
  async () => {
    const fund = await newFundOfCoins(1);
    const event = { packageId: "0x2", module: "m", sender: "0x5", eventType: "0x2::m::E", json: null };
    const nowMs = Date.now();
    const answer = (serial: number, bytes: number) =>
      execution(toBase58(Uint8Array.from({ length: 32 }, (_, index) => (index < 2 ? serial >> (8 * index) : 1))), {
        events: [{ ...event, contents: new Uint8Array(bytes) }],
      });
    const kept = await onDisk(fund, ({ answers }, sql) => {
      for (let serial = 0; serial < 1_200; serial++) answers.keep(answer(serial, 60_000), nowMs + serial);
      answers.keep(answer(5_000, 70_000), nowMs);
      return {
        oldest: answers.get(answer(0, 0).digest),
        newest: answers.get(answer(1_199, 0).digest) !== null,
        tooLarge: answers.get(answer(5_000, 0).digest),
        bytes: sql.exec<{ bytes: number }>("SELECT SUM(bytes) AS bytes FROM kept_answer").one().bytes,
      };
    });
    expect(kept).toMatchObject({ oldest: null, newest: true, tooLarge: null });
    expect(kept.bytes).toBeLessThanOrEqual(64 * 1_024 * 1_024);
  },
);
