import { expect, vi } from "vitest";
import { READ_TIMEOUT_MS } from "../../../../shared/chain/failover.ts";
import type { WithdrawInput } from "../../../../shared/fund/engine.ts";
import { sleep } from "../../../../shared/timing.ts";
import { alterAptos, atOurTime } from "../../../byzantine-node/altered-aptos-node.ts";
import { alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import { APT_OCTAS, draftOf, giveOctas, newUser, octasOnChain } from "../../../support/aptos-chain.ts";
import { aptosSponsor, expectExactAptosBooks, newAptosFund } from "../../../support/aptos-fund.ts";
import { newRecipient } from "../../../support/aptos-withdrawals.ts";
import { expectExactBooks } from "../../../support/fund-books.ts";
import { longTest, shortCases, shortTest } from "../../../support/rounds.ts";
import { BALANCE, balanceOnChain, callsOf, give, LIST } from "../../../support/sui-chain.ts";
import {
  newFund,
  newFundWith,
  pass,
  refusalOf,
  SUI_MIST,
  stub,
  until,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

useStoppedClock();

function request(to: string, amountAtoms: bigint): WithdrawInput {
  return { to, amountAtoms, from: "available", idempotency: { scope: `operator withdraw ${to}`, fingerprint: "same" } };
}

shortCases.each([
  ["coin", "coin"],
  ["coin", "address_balance"],
  ["address_balance", "coin"],
  ["address_balance", "address_balance"],
] as const)("a withdrawal from a fund in %s mode looks for a deposit (%s) before it is refused", async (mode, form) => {
  const fund = await newFundWith({ mode });
  await give(fund.address, SUI_MIST, mode);
  await stub(fund).refresh();
  await give(fund.address, 3n * SUI_MIST, form);
  const to = newRecipient();
  expect(await stub(fund).withdraw(request(to, 2n * SUI_MIST))).toMatchObject({ value: { state: "complete" } });
  expect(await balanceOnChain(to)).toMatchObject({ totalMist: 2n * SUI_MIST });
  await expectExactBooks(fund);
});

longTest("withdrawals that are too large ask the chain for deposits at most once a second", async () => {
  const fund = await newFund(SUI_MIST);
  const tooLarge = async (index: number) =>
    expect(await stub(fund).withdraw(request(`0x${index}`.padEnd(66, "5"), 9n * SUI_MIST))).toMatchObject({
      error: { reason: "balance_too_low" },
    });
  await tooLarge(0);
  const before = await callsOf(BALANCE);
  await Promise.all([1, 2, 3, 4].map(tooLarge));
  expect(await callsOf(BALANCE)).toBe(before);
  pass(1_000);
  await Promise.all([5, 6, 7, 8].map(tooLarge));
  expect(await callsOf(BALANCE)).toBe(before + 1);
});

longTest("a withdrawal from an Aptos fund looks for a deposit before it is refused", async () => {
  const fund = await newAptosFund();
  await giveOctas(fund.address, 3n * APT_OCTAS);
  const to = newRecipient();
  expect(await stub(fund).withdraw(request(to, 2n * APT_OCTAS))).toMatchObject({ value: { state: "complete" } });
  expect(await octasOnChain(to)).toBe(2n * APT_OCTAS);
  await expectExactAptosBooks(fund);
});

shortTest("a sponsorship of an Aptos fund looks for a deposit before it is refused", async () => {
  const fund = await newAptosFund(0n);
  const draft = draftOf(newUser());
  expect(await aptosSponsor(fund, draft)).toMatchObject({ error: { reason: "balance_too_low" } });
  pass(1_000);
  await giveOctas(fund.address, APT_OCTAS);
  expect(await aptosSponsor(fund, draft)).toMatchObject({ ok: true });
});

/** The whole time of a call, to see its end soon. A question to one node keeps its own time-out. */
function shortenCalls(): void {
  const { setTimeout } = globalThis;
  const spy = vi.spyOn(globalThis, "setTimeout");
  spy.mockImplementation((handler, ms = 0) => setTimeout(handler, ms > READ_TIMEOUT_MS ? 100 : ms));
}

longTest("a withdrawal waits for a look for deposits no longer than a call may last", async () => {
  let isReleased = false;
  const before = () => until(async () => isReleased);
  const sui = await newFund(SUI_MIST);
  const aptos = await newAptosFund();
  alterReplies(withOurTime, { method: BALANCE, before });
  shortenCalls();
  const short = { error: { reason: "balance_too_low" } };
  expect(await stub(sui).withdraw(request(newRecipient(), 9n * SUI_MIST))).toMatchObject(short);
  alterAptos(atOurTime, { method: "", before });
  expect(await stub(aptos).withdraw(request(newRecipient(), 9n * APT_OCTAS))).toMatchObject(short);
  isReleased = true;
});

longTest("no two looks for deposits read the coins at once", async () => {
  const fund = await newFund(SUI_MIST);
  let reading = 0;
  let mostAtOnce = 0;
  const enter = async () => {
    reading += 1;
    mostAtOnce = Math.max(mostAtOnce, reading);
  };
  const leave = async () => {
    await sleep(20);
    reading -= 1;
  };
  alterReplies(withOurTime, { method: LIST, before: enter, after: leave });
  await Promise.all([1, 2, 3, 4, 5].map(() => stub(fund).refresh()));
  expect(mostAtOnce).toBe(1);
});

longTest("a deposit that somebody else's look has booked meanwhile counts for who is short", async () => {
  const fund = await newFund();
  await stub(fund).refresh();
  await give(fund.address, 9_000_000n);
  let refreshing: Promise<unknown> = Promise.resolve();
  // The look of the one who is short has read its listing when the other one begins.
  const meanwhile = () => {
    refreshing = stub(fund).refresh();
    return Promise.race([refreshing, sleep(1_000)]);
  };
  alterReplies(withOurTime, once(LIST, { after: meanwhile }));
  expect(await refusalOf(fund, "short")).toBe(null);
  await refreshing;
  await expectExactBooks(fund);
});
