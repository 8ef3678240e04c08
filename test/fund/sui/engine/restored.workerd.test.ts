import { expect, test } from "vitest";
import { NO_LIMITS } from "../../../../shared/policy/fund-policy-defaults.ts";
import { alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ownTransactions } from "../../../support/fund-books.ts";
import { copyOf, putBack, recoverFully } from "../../../support/restore.ts";
import { describeVariants, shortTest } from "../../../support/rounds.ts";
import {
  balanceOnChain,
  DRY_RUN,
  give,
  LOOK_UP,
  nextEpoch,
  orderFault,
  SUBMIT,
  setInputWait,
} from "../../../support/sui-chain.ts";
import {
  liveFor,
  MINUTE_MS,
  newFundWith,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";
import { executeMany, MODES, newFundToRestore, OUTSIDE, withdraw } from "./restored.ts";

useStoppedClock();

const paidMist = async () => (await balanceOnChain(OUTSIDE)).totalMist;

/** What the fund has done between the copy and the forgotten withdrawal. */
const before: Readonly<Record<string, (fund: TestFund) => Promise<unknown>>> = {
  "nothing else": async () => {},
  "an executed sponsorship": (fund) => executeMany(fund, 1),
  "an open sponsorship": (fund) => sponsor(fund, "open"),
};

describeVariants(MODES, 2, "a fund that pays by %s", (mode) => {
  test.each(Object.entries(before))(
    "pays no withdrawal again that a copy of before %s has forgotten",
    async (_, act) => {
      const fund = await newFundToRestore(mode);
      const copy = await copyOf(fund);
      const hadMist = await paidMist();
      await act(fund);
      expect(await withdraw(fund, "forgotten")).toMatchObject({ value: { state: "complete" } });
      await putBack(fund, copy);
      const reason = mode === "coin" ? "fund_paused" : "node_unavailable";
      for (let attempt = 0; attempt < 2; attempt += 1)
        expect(await withdraw(fund, "forgotten")).toMatchObject({ error: { reason } });
      expect((await paidMist()) - hadMist).toBe(SUI_MIST);
    },
  );

  test("asks for the operator's word before it pays under a key that its recovered state does not know", async () => {
    const fund = await newFundToRestore(mode);
    const earlier = await withdraw(fund, "earlier");
    const copy = await copyOf(fund);
    await withdraw(fund, "forgotten");
    await putBack(fund, copy);
    await recoverFully(fund, mode);
    expect(await withdraw(fund, "earlier")).toEqual(earlier);
    const hadMist = await paidMist();
    for (const scope of ["forgotten", "other"])
      expect(await withdraw(fund, scope)).toMatchObject({ error: { reason: "recovery_unconfirmed" } });
    const confirmed = { to: OUTSIDE, amountAtoms: SUI_MIST };
    const wrong = { ...confirmed, amountAtoms: 1n };
    expect(await withdraw(fund, "other", wrong)).toMatchObject({ error: { reason: "recovery_unconfirmed" } });
    expect((await paidMist()) - hadMist).toBe(0n);
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await withdraw(fund, "other", confirmed)).toMatchObject({ value: { state: "complete" } });
    expect((await paidMist()) - hadMist).toBe(SUI_MIST);
    expect(await stub(fund).confirmWithdrawals()).toMatchObject({ value: { withdrawals: "confirmed" } });
    expect(await withdraw(fund, "free")).toMatchObject({ value: { state: "complete" } });
    await expectExactBooks(fund);
  });
});

shortTest("a recovery names the forgotten withdrawals of a fund of coins, with amount and receiver", async () => {
  const fund = await newFundToRestore("coin");
  const copy = await copyOf(fund);
  const first = await withdraw(fund, "forgotten");
  await executeMany(fund, 1);
  const second = await withdraw(fund, "forgotten later");
  await putBack(fund, copy);
  await recoverFully(fund, "coin");
  const digests = [first, second].map((paid) => (paid?.ok ? paid.value.digest : ""));
  const recovery = (await stub(fund).view())?.recovery;
  const { forgottenTransactions = [] } = recovery ?? {};
  expect(recovery).toMatchObject({ forgottenPayments: digests, isForgottenComplete: true });
  const paid = forgottenTransactions.filter(({ to }) => to !== null);
  expect(paid).toEqual(digests.map((digest) => ({ digest, amountAtoms: SUI_MIST, to: OUTSIDE })));
  const kept = forgottenTransactions.filter(({ to }) => to === null);
  expect(kept.every(({ amountAtoms }) => amountAtoms === 0n)).toBe(true);
  const refused = await withdraw(fund, "forgotten");
  expect(refused).toMatchObject({ error: { reason: "recovery_unconfirmed", data: { forgottenPayments: digests } } });
});

/** A fund of coins that has forgotten a withdrawal. @returns the digest of that withdrawal too. */
async function withForgottenWithdrawal() {
  const fund = await newFundToRestore("coin");
  const copy = await copyOf(fund);
  const paid = await withdraw(fund, "forgotten");
  await putBack(fund, copy);
  return { fund, digest: paid?.ok ? paid.value.digest : "" };
}

/** Look-ups that a node refuses, so many times. */
function busyLookUps(times: number) {
  let left = times;
  const request = () => {
    if (left <= 0) return null;
    left -= 1;
    return new Response("busy", { status: 503 });
  };
  return { method: LOOK_UP, request };
}

shortTest("a node that fails once while a recovery looks back hides no forgotten withdrawal", async () => {
  const { fund, digest } = await withForgottenWithdrawal();
  alterReplies(withOurTime, busyLookUps(1));
  await recoverFully(fund, "coin");
  const { recovery } = (await stub(fund).view()) ?? {};
  expect(recovery).toMatchObject({ forgottenPayments: [digest], isForgottenComplete: true });
});

shortTest(
  "a recovery waits for nodes that cannot look back, then goes on and says that its list may lack some",
  async () => {
    const { fund } = await withForgottenWithdrawal();
    alterReplies(withOurTime, busyLookUps(Number.POSITIVE_INFINITY));
    expect(await stub(fund).recover()).toMatchObject({
      value: { state: "running", waitingFor: "a node that shows the fund's last transactions" },
    });
    await recoverFully(fund, "coin");
    const { recovery } = (await stub(fund).view()) ?? {};
    expect(recovery).toMatchObject({ forgottenPayments: [], isForgottenComplete: false });
  },
);

shortTest("a withdrawal that took another coin than one held since the copy is not paid again", async () => {
  const fund = await newFundWith({}, (3n * SUI_MIST) / 2n);
  await give(fund.address, (3n * SUI_MIST) / 2n);
  await stub(fund).refresh();
  const copy = await copyOf(fund);
  const hadMist = await paidMist();
  await sponsor(fund, "held");
  expect(await withdraw(fund, "forgotten")).toMatchObject({ value: { state: "complete" } });
  await putBack(fund, copy);
  expect(await withdraw(fund, "forgotten")).toMatchObject({ error: { reason: "fund_paused" } });
  expect((await paidMist()) - hadMist).toBe(SUI_MIST);
});

shortTest("a withdrawal is not paid again if a coin of the copy has gone into the address balance since", async () => {
  await setInputWait(0);
  const fund = await newFundWith({ mode: "address_balance", policy: NO_LIMITS });
  await give(fund.address, 20n * SUI_MIST);
  alterReplies(withOurTime, { method: DRY_RUN, request: () => new Response("busy", { status: 503 }) });
  await stub(fund).refresh();
  const copy = await copyOf(fund);
  alterReplies(withOurTime);
  await liveFor(fund, MINUTE_MS);
  const hadMist = await paidMist();
  expect(await withdraw(fund, "forgotten")).toMatchObject({ value: { state: "complete" } });
  await putBack(fund, copy);
  // In the same epoch, a repeat may be the same transaction.
  await nextEpoch();
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await withdraw(fund, "forgotten")).toMatchObject({ error: { reason: "node_unavailable" } });
  expect((await paidMist()) - hadMist).toBe(SUI_MIST);
});

shortTest("a conversion whose answer was lost holds up no withdrawal", async () => {
  await setInputWait(0);
  const fund = await newFundWith({ mode: "address_balance", policy: NO_LIMITS });
  await give(fund.address, 5n * SUI_MIST, "address_balance");
  await stub(fund).refresh();
  await give(fund.address, 20n * SUI_MIST);
  await orderFault(SUBMIT, "drop_after_commit");
  await stub(fund).refresh();
  expect(await ownTransactions(fund, "convert")).toMatchObject([{ state: "pending" }]);
  expect(await withdraw(fund, "beside it")).toMatchObject({ value: { state: "complete" } });
  await expectExactBooks(fund);
});

shortTest("a coin that no node shows is named with the step that ends it, and nothing is paid", async () => {
  await setInputWait(0);
  const fund = await newFundWith({ mode: "address_balance", policy: NO_LIMITS });
  await give(fund.address, 5n * SUI_MIST, "address_balance");
  await stub(fund).refresh();
  await give(fund.address, 20n * SUI_MIST);
  await orderFault(SUBMIT, "drop_after_commit");
  await stub(fund).refresh();
  const [{ digest = "" } = {}] = await ownTransactions(fund, "convert");
  const hadMist = await paidMist();
  const busy = (method: string) => ({ method, request: () => new Response("busy", { status: 503 }) });
  alterReplies(withOurTime, busy(SUBMIT), busy(LOOK_UP));
  const details = expect.stringMatching(`no node shows the fund's coin 0x[0-9a-f]{64}: .*force-close for ${digest},`);
  expect(await withdraw(fund, "refused")).toMatchObject({ error: { reason: "node_unavailable", details } });
  expect(await paidMist()).toBe(hadMist);
});
