import { expect, test } from "vitest";
import { admin, advance, harness, newFund, newKey } from "../../harness/harness.ts";
import { raiseLimits } from "../../support/limits.ts";
import { expectReconciled, figuresOf, ledgerOf, suiOf } from "../../support/operator.ts";
import {
  BUDGET,
  BUDGET_MIST,
  getFund,
  newUser,
  type Prepared,
  prepare,
  signatureOf,
  submit,
} from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const PREPARED = 1_000;
const AT_ONCE = 64;
const TEN_MINUTES_MS = 600_000;
const FREED_WITHIN_MS = 60_000;
/** Enough until all coins are ready, so that the fund need not split any while the calls go on. */
const MAX_WARM_UP_ROUNDS = 6;

test("1,000 times prepared and abandoned costs the fund 0 MIST, and what the users alone signed never executes", async () => {
  const fund = await newFund([30_000_000_000n]);
  const { key, keyId } = await newKey(fund);
  await raiseLimits(harness, { ...fund, keyId });
  const user = newUser();
  const kind = await mintKind();
  const round = async () => {
    const all: Prepared[] = [];
    while (all.length < PREPARED)
      all.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(AT_ONCE, PREPARED - all.length) }, () =>
            prepare(key, kind, user.toSuiAddress(), BUDGET),
          ),
        )),
      );
    // A fund stocks its pool by what is lent. All is lent now, so the next round finds what this one leaves.
    await admin("POST", `/funds/${fund.fundId}/refresh`);
    return all;
  };
  const free = async () =>
    expect.poll(async () => (await figuresOf(fund.fundId)).inFlight, { timeout: FREED_WITHIN_MS }).toBe(0n);
  // The first rounds make the fund split its coins, and pay for that, until one finds them all.
  let spentMist = 1n;
  for (let rounds = 0; rounds < MAX_WARM_UP_ROUNDS && spentMist > 0n; rounds++) {
    const hadMist = await suiOf(fund.depositAddress);
    await round();
    await advance(TEN_MINUTES_MS + 1_000);
    await free();
    spentMist = hadMist - (await suiOf(fund.depositAddress));
  }
  expect(spentMist, "the pool has all the coins that a round needs").toBe(0n);

  const before = await suiOf(fund.depositAddress);
  const rows = (await ledgerOf(fund.fundId)).length;
  const prepared = await round();
  expect((await getFund(key)).inFlight).toBe(BUDGET_MIST * BigInt(PREPARED));
  await advance(TEN_MINUTES_MS + 1_000);
  await free();
  expect(await suiOf(fund.depositAddress)).toBe(before);
  const added = (await ledgerOf(fund.fundId)).slice(0, -rows);
  expect(new Set(added.map(({ kind: what, balance }) => `${what} ${balance}`))).toEqual(
    new Set(["reserve 0", "release 0"]),
  );
  expect(added.length).toBe(2 * PREPARED);
  for (const one of prepared.slice(0, 20))
    await expect(submit(one.txBytes, [await signatureOf(user, one)])).rejects.toThrow(/signature/i);
  await expectReconciled(fund);
});
