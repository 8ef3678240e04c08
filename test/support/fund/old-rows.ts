import { toBase58 } from "@mysten/sui/utils";
import { migrate } from "../../../shared/durable/migrations.ts";
import { SqliteAptosFundStore } from "../../../shared/fund/aptos/sqlite-store.ts";
import { finishMigrations, migrations } from "../../../shared/fund/migrations.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";

const VERSION = 5;
const MANY = 10_000;

/** Moves all rows of version 5, as the alarm of a fund does in steps. */
export function moveAllOldRows(storage: DurableObjectStorage): void {
  for (const Store of [SqliteSuiFundStore, SqliteAptosFundStore]) {
    const store = new Store(storage, () => {});
    while (store.transact(() => store.moveOldRows()));
  }
  storage.sql.exec("DELETE FROM due WHERE kind = 'migrate'");
}

interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
  readonly columns: readonly string[];
}

/** The tables and indexes of version 5. The storage of some other object is used up for them. */
export function definitionsOfVersion5({ sql }: DurableObjectStorage): readonly Definition[] {
  emptyAsVersion5(sql);
  return sql
    .exec<{ type: string; name: string; sql: string }>(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL",
    )
    .toArray()
    .filter(({ name }) => isOurs(name))
    .map((each) => ({ ...each, columns: columnsOf(sql, each.name) }));
}

function emptyAsVersion5(sql: SqlStorage): void {
  for (const name of tablesOf(sql)) sql.exec(`DROP TABLE ${name}`);
  for (const migration of migrations.slice(0, VERSION)) sql.exec(migration);
}

/** The id of an Aptos sponsorship of version 5, and its hash once it is committed. */
export function aptosId(serial: number): string {
  return `0x${serial.toString(16).padStart(64, "0")}`;
}

export const APTOS_SENDER = `0x${"5".repeat(64)}`;
/** One of so many rows is live. */
const LIVE_EVERY = 500;

/** Empties a storage, and fills it as an Aptos fund of version 5 does: some live rows among many executed and dead ones. */
export function becomeAptosFundOfVersion5(storage: DurableObjectStorage, count: number): void {
  const { sql } = storage;
  emptyAsVersion5(sql);
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
  migrate(storage, migrations, finishMigrations(0));
}

/** How many ended sponsorships an older build has left, in two states: one executed, one given up. */
export interface Ended {
  readonly count: number;
  readonly keyId: string;
  readonly atMs: number;
}

/** Bytes that builds before version 5 have kept. */
export const KEPT_BYTES = 100;
const CHARGED_MIST = 1_000;
const BUDGET_MIST = 5_000;

/** The digest of an ended sponsorship. */
export function endedDigest(serial: number): string {
  const bytes = new Uint8Array(32).fill(serial % 251);
  new DataView(bytes.buffer).setUint32(0, serial);
  return toBase58(bytes);
}

/**
 * Turns the storage of a Sui fund back into that of version 5, with the same rows and with others that have ended before.
 * The books stay exact: the ended rows have cost what a deposit has brought.
 */
export function turnIntoVersion5(storage: DurableObjectStorage, old: readonly Definition[], ended: Ended): void {
  const { sql } = storage;
  const store = new SqliteSuiFundStore(storage, () => {});
  const rows = store.ended
    .sponsorshipsBelow(Number.MAX_SAFE_INTEGER, MANY)
    .flatMap(({ row }) => store.sponsorship(row.digest) ?? [])
    .reverse();
  const ledger = store.oldestLedger(MANY).map(({ row }) => row);
  const tables = new Map(old.filter(({ type }) => type === "table").map(({ name, columns }) => [name, columns]));
  for (const name of tablesOf(sql)) if (!tables.has(name) && name !== "schema_version") sql.exec(`DROP TABLE ${name}`);
  const named = new Set(old.map(({ name }) => name));
  for (const name of indexesOf(sql)) if (!named.has(name)) sql.exec(`DROP INDEX ${name}`);
  const kept = new Set(tablesOf(sql));
  for (const [name, columns] of tables)
    if (kept.has(name))
      for (const column of columnsOf(sql, name).filter((each) => !columns.includes(each)))
        sql.exec(`ALTER TABLE ${name} DROP COLUMN ${column}`);
  const there = new Set(
    sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master")
      .toArray()
      .map(({ name }) => name),
  );
  for (const { name, sql: text } of old) if (!there.has(name)) sql.exec(text);
  addEnded(sql, ended);
  for (const row of rows)
    sql.exec(
      `INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist,
           expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist,
           maintenance_mist, max_storage_mist, since_checkpoint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.digest,
      row.state,
      row.transactionBytes,
      row.sender,
      row.keyId,
      row.gasObjectId ?? "",
      row.gasBudgetAtoms.toString().padStart(20, "0"),
      row.expirationEpoch.toString().padStart(20, "0"),
      row.createdAtMs,
      row.expiresAtMs,
      row.chargedAtoms?.toString() ?? null,
      row.signedAtMs,
      row.feeAtoms.toString(),
      row.rebateAtoms?.toString() ?? null,
      row.maintenanceAtoms?.toString() ?? null,
      row.maxStorageMist?.toString() ?? null,
      row.sinceCheckpoint?.toString() ?? null,
    );
  for (const row of ledger)
    sql.exec(
      `INSERT INTO ledger (at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms,
         accrued_fees_atoms, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      row.atMs,
      row.kind,
      row.reference,
      row.balanceAtoms.toString(),
      row.inFlightAtoms.toString(),
      row.addressBalanceAtoms.toString(),
      row.accruedFeesAtoms.toString(),
      row.keyId,
    );
  sql.exec("DELETE FROM schema_version");
  sql.exec("INSERT INTO schema_version (version) VALUES (?)", VERSION);
}

/** Every second one is executed. */
function addEnded(sql: SqlStorage, { count, keyId, atMs }: Ended): void {
  const entry = `INSERT INTO ledger (at_ms, kind, reference, balance_atoms, in_flight_atoms, key_id)
    VALUES (?, ?, ?, ?, ?, ?)`;
  const executed = Math.ceil(count / 2);
  sql.exec(entry, atMs, "deposit", "a deposit", String(executed * CHARGED_MIST), "0", null);
  for (let serial = 0; serial < count; serial++) {
    const isExecuted = serial % 2 === 0;
    const digest = endedDigest(serial);
    sql.exec(
      `INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist,
         expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist)
       VALUES (?, ?, zeroblob(?), ?, ?, ?, ?, ?, ?, ?, ?, ?, '0', ?)`,
      digest,
      isExecuted ? "complete" : "dead",
      KEPT_BYTES,
      `0x${String(serial % 7).repeat(64)}`,
      keyId,
      `0x${"a".repeat(64)}`,
      String(BUDGET_MIST).padStart(20, "0"),
      "5".padStart(20, "0"),
      atMs,
      atMs + 1,
      isExecuted ? String(CHARGED_MIST) : null,
      isExecuted ? atMs : null,
      isExecuted ? "7" : null,
    );
    sql.exec(entry, atMs, "reserve", digest, "0", String(BUDGET_MIST), keyId);
    if (isExecuted) sql.exec(entry, atMs, "charge", digest, String(-CHARGED_MIST), String(-BUDGET_MIST), keyId);
    else sql.exec(entry, atMs, "release", digest, "0", String(-BUDGET_MIST), keyId);
  }
}

function isOurs(name: string): boolean {
  return !/^(_cf_|sqlite_)/.test(name);
}

function tablesOf(sql: SqlStorage): readonly string[] {
  const rows = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
  return rows.map(({ name }) => name).filter(isOurs);
}

function indexesOf(sql: SqlStorage): readonly string[] {
  const query = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL";
  const rows = sql.exec<{ name: string }>(query).toArray();
  return rows.map(({ name }) => name).filter(isOurs);
}

function columnsOf(sql: SqlStorage, table: string): readonly string[] {
  const rows = sql.exec<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).toArray();
  return rows.map(({ name }) => name);
}
