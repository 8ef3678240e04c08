import { toBase64 } from "@mysten/sui/utils";
import { afterEach, expect } from "vitest";
import { gas, newKey } from "../../harness/harness.ts";
import { clearFaults } from "../../support/chain-control.ts";
import { expectReconciled, figuresOf, patchFund, patchKey, revoke } from "../../support/operator.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import {
  BUDGET,
  fundWithKey,
  newUser,
  prepare,
  refused,
  signatureOf,
  sponsor,
  status,
  submitSponsored,
} from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { assertNoneExecutesAfterRevocation } from "./revoke.ts";

afterEach(clearFaults);

longTest(
  "of 60 live signatures of a leaked key none executes after its revocation, except the 5 that the chain had first",
  () => assertNoneExecutesAfterRevocation(60, 5),
);

longTest("a call of a revoked key that waits for a coin gets none of those that the revocation frees", async () => {
  const fund = await fundWithKey(2);
  const user = newUser();
  const kind = await mintKind();
  const lend = () => sponsor(fund.key, kind, user.toSuiAddress(), BUDGET);
  const [signed, prepared] = [await lend(), await prepare(fund.key, kind, user.toSuiAddress(), BUDGET)];
  const waiting = gas(fund.key, "gas_sponsorTransactionBlock", [toBase64(kind), user.toSuiAddress(), BUDGET]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await revoke("keys", fund.keyId)).toEqual({ revoked: 2, tooLate: 0, irrevocable: 0, pending: 0 });
  expect(await waiting).toMatchObject({ status: 401, body: { error: { data: { reason: "bad_key" } } } });
  await expect(submitSponsored(user, signed)).rejects.toThrow(/unavailable for consumption/);

  await patchKey(fund.keyId, { status: "active" });
  const signature = await signatureOf(user, prepared);
  expect(await refused(fund.key, "gas_executeTransactionBlock", [prepared.txDigest, signature])).toMatchObject({
    data: { reason: "sponsorship_expired" },
  });
  expect((await submitSponsored(user, await lend())).status.success).toBe(true);
  await expectReconciled(fund);
});

shortTest(
  "revoking a fund takes everything back, whoever asked for it, and pauses the fund until it is let go on",
  async () => {
    const fund = await fundWithKey(4);
    const another = await newKey(fund);
    const user = newUser();
    const kind = await mintKind();
    const lend = (key: string) => sponsor(key, kind, user.toSuiAddress(), BUDGET);
    const [mine, theirs] = [await lend(fund.key), await lend(another.key)];
    expect(await revoke("funds", fund.fundId)).toEqual({ revoked: 2, tooLate: 0, irrevocable: 0, pending: 0 });
    for (const sponsored of [mine, theirs]) {
      await expect(submitSponsored(user, sponsored)).rejects.toThrow(/unavailable for consumption/);
      expect(await status(fund.key, sponsored.txDigest)).toBe("INVALID");
    }
    expect(await figuresOf(fund.fundId)).toMatchObject({ inFlight: 0n, paused: true, pausedCause: "revoked" });
    const params = [toBase64(kind), user.toSuiAddress(), BUDGET];
    expect(await refused(another.key, "gas_sponsorTransactionBlock", params)).toMatchObject({
      data: { reason: "fund_paused", cause: "revoked" },
    });
    expect(await patchFund(fund.fundId, { paused: false })).toMatchObject({ paused: false, pausedCause: null });
    expect((await submitSponsored(user, await lend(another.key))).status.success).toBe(true);
    await expectReconciled(fund);
  },
);
