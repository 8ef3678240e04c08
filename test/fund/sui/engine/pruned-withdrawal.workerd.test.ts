import { GrpcTypes } from "@mysten/sui/grpc";
import { expect } from "vitest";
import { type Alteration, alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ledgerOf, ownTransactions } from "../../../support/fund-books.ts";
import { recoverFully } from "../../../support/restore.ts";
import { shortTest } from "../../../support/rounds.ts";
import { gasOnChain, LOOK_UP, SUBMIT } from "../../../support/sui-chain.ts";
import { newFund, SUI_MIST, stub, type TestFund, useStoppedClock, withOurTime } from "../../../support/sui-fund.ts";
import { withdraw } from "./restored.ts";

/** The chain executes what is submitted, and the fund never gets the answer. */
const LOST: Alteration = { method: SUBMIT, after: () => Promise.reject(new Error("the answer is lost")) };
/** An endpoint that takes no transaction. */
const BUSY: Alteration = { method: SUBMIT, request: () => new Response("busy", { status: 503 }) };
/** An endpoint that has pruned the whole history. */
const PRUNED: readonly Alteration[] = [
  alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const transaction of transactions)
      transaction.result = { oneofKind: "error", error: { code: 5, message: "", details: [] } };
  }),
  { method: null, headers: () => ({ "x-sui-lowest-available-checkpoint": "1000000000" }) },
];

useStoppedClock();

/** Pays a withdrawal, as a backup has it that was made before the answer. */
async function paidAndPending(fund: TestFund): Promise<string> {
  alterReplies(withOurTime, ...PRUNED, LOST);
  const ordered = await withdraw(fund, "paid");
  if (!ordered?.ok) throw new Error("the withdrawal was refused");
  expect(ordered.value.state).toBe("pending");
  alterReplies(withOurTime, ...PRUNED);
  return ordered.value.digest;
}

shortTest("a paid withdrawal that no node shows ends a recovery of coins as unresolvable, never as dead", async () => {
  const fund = await newFund(5n * SUI_MIST);
  const digest = await paidAndPending(fund);
  await recoverFully(fund, "coin");
  expect(await ownTransactions(fund, "withdraw")).toMatchObject([{ digest, state: "unresolvable" }]);
  expect(await withdraw(fund, "paid")).toEqual({ ok: true, value: { digest, state: "unresolvable" } });
  const corrections = (await ledgerOf(fund)).filter(({ kind }) => kind === "correction");
  const correctedMist = corrections.reduce((sum, { balanceAtoms }) => sum + balanceAtoms, 0n);
  let takenMist = SUI_MIST + ((await gasOnChain(digest)) ?? 0n);
  for (const sweep of await ownTransactions(fund, "recover")) takenMist += (await gasOnChain(sweep.digest)) ?? 0n;
  expect(correctedMist).toBe(-takenMist);
  await expectExactBooks(fund);
});

shortTest("a repeat during the recovery does not take a sweep for the proof that nothing was paid", async () => {
  const fund = await newFund(5n * SUI_MIST);
  const digest = await paidAndPending(fund);
  expect(await stub(fund).recover()).toMatchObject({ value: { openReferences: 1 } });
  alterReplies(withOurTime, ...PRUNED, BUSY);
  expect(await withdraw(fund, "paid")).toEqual({ ok: true, value: { digest, state: "pending" } });
  alterReplies(withOurTime, ...PRUNED);
  await recoverFully(fund, "coin");
  expect(await withdraw(fund, "paid")).toEqual({ ok: true, value: { digest, state: "unresolvable" } });
});
