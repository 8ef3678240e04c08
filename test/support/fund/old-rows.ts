import { SqliteAptosFundStore } from "../../../shared/fund/aptos/sqlite-store.ts";
import { migrateFund } from "../../../shared/fund/migrations.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import { type Ask, aptosId, definitionsOfVersion5, type Ended, KEPT_BYTES, turnIntoVersion5 } from "./version-5.ts";

const VERSION = 5;

/** Moves all rows of version 5, as the alarm of a fund does in steps. */
export function moveAllOldRows(storage: DurableObjectStorage): void {
  for (const Store of [SqliteSuiFundStore, SqliteAptosFundStore]) {
    const store = new Store(storage, () => {});
    while (store.transact(() => store.moveOldRows()));
  }
  storage.sql.exec("DELETE FROM due WHERE kind = 'migrate'");
}

function askOf({ sql }: DurableObjectStorage): Ask {
  return (query, ...bindings) => sql.exec<Record<string, SqlStorageValue>>(query, ...bindings).toArray();
}

/** The tables and indexes of version 5. The storage of some other object is used up for them. */
export function readDefinitionsOfVersion5(storage: DurableObjectStorage) {
  return definitionsOfVersion5(askOf(storage));
}

/** Turns the storage of a Sui fund back into that of version 5, with the same rows and with others that ended before. */
export function turnStorageIntoVersion5(
  storage: DurableObjectStorage,
  definitions: ReturnType<typeof definitionsOfVersion5>,
  ended: Omit<Ended, "chain">,
): void {
  turnIntoVersion5(askOf(storage), definitions, { ...ended, chain: "sui" });
}

export const APTOS_SENDER = `0x${"5".repeat(64)}`;
/** One of so many rows is live. */
const LIVE_EVERY = 500;

/** Empties a storage, and fills it as an Aptos fund of version 5 does: some live rows among many executed and dead ones. */
export function becomeAptosFundOfVersion5(storage: DurableObjectStorage, count: number): void {
  const { sql } = storage;
  definitionsOfVersion5(askOf(storage));
  for (let serial = 0; serial < count; serial++) {
    const ended = serial % 2 === 0 ? "complete" : "dead";
    const state = serial % LIVE_EVERY === LIVE_EVERY - 1 ? "signed" : ended;
    const isExecuted = state === "complete";
    sql.exec(
      `INSERT INTO aptos_sponsorship (id, state, sender, sequence_number, raw_transaction, secondary_addresses, hash,
         key_id, gas_budget, fee, created_at_ms, expires_at_ms, charged, rebate, committed_version, resends)
       VALUES (?, ?, ?, ?, zeroblob(?), '', ?, 'key', '5000', '3', ?, ?, ?, ?, ?, 1)`,
      aptosId(serial),
      state,
      APTOS_SENDER,
      String(serial).padStart(20, "0"),
      state === "signed" ? KEPT_BYTES : 0,
      isExecuted ? aptosId(serial) : null,
      serial,
      serial + 1,
      isExecuted ? "1000" : null,
      isExecuted ? "7" : null,
      isExecuted ? String(serial).padStart(20, "0") : null,
    );
  }
  sql.exec("CREATE TABLE schema_version (version INTEGER NOT NULL)");
  sql.exec("INSERT INTO schema_version (version) VALUES (?)", VERSION);
  migrateFund(storage, 0);
}
