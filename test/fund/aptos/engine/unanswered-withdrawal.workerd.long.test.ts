import { describe, expect, test } from "vitest";
import { alterAptos, ledgerAt } from "../../../byzantine-node/altered-aptos-node.ts";
import { APT_OCTAS, octasOnChain, orderFault, SUBMIT } from "../../../support/aptos-chain.ts";
import {
  aptosWithdrawals,
  expectQuiet,
  granted,
  newAptosFund,
  useStoppedAptosClock,
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
import { clearFaults, holdConsensus } from "../../../support/sui-chain.ts";
import { liveFor, MINUTE_MS, stub } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

describe("a withdrawal", () => {
  test("is refused while another one is under way, and its money is not available meanwhile", async () => {
    const fund = await newAptosFund();
    const first = request(newRecipient());
    await holdConsensus(true);
    expect(await withdraw(fund, first)).toMatchObject({ value: { state: "pending" } });
    expect(await stub(fund).view()).toMatchObject({ availableAtoms: APT_OCTAS - RESERVE_OCTAS - AMOUNT_OCTAS });
    expect(await withdraw(fund, request(newRecipient()))).toMatchObject({ error: { reason: "sequence_conflict" } });
    await holdConsensus(false);
    await liveUntilPaid(fund, first);
    await expectPaidOnce(fund, first);
  });
});

describe("without an answer", () => {
  test.each(["unavailable_before_commit", "drop_after_commit"] as const)("%s: paid once", async (mode) => {
    const fund = await newAptosFund();
    const input = request(newRecipient());
    await orderFault(SUBMIT, mode);
    granted(await withdraw(fund, input));
    await liveUntilPaid(fund, input);
    await expectPaidOnce(fund, input);
  });

  test("it dies by a ledger that is past its expiration alone, and its key pays nothing any more", async () => {
    const fund = await newAptosFund();
    const input = request(newRecipient());
    await orderFault(SUBMIT, "unavailable_before_commit", 1_000);
    const first = await withdraw(fund, input);
    expect(first).toMatchObject({ value: { state: "pending" } });
    const [{ expiresAtMs } = { expiresAtMs: 0 }] = await aptosWithdrawals(fund);
    alterAptos(ledgerAt(() => expiresAtMs - 1));
    await liveFor(fund, 10 * MINUTE_MS);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ state: "pending" }]);
    alterAptos(ledgerAt(() => expiresAtMs));
    await liveFor(fund, MINUTE_MS);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ state: "dead" }]);
    await expectQuiet(fund);
    await clearFaults();
    alterAptos(ledgerAt(() => Date.now()));
    expect(await withdraw(fund, input)).toMatchObject({ value: { state: "dead", digest: granted(first).digest } });
    expect(await octasOnChain(input.to)).toBe(0n);
    const another = request(input.to, { idempotency: { scope: "operator withdraw anew", fingerprint: "the same" } });
    expect(await withdraw(fund, another)).toMatchObject({ value: { state: "complete" } });
    await expectPaidOnce(fund, another);
  });
});
