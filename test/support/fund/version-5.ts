import { toBase58 } from "@mysten/sui/utils";
import { migrations } from "../../../shared/fund/migrations.ts";
import type { Chain } from "../../../shared/networks.ts";
import { KINDS, STATES, unpacked, wordOf } from "./sqlite-fund.ts";

const VERSION = 5;

type Value = string | number | null | ArrayBuffer | Uint8Array;
type Row = Readonly<Record<string, Value>>;

/** Runs one statement and returns its rows: on a Durable Object's storage, or on a file in Node. */
export type Ask = (query: string, ...bindings: (string | number | null | Uint8Array)[]) => readonly Row[];

interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
  readonly columns: readonly string[];
}

/** Reads the tables and indexes of version 5. They take the place of everything that the database holds. */
export function definitionsOfVersion5(ask: Ask): readonly Definition[] {
  for (const name of tablesOf(ask)) ask(`DROP TABLE ${name}`);
  for (const migration of migrations.slice(0, VERSION)) for (const statement of statementsOf(migration)) ask(statement);
  return ask("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    .map((row) => ({ type: String(row.type), name: String(row.name), sql: String(row.sql) }))
    .filter(({ name }) => isOurs(name))
    .map((each) => ({ ...each, columns: columnsOf(ask, each.name) }));
}

/** Node prepares one statement at a time. No trigger is in these versions. */
function statementsOf(migration: string): readonly string[] {
  return migration.split(";").filter((statement) => statement.trim() !== "");
}

/** The ended sponsorships that an older build has left, in two states: one executed, one given up. */
export interface Ended {
  readonly chain: Chain;
  readonly count: number;
  readonly keyId: string;
  readonly atMs: number;
}

/** Bytes that builds before version 5 have kept. */
export const KEPT_BYTES = 100;
const CHARGED_ATOMS = 1_000;
const BUDGET_ATOMS = 5_000;

/** Returns the digest of an ended sponsorship on Sui. */
export function endedDigest(serial: number): string {
  const bytes = new Uint8Array(32).fill(serial % 251);
  new DataView(bytes.buffer).setUint32(0, serial);
  return toBase58(bytes);
}

/** Returns the id of an Aptos sponsorship of version 5, and its hash once it is committed. */
export function aptosId(serial: number): string {
  return `0x${serial.toString(16).padStart(64, "0")}`;
}

/** Returns what lists show as the digest of an ended sponsorship. */
export function endedName(chain: Chain, serial: number): string {
  return chain === "sui" ? endedDigest(serial) : aptosId(serial);
}

/**
 * Turns the storage of a fund back into that of version 5, with the same rows and with others that have ended before.
 * The books stay exact: the ended rows have cost what a deposit has brought.
 */
export function turnIntoVersion5(ask: Ask, definitions: readonly Definition[], ended: Ended): void {
  const ledger = ask(`SELECT * FROM ledger_row LEFT JOIN key_number ON number = key_number ORDER BY sequence`);
  const sui = ask(
    `SELECT sponsorship_row.*, transaction_bytes, key_id FROM sponsorship_row JOIN key_number ON number = key_number
     LEFT JOIN sponsorship_bytes ON sponsorship_bytes.seq = sponsorship_row.seq ORDER BY sponsorship_row.seq`,
  );
  const aptos = ask(
    `SELECT aptos_sponsorship_row.*, raw_transaction, authenticators, key_id,
       hex(sequence_number) AS sequence_hex, hex(committed_version) AS version_hex
     FROM aptos_sponsorship_row JOIN key_number ON number = key_number
     LEFT JOIN aptos_sponsorship_bytes ON aptos_sponsorship_bytes.seq = aptos_sponsorship_row.seq
     ORDER BY aptos_sponsorship_row.seq`,
  );
  const due = [...sui, ...aptos].filter(({ due_at_ms }) => due_at_ms !== null);
  putDefinitions(ask, definitions);
  addEnded(ask, ended);
  for (const row of due)
    insert(ask, "due", { kind: "settle", reference: textOf(row.digest ?? row.id), at_ms: row.due_at_ms ?? null });
  for (const row of sui) insert(ask, "sponsorship", oldSuiRow(row));
  for (const row of aptos) insert(ask, "aptos_sponsorship", oldAptosRow(row));
  for (const row of ledger) insert(ask, "ledger", oldLedgerRow(row));
  ask("DELETE FROM schema_version");
  ask("INSERT INTO schema_version (version) VALUES (?)", VERSION);
}

function putDefinitions(ask: Ask, definitions: readonly Definition[]): void {
  const tables = new Map(
    definitions.filter(({ type }) => type === "table").map(({ name, columns }) => [name, columns]),
  );
  for (const name of tablesOf(ask)) if (!tables.has(name) && name !== "schema_version") ask(`DROP TABLE ${name}`);
  const texts = new Map(definitions.map(({ name, sql }) => [name, sql]));
  for (const { name, sql } of ask("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
    if (isOurs(String(name)) && texts.get(String(name)) !== sql) ask(`DROP INDEX ${name}`);
  const kept = new Set(tablesOf(ask));
  for (const [name, columns] of tables)
    if (kept.has(name))
      for (const column of columnsOf(ask, name).filter((each) => !columns.includes(each)))
        ask(`ALTER TABLE ${name} DROP COLUMN ${column}`);
  const there = new Set(ask("SELECT name FROM sqlite_master").map(({ name }) => name));
  for (const { name, sql } of definitions) if (!there.has(name)) ask(sql);
}

function insert(ask: Ask, table: string, row: Row): void {
  const columns = Object.keys(row);
  const values = Object.values(row).map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
  const places = columns.map(() => "?").join(", ");
  ask(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...values);
}

function textOf(value: Value | undefined): string {
  return typeof value === "number" || value == null ? String(value) : unpacked(value);
}

function textOrNull(value: Value | undefined): string | null {
  return value == null ? null : textOf(value);
}

function digits20(value: Value | undefined): string {
  return String(value).padStart(20, "0");
}

function u64Of(hex: Value | undefined): string {
  return BigInt(`0x${hex}`).toString().padStart(20, "0");
}

const EMPTY = new Uint8Array();

function oldSuiRow(row: Row): Row {
  return {
    digest: textOf(row.digest),
    state: wordOf(STATES, Number(row.state)),
    transaction_bytes: row.transaction_bytes ?? EMPTY,
    sender: textOf(row.sender),
    key_id: textOf(row.key_id),
    gas_object_id: textOrNull(row.gas_object_id) ?? "",
    gas_budget_mist: digits20(row.gas_budget_mist),
    expiration_epoch: digits20(row.expiration_epoch),
    created_at_ms: Number(row.created_at_ms),
    expires_at_ms: Number(row.expires_at_ms),
    charged_mist: textOrNull(row.charged_mist),
    signed_at_ms: row.signed_at_ms ?? null,
    fee_mist: textOf(row.fee_mist),
    rebate_mist: textOrNull(row.rebate_mist),
    maintenance_mist: textOrNull(row.maintenance_mist),
    max_storage_mist: textOrNull(row.max_storage_mist),
    since_checkpoint: textOrNull(row.since_checkpoint),
  };
}

/** In the order of their numbers, which are part of the stored format. */
const APTOS_STATES = ["signed", "complete", "dead", "unresolvable"] as const;

function oldAptosRow(row: Row): Row {
  return {
    id: textOf(row.id),
    state: wordOf(APTOS_STATES, Number(row.state)),
    sender: textOf(row.sender),
    sequence_number: u64Of(row.sequence_hex),
    raw_transaction: row.raw_transaction ?? EMPTY,
    secondary_addresses: textOrNull(row.secondary_addresses) ?? "",
    authenticators: row.authenticators ?? null,
    hash: textOrNull(row.hash),
    key_id: textOf(row.key_id),
    gas_budget: textOf(row.gas_budget),
    fee: textOf(row.fee),
    created_at_ms: Number(row.created_at_ms),
    expires_at_ms: Number(row.expires_at_ms),
    charged: textOrNull(row.charged),
    rebate: textOrNull(row.rebate),
    committed_version: row.committed_version === null ? null : u64Of(row.version_hex),
    resends: Number(row.resends),
  };
}

function oldLedgerRow(row: Row): Row {
  return {
    at_ms: Number(row.at_ms),
    kind: wordOf(KINDS, Number(row.kind)),
    reference: textOf(row.reference),
    balance_atoms: textOrNull(row.balance_atoms) ?? "0",
    in_flight_atoms: textOrNull(row.in_flight_atoms) ?? "0",
    address_balance_atoms: textOrNull(row.address_balance_atoms) ?? "0",
    accrued_fees_atoms: textOrNull(row.accrued_fees_atoms) ?? "0",
    key_id: textOrNull(row.key_id),
  };
}

/** Every second one is executed. */
function addEnded(ask: Ask, { chain, count, keyId, atMs }: Ended): void {
  const entry = `INSERT INTO ledger (at_ms, kind, reference, balance_atoms, in_flight_atoms, key_id)
    VALUES (?, ?, ?, ?, ?, ?)`;
  const executed = Math.ceil(count / 2);
  ask(entry, atMs, "deposit", "a deposit", String(executed * CHARGED_ATOMS), "0", null);
  const addSponsorship = chain === "sui" ? addEndedSui : addEndedAptos;
  for (let serial = 0; serial < count; serial++) {
    const isExecuted = serial % 2 === 0;
    addSponsorship(ask, { serial, isExecuted, keyId, atMs });
    const name = endedName(chain, serial);
    ask(entry, atMs, "reserve", name, "0", String(BUDGET_ATOMS), keyId);
    if (isExecuted) ask(entry, atMs, "charge", name, String(-CHARGED_ATOMS), String(-BUDGET_ATOMS), keyId);
    else ask(entry, atMs, "release", name, "0", String(-BUDGET_ATOMS), keyId);
  }
}

interface EndedRow {
  readonly serial: number;
  readonly isExecuted: boolean;
  readonly keyId: string;
  readonly atMs: number;
}

function addEndedSui(ask: Ask, { serial, isExecuted, keyId, atMs }: EndedRow): void {
  ask(
    `INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist,
       expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist)
     VALUES (?, ?, zeroblob(?), ?, ?, ?, ?, ?, ?, ?, ?, ?, '0', ?)`,
    endedDigest(serial),
    isExecuted ? "complete" : "dead",
    KEPT_BYTES,
    `0x${String(serial % 7).repeat(64)}`,
    keyId,
    `0x${"a".repeat(64)}`,
    digits20(BUDGET_ATOMS),
    digits20(5),
    atMs,
    atMs + 1,
    isExecuted ? String(CHARGED_ATOMS) : null,
    isExecuted ? atMs : null,
    isExecuted ? "7" : null,
  );
}

function addEndedAptos(ask: Ask, { serial, isExecuted, keyId, atMs }: EndedRow): void {
  ask(
    `INSERT INTO aptos_sponsorship (id, state, sender, sequence_number, raw_transaction, secondary_addresses, hash,
       key_id, gas_budget, fee, created_at_ms, expires_at_ms, charged, rebate, committed_version, resends)
     VALUES (?, ?, ?, ?, zeroblob(?), '', ?, ?, ?, '0', ?, ?, ?, ?, ?, 1)`,
    aptosId(serial),
    isExecuted ? "complete" : "dead",
    `0x${"6".repeat(64)}`,
    digits20(serial),
    KEPT_BYTES,
    isExecuted ? aptosId(serial) : null,
    keyId,
    String(BUDGET_ATOMS),
    atMs,
    atMs + 1,
    isExecuted ? String(CHARGED_ATOMS) : null,
    isExecuted ? "7" : null,
    isExecuted ? digits20(1) : null,
  );
}

function isOurs(name: string): boolean {
  return !/^(_cf_|sqlite_)/.test(name);
}

function namesOf(ask: Ask, type: "table" | "index"): readonly string[] {
  return ask("SELECT name FROM sqlite_master WHERE type = ? AND sql IS NOT NULL", type)
    .map(({ name }) => String(name))
    .filter(isOurs);
}

function tablesOf(ask: Ask): readonly string[] {
  return namesOf(ask, "table");
}

function columnsOf(ask: Ask, table: string): readonly string[] {
  return ask(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => String(name));
}
