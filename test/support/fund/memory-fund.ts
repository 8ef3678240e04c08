import { type DueKind, WHOLE_FUND } from "../../../shared/fund/ledger/books.ts";
import { type DueRow, textOf, type VisibleStore } from "../../fund/simulation/visible-store.ts";
import type { MemoryFundBooks } from "./memory-books.ts";
import { MemoryFundStore } from "./memory-sui-store.ts";

/** A fund's store in plain maps, which survive what the checks call a restart. */
export function memory(): VisibleStore {
  const store = new MemoryFundStore();
  return {
    store,
    transact: (transition) => {
      const undo = undoOf(store);
      try {
        return transition();
      } catch (error) {
        undo();
        throw error;
      }
    },
    restart: () => {},
    rows: () => ({
      coins: [...store.coins.values()],
      partyCoins: [...store.partyCoins.values()],
      sponsorships: [...store.sponsorships.values()],
      ownTransactions: [...store.ownTransactions.values()],
      due: dueOf(store),
      referredTo: new Set([...store.idempotencies.values()].map(({ reference }) => reference)),
    }),
    ledgerFrom: (index) => store.ledger.slice(index),
    snapshot: (scopes) =>
      [
        ...store.coins.values(),
        ...store.partyCoins.values(),
        ...store.sponsorships.values(),
        ...store.ownTransactions.values(),
        ...store.idempotencies.values(),
        ...store.dailyRows.values(),
        ...dueOf(store),
        store.ledger.length,
        store.totals(),
        ...[WHOLE_FUND, ...scopes].map((scope) => store.usage(scope)),
      ].map(textOf),
  };
}

export function dueOf(store: MemoryFundBooks): DueRow[] {
  return [...store.due].map(([name, atMs]) => {
    const [kind = "", reference = ""] = name.split(" ");
    return { kind: kind as DueKind, reference, atMs };
  });
}

/** How to take back all that is about to be written. */
function undoOf(store: MemoryFundStore): () => void {
  const { coins, partyCoins, sponsorships, ownTransactions, usages, senders, dailyRows, idempotencies, due, ledger } =
    store;
  const rows = ledger.length;
  const restores = [
    undoOfMap(coins),
    undoOfMap(partyCoins),
    undoOfMap(sponsorships),
    undoOfMap(ownTransactions),
    undoOfMap(usages),
    undoOfMap(senders),
    undoOfMap(dailyRows),
    undoOfMap(idempotencies),
    undoOfMap(due),
  ];
  return () => {
    for (const restore of restores) restore();
    ledger.length = rows;
  };
}

/** How to take back all that is about to be written to a map. */
export function undoOfMap<Value>(map: Map<string, Value>): () => void {
  const before = [...map];
  return () => {
    map.clear();
    for (const [key, value] of before) map.set(key, value);
  };
}
