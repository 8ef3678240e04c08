import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../../shared/errors.ts";
import type { Withdrawal, WithdrawInput } from "../../../../shared/fund/engine.ts";
import { ABOUT_WITHDRAWAL_GAS } from "../../../../shared/fund/withdrawal-gas.ts";
import { NO_LIMITS } from "../../../../shared/policy/fund-policy-defaults.ts";
import { coinsOf, expectExactBooks, ledgerOf, ownTransactions } from "../../../support/fund-books.ts";
import {
  balanceOnChain,
  callsOf,
  clearFaults,
  DRY_RUN,
  gasOnChain,
  give,
  nextEpoch,
  nodeDown,
  orderFault,
  SUBMIT,
} from "../../../support/sui-chain.ts";
import {
  crash,
  crashDuring,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  until,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const AMOUNT_MIST = SUI_MIST / 4n;
let recipients = 0;

useStoppedClock();

/** An address that has nothing yet. */
function newRecipient(): string {
  recipients += 1;
  return `0x${recipients.toString(16).padStart(64, "7")}`;
}

function request(to: string, terms: Partial<WithdrawInput> = {}): WithdrawInput {
  const idempotency = { scope: `operator withdraw ${to}`, fingerprint: "the same" };
  return { to, amountAtoms: AMOUNT_MIST, from: "available", idempotency, ...terms };
}

async function withdraw(fund: TestFund, input: WithdrawInput): Promise<Outcome<Withdrawal>> {
  const outcome = await stub(fund).withdraw(input);
  if (outcome === null) throw new Error("there is no such fund");
  return outcome;
}

async function expectPaidOnce(fund: TestFund, { to, amountAtoms: amountMist }: WithdrawInput): Promise<void> {
  expect(await balanceOnChain(to)).toMatchObject({ totalMist: amountMist });
  const rows = (await ledgerOf(fund)).filter(({ kind }) => kind === "withdraw");
  expect(rows).toHaveLength(1);
  const gasMist = (await gasOnChain(rows[0]?.reference ?? "")) ?? 0n;
  expect(rows[0]?.balanceAtoms).toBe(-amountMist - gasMist);
  await expectExactBooks(fund);
}

describe("a withdrawal", () => {
  test("pays exactly its amount, and books that and its gas", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const input = request(newRecipient());
    expect(await withdraw(fund, input)).toMatchObject({ ok: true, value: { state: "complete" } });
    await expectPaidOnce(fund, input);
  });

  test("takes all that is available, its gas out of what is set aside, and not one MIST more", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const { availableAtoms: amountMist = 0n } = (await stub(fund).view()) ?? {};
    const input = request(newRecipient(), { amountAtoms: amountMist });
    expect(await withdraw(fund, { ...input, amountAtoms: amountMist + 1n })).toMatchObject({
      error: { reason: "balance_too_low" },
    });
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    await expectPaidOnce(fund, input);
    expect(await withdraw(fund, request(newRecipient(), { amountAtoms: 1n }))).toMatchObject({
      error: { reason: "balance_too_low" },
    });
  });

  test("leaves what live sponsorships may cost, and they still execute", async () => {
    const fund = await newFundWith({ policy: NO_LIMITS }, 3n * SUI_MIST);
    const sponsored = await sponsor(fund, "live", { gasBudgetMist: SUI_MIST / 10n });
    const { availableAtoms: availableMist = 0n, balanceAtoms: balanceMist = 0n } = (await stub(fund).view()) ?? {};
    expect(availableMist).toBe(balanceMist - SUI_MIST / 10n - 150_000_000n);
    expect(await withdraw(fund, request(newRecipient(), { amountAtoms: availableMist + 1n }))).toMatchObject({
      error: { reason: "balance_too_low" },
    });
    const input = request(newRecipient(), { amountAtoms: SUI_MIST });
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    await executeOnChain(sponsored);
    await liveFor(fund, 2 * SECOND_MS);
    await expectPaidOnce(fund, input);
  });

  test("refuses the fund's own address, and holds nothing", async () => {
    const fund = await newFund(SUI_MIST);
    expect(await withdraw(fund, request(fund.address))).toMatchObject({ error: { reason: "bad_params" } });
    expect(await ownTransactions(fund, "withdraw")).toEqual([]);
    await expectExactBooks(fund);
  });

  test("of all that a small fund has is refused at once: no coin could pay its gas. The refusal says how much can be sent", async () => {
    const fund = await newFund(SUI_MIST);
    const { availableAtoms: amountMist = 0n } = (await stub(fund).view()) ?? {};
    const refused = await withdraw(fund, request(newRecipient(), { amountAtoms: amountMist }));
    expect(refused).toMatchObject({
      error: { reason: "balance_too_low", details: expect.stringContaining("withdraw less") },
    });
    const [, mostMist = "0"] = /at most (\d+) MIST/.exec(refused.ok ? "" : refused.error.details) ?? [];
    expect(amountMist - BigInt(mostMist)).toBeLessThan(ABOUT_WITHDRAWAL_GAS.sui);
    expect(await withdraw(fund, request(newRecipient(), { amountAtoms: BigInt(mostMist) }))).toMatchObject({
      ok: true,
    });
    await expectExactBooks(fund);
  });
});

describe("repeated with its key", () => {
  test("it answers the same digest and is paid once", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const input = request(newRecipient());
    const first = await withdraw(fund, input);
    expect(await withdraw(fund, input)).toEqual(first);
    await crash();
    expect(await withdraw(fund, input)).toEqual(first);
    await expectPaidOnce(fund, input);
  });

  test("at the same time, it answers the same digest and is paid once", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const input = request(newRecipient());
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => withdraw(fund, input)));
    expect(first).toMatchObject({ value: { state: "complete" } });
    for (const other of others) expect(other).toEqual(first);
    await expectPaidOnce(fund, input);
  });

  test("for another amount or recipient it is a conflict, and nothing is paid", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const input = request(newRecipient());
    await withdraw(fund, input);
    const other = { ...input, amountMist: 1n, idempotency: { ...input.idempotency, fingerprint: "another" } };
    expect(await withdraw(fund, other)).toMatchObject({ error: { reason: "idempotency_conflict" } });
    await expectPaidOnce(fund, input);
  });

  test("a refusal is not kept: the same key may try again", async () => {
    const fund = await newFund(SUI_MIST / 5n);
    const input = request(newRecipient());
    expect(await withdraw(fund, input)).toMatchObject({ error: { reason: "balance_too_low" } });
    await give(fund.address, 3n * SUI_MIST);
    await stub(fund).refresh();
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    await expectPaidOnce(fund, input);
  });
});

describe("killed", () => {
  const moments = [
    ["after the journal and before the submit", "before"],
    ["after the submit and before the answer", "after"],
  ] as const;

  test.each(moments)("%s, and repeated: the digest of the journal, paid once", async (_, moment) => {
    const fund = await newFund(3n * SUI_MIST);
    const input = request(newRecipient());
    await crashDuring(() => withdraw(fund, input), moment, SUBMIT);
    const [journaled] = await ownTransactions(fund, "withdraw");
    expect(journaled).toMatchObject({ state: "pending" });
    expect(await withdraw(fund, input)).toEqual({ ok: true, value: { digest: journaled?.digest, state: "complete" } });
    await expectPaidOnce(fund, input);
  });

  test.each(moments)("%s, and never repeated: an alarm pays it once", async (_, moment) => {
    const fund = await newFund(3n * SUI_MIST);
    const input = request(newRecipient());
    await crashDuring(() => withdraw(fund, input), moment, SUBMIT);
    await liveFor(fund, MINUTE_MS);
    await expectPaidOnce(fund, input);
  });
});

describe("without an answer", () => {
  test.each(["unavailable_before_commit", "drop_after_commit"] as const)(
    "%s: pending, then paid once by an alarm",
    async (mode) => {
      const fund = await newFund(3n * SUI_MIST);
      const input = request(newRecipient());
      const { availableAtoms: availableMist = 0n } = (await stub(fund).view()) ?? {};
      await orderFault(SUBMIT, mode);
      expect(await withdraw(fund, input)).toMatchObject({ value: { state: "pending" } });
      expect(await stub(fund).view(), "it is on its way").toMatchObject({
        availableAtoms: availableMist - AMOUNT_MIST,
      });
      await liveFor(fund, MINUTE_MS);
      await expectPaidOnce(fund, input);
    },
  );

  test("it dies with its epoch, which the chain has to prove, and its key pays nothing any more", async () => {
    const fund = await newFund(3n * SUI_MIST);
    const input = request(newRecipient());
    await orderFault(SUBMIT, "unavailable_before_commit", 1_000);
    const first = await withdraw(fund, input);
    expect(first).toMatchObject({ value: { state: "pending" } });
    await nextEpoch();
    await nodeDown();
    await liveFor(fund, MINUTE_MS);
    expect(await ownTransactions(fund, "withdraw"), "an epoch that nobody has seen proves nothing").toMatchObject([
      { state: "pending" },
    ]);
    await clearFaults();
    await liveFor(fund, 3 * MINUTE_MS);
    expect(await ownTransactions(fund, "withdraw")).toMatchObject([{ state: "dead" }]);
    await expectExactBooks(fund);
    const { digest } = first.ok ? first.value : { digest: "" };
    expect(await withdraw(fund, input)).toEqual({ ok: true, value: { digest, state: "dead" } });
    expect(await balanceOnChain(input.to)).toMatchObject({ totalMist: 0n });
    await expectExactBooks(fund);
    const another = { ...input, idempotency: { ...input.idempotency, scope: "another key" } };
    expect(await withdraw(fund, another)).toMatchObject({ value: { state: "complete" } });
    await expectPaidOnce(fund, input);
  });
});

describe("while all coins are held", () => {
  test("it waits eight seconds, then refuses and holds nothing", async () => {
    const fund = await newFundWith({ policy: NO_LIMITS }, 3n * SUI_MIST);
    await lendHalfOfEverything(fund);
    const { availableAtoms: amountMist = 0n } = (await stub(fund).view()) ?? {};
    const withdrawing = withdraw(fund, request(newRecipient(), { amountAtoms: amountMist }));
    await looked(2);
    pass(8 * SECOND_MS - 1);
    await looked(2);
    pass(1);
    expect(await withdrawing).toMatchObject({ error: { reason: "no_gas_object" } });
    expect(await ownTransactions(fund, "withdraw")).toEqual([]);
    await expectExactBooks(fund);
    await sponsor(fund, "lending goes on", { gasBudgetMist: 2_000_000n });
  });

  test("it is paid as soon as enough of them come back, and nothing new is lent meanwhile", async () => {
    const fund = await newFundWith({ policy: NO_LIMITS }, 3n * SUI_MIST);
    const lent = await lendHalfOfEverything(fund);
    const input = request(newRecipient(), { amountAtoms: SUI_MIST });
    const withdrawing = withdraw(fund, input);
    await looked(2);
    pass(3 * SECOND_MS);
    await looked(1);
    const sponsoring = sponsor(fund, "meanwhile", { gasBudgetMist: 2_000_000n });
    for (const sponsored of lent) {
      await executeOnChain(sponsored);
      await stub(fund).status(sponsored.digest);
    }
    expect(await withdrawing).toMatchObject({ value: { state: "complete" } });
    await sponsoring;
    await expectPaidOnce(fund, input);
  });

  /** Budgets that lock coins of twice their size, so that half of what is held remains available. */
  async function lendHalfOfEverything(fund: TestFund) {
    const lent = [];
    for (;;) {
      const free = (await coinsOf(fund)).filter(({ state, maintenance }) => state === "free" && !maintenance);
      const largest = free.sort((a, b) => Number(b.balanceMist - a.balanceMist))[0];
      if (largest === undefined || largest.balanceMist < 20_000_000n) return lent;
      lent.push(await sponsor(fund, `lent ${lent.length}`, { gasBudgetMist: largest.balanceMist / 2n + 1n }));
    }
  }

  /** It has looked for coins so many times more. */
  async function looked(times: number): Promise<void> {
    const before = await callsOf(DRY_RUN);
    await until(async () => (await callsOf(DRY_RUN)) >= before + times);
  }
});

describe("collected fees", () => {
  const FEE_MIST = 700n;

  test("are what the completed sponsorships have earned, and not a MIST more", async () => {
    const fund = await newFundWith({ sponsorshipFeeAtoms: FEE_MIST }, 3n * SUI_MIST);
    for (const name of ["a", "b", "c"]) await executeOnChain(await sponsor(fund, name));
    await sponsor(fund, "still live");
    await liveFor(fund, 5 * SECOND_MS);
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: 3n * FEE_MIST });
    const fees = (amountMist: bigint) => request(newRecipient(), { amountAtoms: amountMist, from: "fees" });
    expect(await withdraw(fund, fees(3n * FEE_MIST + 1n))).toMatchObject({ error: { reason: "balance_too_low" } });
    const input = fees(3n * FEE_MIST);
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: 0n });
    expect(await withdraw(fund, fees(1n))).toMatchObject({ error: { reason: "balance_too_low" } });
    await expectPaidOnce(fund, input);
  });

  test("cannot be collected twice by two calls at once, nor while one is on its way", async () => {
    const fund = await newFundWith({ sponsorshipFeeAtoms: FEE_MIST }, 3n * SUI_MIST);
    await executeOnChain(await sponsor(fund, "executed"));
    await liveFor(fund, 5 * SECOND_MS);
    const fees = () => request(newRecipient(), { amountAtoms: FEE_MIST, from: "fees" });
    await orderFault(SUBMIT, "unavailable_before_commit");
    const outcomes = await Promise.all([withdraw(fund, fees()), withdraw(fund, fees())]);
    outcomes.push(await withdraw(fund, fees()));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    await liveFor(fund, MINUTE_MS);
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: 0n });
    await expectExactBooks(fund);
  });
});
