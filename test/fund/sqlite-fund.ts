import type { FundCoin, LedgerRow, OwnTransaction, Sponsorship } from "../../shared/fund/coin-store.ts";
import { SqliteCoinStore } from "../../shared/fund/sqlite-coin-store.ts";
import type { VisibleStore } from "./fund-properties.ts";

const TABLES = ["coin", "sponsorship", "own_transaction", "ledger", "due"];

/** The store of a real Fund object, emptied; the checks read its rows back through it. */
export function sqlite(storage: DurableObjectStorage): VisibleStore {
  const { sql } = storage;
  for (const table of TABLES) sql.exec(`DELETE FROM ${table}`);
  const store = new SqliteCoinStore(sql, (kind, reference, atMs) => {
    if (atMs === null) sql.exec("DELETE FROM due WHERE kind = ? AND reference = ?", kind, reference);
    else sql.exec("INSERT OR REPLACE INTO due (kind, reference, at_ms) VALUES (?, ?, ?)", kind, reference, atMs);
  });
  const keys = (table: string, column: string): string[] =>
    sql
      .exec<Record<string, string>>(`SELECT ${column} AS id FROM ${table} ORDER BY ${column}`)
      .toArray()
      .map(({ id }) => id ?? "");
  const present = <T>(rows: readonly (T | null)[]): T[] => rows.filter((row) => row !== null);
  return {
    store,
    commit: (transition) => storage.transactionSync(transition),
    coins: () => present<FundCoin>(keys("coin", "object_id").map((id) => store.coin(id))),
    sponsorships: () => present<Sponsorship>(keys("sponsorship", "digest").map((digest) => store.sponsorship(digest))),
    ownTransactions: () =>
      present<OwnTransaction>(keys("own_transaction", "digest").map((digest) => store.ownTransaction(digest))),
    ledger: () =>
      sql
        .exec<{
          at_ms: number;
          kind: LedgerRow["kind"];
          reference: string;
          balance_mist: string;
          in_flight_mist: string;
        }>("SELECT at_ms, kind, reference, balance_mist, in_flight_mist FROM ledger ORDER BY sequence")
        .toArray()
        .map((row) => ({
          atMs: row.at_ms,
          kind: row.kind,
          reference: row.reference,
          balanceMist: BigInt(row.balance_mist),
          inFlightMist: BigInt(row.in_flight_mist),
        })),
  };
}
