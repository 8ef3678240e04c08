import { test } from "vitest";
import { MemoryCoinStore } from "../../shared/fund/memory-coin-store.ts";
import { assertFundGuarantees, type VisibleStore } from "./fund-properties.ts";

function memory(): VisibleStore {
  const store = new MemoryCoinStore();
  return {
    store,
    commit: (transition) => transition(),
    coins: () => [...store.coins.values()],
    sponsorships: () => [...store.sponsorships.values()],
    ownTransactions: () => [...store.ownTransactions.values()],
    ledger: () => store.ledger,
  };
}

test("guarantees 1, 2, 3, 4, 5 and 7 hold through 200 random lives of a fund, in memory", { timeout: 120_000 }, () => {
  assertFundGuarantees(memory, 200, 50);
});
