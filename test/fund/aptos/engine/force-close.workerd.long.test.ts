import { expect, test } from "vitest";
import { SETTLE_LIMIT } from "../../../../shared/fund/upkeep.ts";
import { batchesOf } from "../../../../shared/paging.ts";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import { withJsonOf } from "../../../byzantine-node/altered-aptos-node.ts";
import { APT_OCTAS, draftOf, newUser } from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosStatesOf,
  executed,
  newAptosFund,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { liveFor, MINUTE_MS, stub } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

test("a sponsorship is closed while more others are open than are looked up at once", async () => {
  const fund = await newAptosFund(20n * APT_OCTAS);
  const keyPolicy = { ...defaultKeyPolicy("aptos"), maxInFlightCount: null, maxInFlightAmount: null };
  const stuck = draftOf(newUser());
  const hash = await executed(fund, stuck);
  await whenCommitted(stuck);
  alsoAlter(withJsonOf(`GET /accounts/${stuck.sender.address}/transactions`, () => []));
  await liveFor(fund, 8 * MINUTE_MS);
  const expirationSecs = BigInt(Math.floor(Date.now() / 1_000)) + 3_500n;
  const drafts = Array.from({ length: SETTLE_LIMIT + 40 }, () => draftOf(newUser(), { expirationSecs }));
  for (const batch of batchesOf(drafts, 20)) await Promise.all(batch.map((one) => sponsored(fund, one, { keyPolicy })));
  expect(await stub(fund).forceClose(hash)).toEqual({ ok: true, value: { digest: hash, state: "unresolvable" } });
  const states = await aptosStatesOf(fund);
  expect(states.filter((state) => state === "unresolvable")).toHaveLength(1);
});
