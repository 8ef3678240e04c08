import { MemoryCoinStore } from "../../shared/fund/memory-coin-store.ts";
import type { VisibleStore } from "./fund-properties.ts";

/** A fund's store in plain maps. */
export function memory(): VisibleStore {
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
