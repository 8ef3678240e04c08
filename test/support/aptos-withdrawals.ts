import { expect } from "vitest";
import type { Outcome } from "../../shared/errors.ts";
import type { Withdrawal, WithdrawInput } from "../../shared/fund/engine.ts";
import { APT_OCTAS, committedAs, newUser, octasOnChain } from "./aptos-chain.ts";
import { aptosLedgerOf, expectExactAptosBooks } from "./aptos-fund.ts";
import { liveFor, MINUTE_MS, SECOND_MS, stub, type TestFund, until } from "./sui-fund.ts";

export const AMOUNT_OCTAS = APT_OCTAS / 4n;
export const RESERVE_OCTAS = 2_000_000n;

export function request(to: string, terms: Partial<WithdrawInput> = {}): WithdrawInput {
  const idempotency = { scope: `operator withdraw ${to}`, fingerprint: "the same" };
  return { to, amountAtoms: AMOUNT_OCTAS, from: "available", idempotency, ...terms };
}

/** An address that has nothing yet. */
export const newRecipient = () => newUser().address;

export async function withdraw(fund: TestFund, input: WithdrawInput): Promise<Outcome<Withdrawal>> {
  const outcome = await stub(fund).withdraw(input);
  if (outcome === null) throw new Error("there is no such fund");
  return outcome;
}

/**
 * Lets the fund work until it has booked a payment. A block takes real time, in which the stopped clock could pass all
 * look-ups. So the clock goes on once the chain has paid.
 */
export async function liveUntilPaid(fund: TestFund, { to, amountAtoms: amountOctas }: WithdrawInput): Promise<void> {
  await liveFor(fund, 10 * SECOND_MS);
  await until(async () => (await octasOnChain(to)) === amountOctas);
  await liveFor(fund, MINUTE_MS);
}

export async function expectPaidOnce(fund: TestFund, { to, amountAtoms: amountOctas }: WithdrawInput): Promise<void> {
  expect(await octasOnChain(to)).toBe(amountOctas);
  const rows = (await aptosLedgerOf(fund)).filter(({ kind }) => kind === "withdraw");
  expect(rows).toHaveLength(1);
  const { chargedOctas = 0n } = (await committedAs(rows[0]?.reference ?? "")) ?? {};
  expect(rows[0]?.balanceAtoms).toBe(-amountOctas - chargedOctas);
  await expectExactAptosBooks(fund);
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
}
