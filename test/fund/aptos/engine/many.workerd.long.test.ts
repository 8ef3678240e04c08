import { expect, test } from "vitest";
import { SETTLE_LIMIT } from "../../../../shared/fund/upkeep.ts";
import { batchesOf } from "../../../../shared/paging.ts";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import { APT_OCTAS, draftOf, giveOctas, newUser, submitDraft } from "../../../support/aptos-chain.ts";
import {
  aptosLedgerOf,
  expectExactAptosBooks,
  newAptosFund,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { liveFor, SECOND_MS } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

test("a deposit is credited, exactly, while more promises are open than are looked up at once", async () => {
  const fund = await newAptosFund(20n * APT_OCTAS);
  const keyPolicy = { ...defaultKeyPolicy("aptos"), maxInFlightCount: null, maxInFlightAmount: null };
  const expirationSecs = BigInt(Math.floor(Date.now() / 1_000)) + 3_500n;
  const drafts = Array.from({ length: SETTLE_LIMIT + 40 }, () => draftOf(newUser(), { expirationSecs }));
  for (const batch of batchesOf(drafts, 20)) await Promise.all(batch.map((one) => sponsored(fund, one, { keyPolicy })));
  // One of the last is executed, so that the balance is not what the books say.
  const [last] = drafts.slice(-1);
  if (last === undefined) return;
  await submitDraft(last, fund.address, await sponsored(fund, last, { keyPolicy }));
  const { chargedOctas } = await whenCommitted(last);
  await giveOctas(fund.address, 7n);
  await liveFor(fund, 45 * SECOND_MS);
  const found = (await aptosLedgerOf(fund)).filter(({ kind }) => kind !== "reserve");
  expect(found.map(({ kind, balanceAtoms }) => [kind, balanceAtoms])).toEqual([
    ["deposit", 20n * APT_OCTAS],
    ["charge", -chargedOctas],
    ["deposit", 7n],
  ]);
  await expectExactAptosBooks(fund);
});
