import { SqliteAptosFundStore } from "../../../shared/fund/aptos/sqlite-store.ts";
import type { AptosFundStore, AptosSponsorship, AptosTreasuryTransaction } from "../../../shared/fund/aptos/store.ts";
import { type LedgerRow, WHOLE_FUND } from "../../../shared/fund/ledger/books.ts";
import { MemoryAptosFundStore } from "../../support/fund/memory-aptos-store.ts";
import { dueOf, undoOfMap } from "../../support/fund/memory-fund.ts";
import { reread } from "../../support/fund/reread.ts";
import { emptied, ledgerReader, readDue, unpacked, writeDue } from "../../support/fund/sqlite-fund.ts";
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
  /** The same object as before means that nothing was written since. */
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

interface KeyRow {
  id: ArrayBuffer | string;
  state: number;
}

/** Which row it is: another object for each content that it has. */
interface Key {
  readonly id: string;
  readonly isLive: boolean;
}

const SIGNED = 2;

function hashOf({ hash }: { hash: string }): string {
  return hash;
}

/** The store of a real Fund object, emptied. Which rows there are is read from its tables, not through the store. */
export function aptosSqlite(storage: DurableObjectStorage): VisibleAptosStore {
  const { sql } = storage;
  const tables = [...TABLES, ...emptied(sql, TABLES)];
  const open = () => new SqliteAptosFundStore(storage, writeDue(storage));
  let store = open();
  /** The reads since the last transaction. Most steps read far more than they write. */
  let read: AptosRows | null = null;
  const keys = reread(
    sql,
    `SELECT aptos_sponsorship_row.*, raw_transaction, authenticators, since_version
     FROM aptos_sponsorship_row LEFT JOIN aptos_sponsorship_bytes USING (seq)`,
    "seq",
    ({ id, state }: KeyRow): Key => ({ id: unpacked(id), isLive: state === SIGNED }),
  );
  const ended = new Map<Key, AptosSponsorship>();
  const sponsorshipsOf = (key: Key): readonly AptosSponsorship[] => {
    const known = ended.get(key);
    if (known !== undefined) return [known];
    const row = store.sponsorship(key.id);
    // The store has live rows in memory, too. A transaction that was rolled back must not have changed them.
    if (row !== null && !key.isLive) ended.set(key, row);
    return row === null ? [] : [row];
  };
  const hashes = reread(sql, "SELECT rowid AS place, hash FROM aptos_own_transaction", "place", hashOf);
  return {
    get store() {
      return store;
    },
    transact: (transition) => {
      try {
        return store.transact(transition);
      } finally {
        read = null;
      }
    },
    restart: () => {
      store = open();
      read = null;
    },
    rows: () => {
      read ??= {
        sponsorships: keys().flatMap(sponsorshipsOf),
        ownTransactions: hashes().flatMap((hash) => store.treasuryTransaction(hash) ?? []),
        due: readDue(sql),
      };
      return read;
    },
    ledgerFrom: ledgerReader(sql),
    snapshot: (scopes) =>
      [
        ...tables.flatMap((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
        store.totals(),
        store.pendingTreasury(),
        ...[WHOLE_FUND, ...scopes].map((scope) => store.usage(scope)),
      ].map(textOf),
  };
}
