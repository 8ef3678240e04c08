import { describe, expect, test } from "vitest";
import { APT_OCTAS, aptosNodeDown, draftOf, newUser, octasOnChain, submitDraft } from "../../../support/aptos-chain.ts";
import {
  aptosWithdrawals,
  crashDuringAptos,
  expectQuiet,
  landed,
  newAptosFund,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import {
  AMOUNT_OCTAS,
  expectPaidOnce,
  liveUntilPaid,
  newRecipient,
  RESERVE_OCTAS,
  request,
  withdraw,
} from "../../../support/aptos-withdrawals.ts";
import { clearFaults } from "../../../support/sui-chain.ts";
import { crash, liveFor, MINUTE_MS, SECOND_MS, stub } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

describe("a withdrawal", () => {
  test("pays exactly its amount, and books that and its gas", async () => {
    const fund = await newAptosFund();
    const input = request(newRecipient());
    expect(await withdraw(fund, input)).toMatchObject({ ok: true, value: { state: "complete" } });
    await expectPaidOnce(fund, input);
  });

  test("takes all that is available, its gas out of what is set aside, and not one octa more", async () => {
    const fund = await newAptosFund();
    const input = request(newRecipient(), { amountAtoms: APT_OCTAS - RESERVE_OCTAS });
    const more = { ...input, amountAtoms: input.amountAtoms + 1n };
    expect(await withdraw(fund, more)).toMatchObject({
      error: { reason: "balance_too_low", details: expect.stringContaining(`${input.amountAtoms} octas`) },
    });
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    await expectPaidOnce(fund, input);
    expect(await withdraw(fund, request(newRecipient(), { amountAtoms: 1n }))).toMatchObject({
      error: { reason: "balance_too_low" },
    });
  });

  test("leaves what is promised, which still executes", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser(), { maxGasUnits: 100_000n });
    const authenticator = await sponsored(fund, draft);
    const amountAtoms = APT_OCTAS - RESERVE_OCTAS - draft.budgetOctas;
    expect(await stub(fund).view()).toMatchObject({ availableAtoms: amountAtoms });
    const input = request(newRecipient(), { amountAtoms });
    expect(await withdraw(fund, { ...input, amountAtoms: amountAtoms + 1n })).toMatchObject({
      error: { reason: "balance_too_low" },
    });
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    expect(await submitDraft(draft, fund.address, authenticator)).toBe("accepted");
    expect(await whenCommitted(draft)).toMatchObject({ success: true });
    await liveFor(fund, 5 * SECOND_MS);
    await expectPaidOnce(fund, input);
    await expectQuiet(fund);
  });

  test("to the fund itself is refused, and nothing is journaled", async () => {
    const fund = await newAptosFund();
    expect(await withdraw(fund, request(fund.address))).toMatchObject({ error: { reason: "bad_params" } });
    expect(await aptosWithdrawals(fund)).toEqual([]);
  });

  test("follows another one, with the next sequence number", async () => {
    const fund = await newAptosFund();
    const inputs = [request(newRecipient()), request(newRecipient())];
    for (const input of inputs) expect(await withdraw(fund, input)).toMatchObject({ value: { state: "complete" } });
    for (const { to } of inputs) expect(await octasOnChain(to)).toBe(AMOUNT_OCTAS);
    expect((await aptosWithdrawals(fund)).map(({ sequenceNumber }) => sequenceNumber)).toEqual([0n, 1n]);
    await expectQuiet(fund);
  });

  test("waits for its turn while another one is asked for at the same time, and both are paid", async () => {
    const fund = await newAptosFund();
    const inputs = [request(newRecipient()), request(newRecipient())];
    const outcomes = await Promise.all(inputs.map((input) => withdraw(fund, input)));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ value: { state: "complete" } });
    for (const { to } of inputs) expect(await octasOnChain(to)).toBe(AMOUNT_OCTAS);
    await expectQuiet(fund);
  });
});

describe("repeated with its key", () => {
  test("it answers the same hash and is paid once: afterwards, at the same time, after a crash, without a node", async () => {
    const fund = await newAptosFund();
    const input = request(newRecipient());
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => withdraw(fund, input)));
    expect(first).toMatchObject({ value: { state: "complete" } });
    await crash();
    others.push(await withdraw(fund, input));
    await aptosNodeDown();
    others.push(await withdraw(fund, input));
    await clearFaults();
    for (const other of others) expect(other).toEqual(first);
    await liveFor(fund, MINUTE_MS);
    await expectPaidOnce(fund, input);
  });

  test("for another amount or recipient it is a conflict, and nothing is paid", async () => {
    const fund = await newAptosFund();
    const input = request(newRecipient());
    await withdraw(fund, input);
    const other = { ...input, amountAtoms: 1n, idempotency: { ...input.idempotency, fingerprint: "another" } };
    expect(await withdraw(fund, other)).toMatchObject({ error: { reason: "idempotency_conflict" } });
    await expectPaidOnce(fund, input);
  });
});

describe("killed", () => {
  const moments = [
    ["after the journal and before the submit", "before"],
    ["after the submit and before the answer", "after"],
  ] as const;

  test.each(moments)("%s, and repeated: the hash of the journal, paid once", async (_, when) => {
    const fund = await newAptosFund();
    const input = request(newRecipient());
    await crashDuringAptos(() => withdraw(fund, input), when, "POST /transactions");
    const [journaled] = await aptosWithdrawals(fund);
    expect(journaled).toMatchObject({ state: "pending" });
    expect(await withdraw(fund, input)).toMatchObject({ value: { digest: journaled?.hash } });
    await liveUntilPaid(fund, input);
    await expectPaidOnce(fund, input);
  });

  test.each(moments)("%s, and never repeated: an alarm pays it once", async (_, when) => {
    const fund = await newAptosFund();
    const input = request(newRecipient());
    await crashDuringAptos(() => withdraw(fund, input), when, "POST /transactions");
    await liveUntilPaid(fund, input);
    await expectPaidOnce(fund, input);
  });
});

describe("collected fees", () => {
  const FEE_OCTAS = 700n;

  test("are what completed sponsorships have earned, and not an octa more; once by two calls at once", async () => {
    const fund = await newAptosFund(APT_OCTAS, { sponsorshipFeeAtoms: FEE_OCTAS });
    for (let times = 0; times < 2; times++) await landed(fund, draftOf(newUser()));
    await sponsored(fund, draftOf(newUser()));
    await liveFor(fund, 5 * SECOND_MS);
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: 2n * FEE_OCTAS });
    const fees = (amountAtoms: bigint) => request(newRecipient(), { amountAtoms, from: "fees" });
    expect(await withdraw(fund, fees(2n * FEE_OCTAS + 1n))).toMatchObject({ error: { reason: "balance_too_low" } });
    const inputs = [fees(2n * FEE_OCTAS), fees(2n * FEE_OCTAS)];
    const outcomes = await Promise.all(inputs.map((input) => withdraw(fund, input)));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: 0n });
    const paid = inputs[outcomes[0]?.ok ? 0 : 1];
    if (paid === undefined) throw new Error("nothing was paid");
    await expectPaidOnce(fund, paid);
  });

  test("are returned by what dies", async () => {
    const fund = await newAptosFund(APT_OCTAS, { sponsorshipFeeAtoms: FEE_OCTAS });
    const draft = draftOf(newUser());
    await sponsored(fund, draft);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: draft.budgetOctas + FEE_OCTAS });
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: 0n, inFlightAtoms: 0n });
    await expectQuiet(fund);
  });
});
