import { describe, expect, test } from "vitest";
import { RECOVERING, STATE_BEHIND_CHAIN } from "../../../../shared/fund/views.ts";
import { alterAptos, atOurTime, onceAt } from "../../../byzantine-node/altered-aptos-node.ts";
import { draftOf, giveOctas, newUser, octasOnChain, submitDraft } from "../../../support/aptos-chain.ts";
import {
  aptosLedgerOf,
  aptosSponsor,
  expectQuiet,
  granted,
  landed,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { AMOUNT_OCTAS, newRecipient, request, withdraw } from "../../../support/aptos-withdrawals.ts";
import { copyOf, putBack } from "../../../support/restore.ts";
import { longTest, shortTest, variants } from "../../../support/rounds.ts";
import { HOUR_MS, KEY_ID, liveByAlarmsFor, MINUTE_MS, stopClock, stub } from "../../../support/sui-fund.ts";
import {
  executeMany,
  expectPausedByItself,
  newFundToRestore,
  recover,
  recoverAndTry,
  restoreAfter,
  signaturesOut,
  useClockOfChain,
} from "./restored.ts";

useClockOfChain();

test.each(variants([1, 4], 2))(
  "a copy of %i sponsorships ago: the fund pauses by itself, and recovers exactly",
  async (count) => {
    const fund = await newFundToRestore();
    await executeMany(fund, 1);
    const forgotten = await restoreAfter(fund, await copyOf(fund), count);
    await stub(fund).refresh();
    await expectPausedByItself(fund);
    const { correctionAtoms, evidence } = await recoverAndTry(fund, forgotten);
    expect(correctionAtoms).toBeLessThan(0n);
    expect(evidence).toContain("no row of the fund knows");
    const kinds = (await aptosLedgerOf(fund)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "correction")).toHaveLength(1);
    expect(kinds).not.toContain("adjustment");
    await landed(fund, draftOf(newUser()));
    await giveOctas(fund.address, 7n);
    await stub(fund).refresh();
    expect((await aptosLedgerOf(fund)).at(-1)).toMatchObject({ kind: "deposit", balanceAtoms: 7n });
    await expectQuiet(fund);
  },
);

shortTest("a forgotten signature that executes while the fund is closed is in the correction", async () => {
  const fund = await newFundToRestore();
  const copy = await copyOf(fund);
  const [late] = await signaturesOut(fund, 1, 60);
  await putBack(fund, copy);
  if (late === undefined) throw new Error("no signature is out");
  await recover(fund);
  expect(await submitDraft(late.draft, fund.address, late.authenticator)).toBe("accepted");
  await whenCommitted(late.draft);
  const { correctionAtoms } = await recoverAndTry(fund, []);
  expect(correctionAtoms).toBeLessThan(0n);
});

longTest(
  "a copy of before a withdrawal: its key never pays again by itself, and the operator's word ends that",
  async () => {
    const fund = await newFundToRestore();
    const first = request(newRecipient());
    const earlier = request(newRecipient());
    const { digest: earlierDigest } = granted(await withdraw(fund, earlier));
    const copy = await copyOf(fund);
    const { digest } = granted(await withdraw(fund, first));
    await putBack(fund, copy);

    expect(await withdraw(fund, first)).toMatchObject({ error: { reason: "fund_paused" } });
    expect(await stub(fund).view()).toMatchObject({
      pausedCause: STATE_BEHIND_CHAIN,
      recovery: { evidence: expect.stringContaining("sequence number is 2") },
    });
    const recovered = await recoverAndTry(fund, []);
    expect(recovered).toMatchObject({ forgottenPayments: [digest], withdrawals: "unconfirmed" });

    expect(await withdraw(fund, earlier)).toMatchObject({ value: { digest: earlierDigest, state: "complete" } });
    const refused = await withdraw(fund, first);
    expect(refused).toMatchObject({
      error: { reason: "recovery_unconfirmed", details: expect.stringContaining(digest) },
    });
    expect(await octasOnChain(first.to)).toBe(AMOUNT_OCTAS);

    const other = request(newRecipient());
    expect(await withdraw(fund, other)).toMatchObject({ error: { reason: "recovery_unconfirmed" } });
    const confirmed = { ...other, confirmed: { to: other.to, amountAtoms: other.amountAtoms } };
    expect(await withdraw(fund, confirmed)).toMatchObject({ value: { state: "complete" } });
    expect(await withdraw(fund, other)).toMatchObject({ value: { state: "complete" } });
    expect(await octasOnChain(other.to)).toBe(AMOUNT_OCTAS);

    expect(await stub(fund).confirmWithdrawals()).toMatchObject({ value: { withdrawals: "confirmed" } });
    const free = request(newRecipient());
    expect(await withdraw(fund, free)).toMatchObject({ value: { state: "complete" } });
    await expectQuiet(fund);
  },
);

// An Aptos fund has one balance. So there is no refill and no recycling that a copy could have forgotten.
longTest(
  "a copy of before a revoke: no forgotten signature executes, and its key has to be revoked again",
  async () => {
    const fund = await newFundToRestore();
    const copy = await copyOf(fund);
    await executeMany(fund, 1);
    const forgotten = await signaturesOut(fund, 2);
    expect(await stub(fund).revoke(KEY_ID)).toMatchObject({ irrevocable: 2 });
    expect(await aptosSponsor(fund, draftOf(newUser()))).toMatchObject({ error: { reason: "bad_key" } });
    await putBack(fund, copy);
    await recoverAndTry(fund, forgotten);
    await landed(fund, draftOf(newUser()));
    await stub(fund).revoke(KEY_ID);
    expect(await aptosSponsor(fund, draftOf(newUser()))).toMatchObject({ error: { reason: "bad_key" } });
  },
);

longTest("each step of a recovery goes on in another instance, and an operator's pause lasts", async () => {
  const fund = await newFundToRestore();
  const copy = await copyOf(fund);
  await executeMany(fund, 1);
  await putBack(fund, copy);
  await stub(fund).update({ paused: true });
  await recover(fund);
  await stub(fund).update({ paused: false });
  expect(await stub(fund).view()).toMatchObject({ pausedCause: RECOVERING });
  await stub(fund).update({ paused: true });
  await liveByAlarmsFor(fund, HOUR_MS + 10 * MINUTE_MS);
  expect(await stub(fund).view()).toMatchObject({ pausedCause: "operator", recovery: { state: "done" } });
  await expectQuiet(fund);
  expect(await aptosSponsor(fund, draftOf(newUser()))).toMatchObject({ error: { reason: "fund_paused" } });
});

describe("an operator's pause during an awaited answer of a recovery's step lasts", () => {
  longTest.each([
    ["closing", "GET /"],
    ["adopting", "GET /accounts/"],
  ])("%s", async (_, method) => {
    // Ahead of the platform's clock, only this test runs the alarms. Its crashes then end no step.
    stopClock();
    const fund = await newFundToRestore();
    const causes: unknown[] = [];
    const after = async () => causes.push((await stub(fund).update({ paused: true }))?.pausedCause);
    alterAptos(atOurTime, onceAt(method, { after }));
    await recover(fund);
    await liveByAlarmsFor(fund, HOUR_MS + 10 * MINUTE_MS);
    expect(causes, "the operator paused while the fund recovered").toEqual([RECOVERING]);
    expect(await stub(fund).view()).toMatchObject({ pausedCause: "operator", recovery: { state: "done" } });
  });
});
