import { expect, test } from "vitest";
import { advance, gasResult, newFund, newKey } from "../../harness/harness.ts";
import {
  expectReconciled,
  figuresOf,
  ledgerOf,
  patchFund,
  suiOf,
  withdraw,
  withdrawn,
} from "../../support/operator.ts";
import {
  BUDGET,
  BUDGET_MIST,
  newUser,
  prepare,
  signatureOf,
  sponsor,
  sponsorshipRows,
  submitSponsored,
} from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { executedSchema } from "./responses.ts";

const FEE_MIST = 300_000n;
const COMPLETED = 4;
/** After the hour, and the time in which a fund waits for late users and for company. */
const RECYCLED_AFTER_MS = 3_600_000 + 45_000;
const SOON_MS = 60_000;

test("fees are withheld with the budget, earned at COMPLETE, returned where nothing was executed, and collected to the MIST", async () => {
  const fund = await newFund();
  const { key } = await newKey(fund);
  const { fundId } = fund;
  const user = newUser();
  const sender = user.toSuiAddress();
  const kind = await mintKind();
  const free = await sponsor(key, kind, sender, BUDGET);
  expect((await figuresOf(fundId)).inFlight).toBe(BUDGET_MIST);

  expect((await patchFund(fundId, { sponsorshipFee: FEE_MIST.toString() })).sponsorshipFee).toBe(FEE_MIST);
  const before = await figuresOf(fundId);
  const abandoned = await sponsor(key, kind, sender, BUDGET);
  const unsigned = await prepare(key, kind, sender, BUDGET);
  const held = await figuresOf(fundId);
  expect(held.inFlight).toBe(3n * BUDGET_MIST + 2n * FEE_MIST);
  expect(held.available).toBe(before.available - 2n * (BUDGET_MIST + FEE_MIST));

  const completed: string[] = [];
  for (let index = 0; index < COMPLETED; index += 2) {
    const sponsored = await sponsor(key, kind, sender, BUDGET);
    await submitSponsored(user, sponsored);
    const prepared = await prepare(key, kind, sender, BUDGET);
    const params = [prepared.txDigest, await signatureOf(user, prepared)];
    await gasResult(key, "gas_executeTransactionBlock", params, executedSchema);
    completed.push(sponsored.txDigest, prepared.txDigest);
  }
  await submitSponsored(user, free);
  const earnedMist = BigInt(COMPLETED) * FEE_MIST;

  // Without the fee: what was promised before it was set owes none. Nobody asks for any status.
  await advance(RECYCLED_AFTER_MS);
  await expect.poll(async () => (await figuresOf(fundId)).inFlight, { timeout: SOON_MS }).toBe(0n);
  const rows = await sponsorshipRows(fundId);
  expect(Object.fromEntries(rows.map(({ digest, state, fee }) => [digest, { state, fee }]))).toEqual({
    ...Object.fromEntries(completed.map((digest) => [digest, { state: "complete", fee: FEE_MIST.toString() }])),
    [free.txDigest]: { state: "complete", fee: "0" },
    [abandoned.txDigest]: { state: "dead", fee: FEE_MIST.toString() },
    [unsigned.txDigest]: { state: "dead", fee: FEE_MIST.toString() },
  });
  const after = await figuresOf(fundId);
  expect(after.accruedFees).toBe(earnedMist);
  expect(after.available).toBe(after.balance - after.maintenanceReserve - earnedMist);

  const to = newUser().toSuiAddress();
  const collect = { to, from: "fees" } as const;
  expect(await withdraw(fundId, { ...collect, amountMist: earnedMist + 1n }, "too much")).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining(`at most ${earnedMist} MIST of fees`) },
  });
  for (const idempotencyKey of ["first half", "second half", "second half"])
    await withdrawn(fundId, { ...collect, amountMist: earnedMist / 2n }, idempotencyKey);
  expect(await suiOf(to)).toBe(earnedMist);
  expect((await figuresOf(fundId)).accruedFees).toBe(0n);
  const ledger = await ledgerOf(fundId);
  expect(ledger.reduce((sum, { accruedFees }) => sum + (accruedFees < 0n ? accruedFees : 0n), 0n)).toBe(-earnedMist);
  await expectReconciled(fund);
});
