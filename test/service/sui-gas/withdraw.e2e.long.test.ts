import { expect, test } from "vitest";
import { advance, newFund, setServiceVars } from "../../harness/harness.ts";
import { SIMULATE, upstreamCalls } from "../../support/chain-control.ts";
import { expectReconciled, figuresOf, ledgerOf, suiOf, withdraw, withdrawn } from "../../support/operator.ts";
import { BUDGET, fundWithKey, newUser, sponsor, status, submitSponsored } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const AMOUNT_MIST = 1_000_000n;

const newAddress = () => newUser().toSuiAddress();

async function withdrawalsOf(fundId: string) {
  return (await ledgerOf(fundId)).filter(({ kind }) => kind === "withdraw");
}

test("what is available is paid out once, however often it is asked for with its key, also after a restart", async () => {
  const fund = await newFund();
  const [to, other] = [newAddress(), newAddress()];
  const payout = { to, amountMist: AMOUNT_MIST };
  const together = await Promise.all([1, 2, 3].map(() => withdrawn(fund.fundId, payout, "payout")));
  const [first] = together;
  if (first === undefined) throw new Error("no answer");
  expect(together).toEqual(together.map(() => ({ digest: first.digest, state: "complete" })));
  expect(await suiOf(to)).toBe(AMOUNT_MIST);

  await advance(0);
  expect(await withdrawn(fund.fundId, payout, "payout")).toEqual(first);
  for (const another of [
    { ...payout, amountMist: AMOUNT_MIST + 1n },
    { ...payout, to: other },
    { ...payout, from: "fees" as const },
  ])
    expect(await withdraw(fund.fundId, another, "payout")).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("Idempotency-Key") },
    });
  expect([await suiOf(to), await suiOf(other)]).toEqual([AMOUNT_MIST, 0n]);

  expect((await withdrawn(fund.fundId, payout, "another payout")).digest).not.toBe(first.digest);
  expect(await suiOf(to)).toBe(2n * AMOUNT_MIST);
  expect(await withdrawalsOf(fund.fundId)).toHaveLength(2);
  await expectReconciled(fund);
});

test("without a key, above what is available, to itself, or of nothing, nothing is paid", async () => {
  const fund = await newFund();
  const to = newAddress();
  const { available } = await figuresOf(fund.fundId);
  const keyless = await withdraw(fund.fundId, { to, amountMist: AMOUNT_MIST });
  expect(keyless).toMatchObject({ status: 400, body: { detail: expect.stringContaining("send an Idempotency-Key") } });

  const refusals = [
    [{ to, amountMist: available + 1n }, 422, `at most ${available} MIST can be withdrawn`],
    [{ to: fund.depositAddress, amountMist: AMOUNT_MIST }, 422, "to itself"],
    [{ to, amountMist: 1n, from: "fees" as const }, 422, "at most 0 MIST of fees"],
    [{ to, amountMist: 0n }, 400, "has invalid fields"],
    [{ to: "0x", amountMist: AMOUNT_MIST }, 400, "has invalid fields"],
  ] as const;
  for (const [payout, status, detail] of refusals)
    expect(await withdraw(fund.fundId, payout, "refused"), detail).toMatchObject({
      status,
      body: { detail: expect.stringContaining(detail) },
    });
  expect(await suiOf(to)).toBe(0n);
  expect(await withdrawalsOf(fund.fundId)).toEqual([]);
  // A refusal uses no key up.
  expect(await withdrawn(fund.fundId, { to, amountMist: AMOUNT_MIST }, "refused")).toMatchObject({ state: "complete" });
});

test("with WITHDRAW_ADDRESSES a fund pays out to these only, however they are written", async () => {
  const fund = await newFund();
  const [stranger, treasury, vault] = [newAddress(), newAddress(), `0x${"0".repeat(60)}beef`];
  try {
    await setServiceVars({ WITHDRAW_ADDRESSES: `${treasury.toUpperCase().replace("0X", "0x")} 0xbeef` });
    expect(await withdraw(fund.fundId, { to: stranger, amountMist: AMOUNT_MIST }, "stranger")).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("WITHDRAW_ADDRESSES") },
    });
    await withdrawn(fund.fundId, { to: treasury, amountMist: AMOUNT_MIST }, "treasury");
    const before = await suiOf(vault);
    await withdrawn(fund.fundId, { to: "0xBEEF", amountMist: AMOUNT_MIST }, "vault");
    expect(await suiOf(vault)).toBe(before + AMOUNT_MIST);
  } finally {
    await setServiceVars({ WITHDRAW_ADDRESSES: "" });
  }
  expect([await suiOf(stranger), await suiOf(treasury)]).toEqual([0n, AMOUNT_MIST]);
});

test("while all coins are held it waits for them, is paid from those that come back, and lets callers wait behind it", async () => {
  const fund = await fundWithKey(2);
  const user = newUser();
  const to = newAddress();
  const kind = await mintKind();
  const lend = () => sponsor(fund.key, kind, user.toSuiAddress(), BUDGET);
  const [first, second] = await Promise.all([lend(), lend()]);
  const payout = { to, amountMist: AMOUNT_MIST };
  const looks = async () => (await upstreamCalls())[SIMULATE] ?? 0;
  const before = await looks();
  let paid = false;
  const paying = withdrawn(fund.fundId, payout, "under load").finally(() => {
    paid = true;
  });
  // The fund has looked for coins in vain, and waits for them: the caller comes after the withdrawal.
  await expect.poll(looks, { timeout: 60_000, interval: 20 }).toBeGreaterThan(before);
  const waiting = lend();
  expect(paid).toBe(false);
  await submitSponsored(user, first);
  expect(await status(fund.key, first.txDigest)).toBe("COMPLETE");
  expect(await paying).toMatchObject({ state: "complete" });
  expect(await suiOf(to)).toBe(AMOUNT_MIST);
  for (const sponsored of [await waiting, second]) {
    await submitSponsored(user, sponsored);
    expect(await status(fund.key, sponsored.txDigest)).toBe("COMPLETE");
  }
  expect(await withdrawn(fund.fundId, payout, "under load")).toEqual(await paying);
  expect(await suiOf(to)).toBe(AMOUNT_MIST);
  await expectReconciled(fund);
});
