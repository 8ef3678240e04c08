import { toBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import * as z from "zod";
import { refreshPast } from "../../shared/cli/client/admin.ts";
import { createFundInProject } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { admin, advance, harness, newKey, uniqueName } from "../harness/harness.ts";
import { getFund, newUser, refused, sponsor, submitSponsored } from "../support/sui-gas.ts";
import { mintKind } from "../support/sui-transactions.ts";
import { carelessSponsor } from "./careless-sponsor.ts";
import { HOUR_MS, RECYCLED_AFTER_MS, recycleCostMist } from "./recycling.ts";

const SUI = 1_000_000_000n;
const COIN_MIST = 20_000_000n;
const GAS_BUDGET_MIST = 5_000_000n;
/** What a key may have in flight unless its operator says otherwise. */
const FLOOD = 1_000;
/** The fund keeps some coins for its treasury transactions. */
const SPARE_COINS = 10;

const pageSchema = z.object({
  items: z.array(z.object({ state: z.string(), maintenance: z.string().nullable() })),
  nextCursor: z.string().nullable(),
});
type Page = z.output<typeof pageSchema>;

async function allSponsorships(fundId: string): Promise<Page["items"]> {
  const path = `/funds/${fundId}/sponsorships?limit=200`;
  const rows: Page["items"] = [];
  for (let page: Page = { items: [], nextCursor: "" }; page.nextCursor !== null; rows.push(...page.items)) {
    const answer = await admin("GET", page.nextCursor === "" ? path : `${path}&cursor=${page.nextCursor}`);
    page = expectAnswer("the fund's sponsorships", answer, pageSchema);
  }
  return rows;
}

test("a flood of 1,000 abandoned sponsorships ends at the key's limit, and costs the bumping of 1,000 coins", async () => {
  const fund = await createFundInProject(harness, uniqueName("fund"));
  const donor = await carelessSponsor([30n * SUI]);
  await donor.splitOff(FLOOD + SPARE_COINS, COIN_MIST, fund.depositAddress);
  await refreshPast(harness, fund.fundId, BigInt(FLOOD) * COIN_MIST);
  const { key } = await newKey(fund);
  const attacker = newUser();
  const sender = attacker.toSuiAddress();
  const kind = await mintKind();
  const budget = GAS_BUDGET_MIST.toString();

  const flood = await Promise.all(Array.from({ length: FLOOD }, () => sponsor(key, kind, sender, budget)));
  const { data } = await refused(key, "gas_sponsorTransactionBlock", [toBase64(kind), sender, budget]);
  expect(data).toMatchObject({ reason: "policy_refused", rule: "maxInFlightCount" });

  await advance(HOUR_MS + RECYCLED_AFTER_MS);
  const inFlight = async () => (await getFund(key)).inFlight;
  await expect.poll(inFlight, { timeout: 120_000, interval: 1_000 }).toBe(0n);
  const rows = await allSponsorships(fund.fundId);
  expect(rows.map(({ state }) => state)).toEqual(flood.map(() => "dead"));
  const costMist = rows.reduce((sum, { maintenance }) => sum + BigInt(maintenance ?? 0), 0n);
  expect(costMist).toBe(recycleCostMist(FLOOD));

  for (const sponsored of flood.filter((_, index) => index % 100 === 0))
    await expect(submitSponsored(attacker, sponsored)).rejects.toThrow("is unavailable for consumption");
});
