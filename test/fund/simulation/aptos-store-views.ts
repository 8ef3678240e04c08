import { SqliteAptosFundStore } from "../../../shared/fund/aptos/sqlite-store.ts";
import type { AptosFundStore, AptosSponsorship, AptosTreasuryTransaction } from "../../../shared/fund/aptos/store.ts";
import { type LedgerRow, WHOLE_FUND } from "../../../shared/fund/ledger/books.ts";
import { MemoryAptosFundStore } from "../../support/fund/memory-aptos-store.ts";
import { dueOf, undoOfMap } from "../../support/fund/memory-fund.ts";
import { emptied, ledgerFrom, readDue, unpacked, writeDue } from "../../support/fund/sqlite-fund.ts";
import type { CommittingStore } from "./faulty-world.ts";
import { type DueRow, textOf } from "./visible-store.ts";

/** Everything that an Aptos fund has stored, but for its ledger. */
export interface AptosRows {
  readonly sponsorships: readonly AptosSponsorship[];
  readonly ownTransactions: readonly AptosTreasuryTransaction[];
  readonly due: readonly DueRow[];
}

/** An Aptos fund's store whose rows the checks can see, whatever holds them. */
export interface VisibleAptosStore extends CommittingStore<AptosFundStore> {
  rows(): AptosRows;
  /** Ledger rows in order, without the first so many. */
  ledgerFrom(index: number): readonly LedgerRow[];
}

/** An Aptos fund's store in plain maps, which survive what the checks call a restart. */
export function aptosMemory(): VisibleAptosStore {
  const store = new MemoryAptosFundStore();
  const { sponsorships, ownTransactions, usages, senders, dailyRows, idempotencies, due, ledger } = store;
  return {
    store,
    transact: (transition) => {
      const restores = [sponsorships, ownTransactions, usages, senders, dailyRows, idempotencies, due].map((map) =>
        undoOfMap<unknown>(map),
      );
      const { compared } = store;
      const rows = ledger.length;
      try {
        return transition();
      } catch (error) {
        for (const restore of restores) restore();
        store.compared = compared;
        ledger.length = rows;
        throw error;
      }
    },
    restart: () => {},
    rows: () => ({
      sponsorships: [...sponsorships.values()],
      ownTransactions: [...ownTransactions.values()],
      due: dueOf(store),
    }),
    ledgerFrom: (index) => ledger.slice(index),
    snapshot: (scopes) =>
      [
        ...sponsorships.values(),
        ...ownTransactions.values(),
        ...idempotencies.values(),
        ...dueOf(store),
        ledger.length,
        store.compared,
        store.totals(),
        ...[WHOLE_FUND, ...scopes].map((scope) => store.usage(scope)),
      ].map(textOf),
  };
}

const TABLES = ["aptos_sponsorship_row", "aptos_sponsorship_bytes", "aptos_own_transaction", "aptos_compared"];

/** The store of a real Fund object, emptied. Which rows there are is read from its tables, not through the store. */
export function aptosSqlite(storage: DurableObjectStorage): VisibleAptosStore {
  const { sql } = storage;
  const tables = [...TABLES, ...emptied(sql, TABLES)];
  const open = () => new SqliteAptosFundStore(storage, writeDue(sql));
  let store = open();
  const keysOf = (table: string, key: string) =>
    sql
      .exec<{ key: ArrayBuffer | string }>(`SELECT ${key} AS key FROM ${table} ORDER BY rowid`)
      .toArray()
      .map((row) => unpacked(row.key));
  return {
    get store() {
      return store;
    },
    transact: (transition) => store.transact(transition),
    restart: () => {
      store = open();
    },
    rows: () => ({
      sponsorships: keysOf("aptos_sponsorship_row", "id").flatMap((id) => store.sponsorship(id) ?? []),
      ownTransactions: keysOf("aptos_own_transaction", "hash").flatMap((hash) => store.treasuryTransaction(hash) ?? []),
      due: readDue(sql),
    }),
    ledgerFrom: (index) => ledgerFrom(sql, index),
    snapshot: (scopes) =>
      [
        ...tables.flatMap((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
        store.totals(),
        store.pendingTreasury(),
        ...[WHOLE_FUND, ...scopes].map((scope) => store.usage(scope)),
      ].map(textOf),
  };
}
