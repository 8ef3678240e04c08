import { expect, test } from "vitest";
import { type CoinFilter, listCoins } from "../../../shared/fund/sui/coin-list.ts";
import { coinTiers, tierOf } from "../../../shared/fund/sui/refill-plan.ts";
import { coinStates, type FundCoin } from "../../../shared/fund/sui/store.ts";

const ANY: CoinFilter = { state: null, tier: null };

function coinAt(index: number): FundCoin {
  const held = index % coinStates.length === 1 ? "a digest" : null;
  return {
    objectId: `0x${index.toString(16).padStart(64, "0")}`,
    version: BigInt(index),
    digest: "d",
    balanceMist: 10n ** BigInt(4 + (index % 8)),
    state: coinStates[index % coinStates.length] ?? "free",
    heldByDigest: held,
    maintenance: index % 11 === 0,
  };
}

const COINS = Array.from({ length: 12_000 }, (_, index) => coinAt(index));
const coinsAfter = (objectId: string, limit: number) =>
  COINS.filter((coin) => coin.objectId > objectId).slice(0, limit);

function all(filter: CoinFilter, limit: number) {
  const items = [];
  let pages = 0;
  for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
    const page = listCoins(coinsAfter, { limit, cursor, filter });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { items, pages };
}

test("the pages of a fund's coins hold each coin that fits once, by state and tier", () => {
  const idsOf = (coins: readonly { readonly objectId: string }[]) => coins.map(({ objectId }) => objectId);
  const owned = COINS.filter(({ state }) => state !== "gone");
  expect(idsOf(all(ANY, 999).items)).toEqual(idsOf(owned));
  for (const state of coinStates)
    expect(idsOf(all({ ...ANY, state }, 700).items)).toEqual(idsOf(COINS.filter((coin) => coin.state === state)));
  for (const tier of coinTiers)
    expect(idsOf(all({ ...ANY, tier }, 700).items)).toEqual(idsOf(owned.filter((coin) => tierOf(coin) === tier)));
  const rare = all({ state: "held", tier: "source" }, 10_000);
  expect(rare.pages, "a page examines a bounded number of coins").toBeGreaterThan(2);
  expect(rare.items.every(({ heldBy }) => heldBy === "a digest")).toBe(true);
});

test("a coin belongs to the tier that the pool counts it in", () => {
  const tierAt = (balanceMist: bigint, maintenance = false) => tierOf({ balanceMist, maintenance });
  expect(tierAt(4_999_999n)).toBe("dust");
  expect(tierAt(5_000_000n)).toBe("10000000");
  expect(tierAt(25_000_000n)).toBe("50000000");
  expect(tierAt(499_999_999n)).toBe("250000000");
  expect(tierAt(2_000_000_000n)).toBe("1000000000");
  expect(tierAt(2_000_000_001n)).toBe("source");
  expect(tierAt(50_000_000n, true)).toBe("maintenance");
});
