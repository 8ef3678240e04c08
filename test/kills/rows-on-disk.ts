import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import * as z from "zod";
import { archiveName, monthOf } from "../../shared/fund/archive/months.ts";
import { decodeLedgerRow } from "../../shared/fund/ledger/archived.ts";
import type { FundTotals } from "../../shared/fund/ledger/books.ts";
import type { Chain } from "../../shared/networks.ts";
import { fundFile, objectFile } from "../harness/disk.ts";
import { unpacked } from "../support/fund/sqlite-fund.ts";

/** The rows of a fund and of its archives, read from the files: while the service runs, or after it was killed. */

const DAY_MS = 86_400_000;
const DAYS_ABOUT_NOW = 4;
const LOCKED_MS = 5_000;
/** The tables of sponsorships: of version 5, and compact. The first column is the number, the second one the name. */
const SPONSORSHIPS = {
  sui: [
    "SELECT rowid AS number, digest AS name FROM sponsorship",
    "SELECT seq AS number, digest AS name FROM sponsorship_row",
  ],
  aptos: [
    "SELECT rowid AS number, id AS name FROM aptos_sponsorship",
    "SELECT seq AS number, id AS name FROM aptos_sponsorship_row",
  ],
} as const satisfies Record<Chain, readonly [string, string]>;
const AMOUNTS = "balance_atoms, address_balance_atoms, in_flight_atoms, accrued_fees_atoms";

const moveSchema = z.object({ ledgerUpTo: z.int(), sponsorships: z.array(z.object({ reference: z.string() })) });

/**
 * Opens a file for reading. A service that starts must not find a reader that repairs the file's index after a kill. So
 * open it while the service is down, or once it uses the file.
 */
function openToRead(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: LOCKED_MS });
}

/** Reads the step of a fund's recovery, as often as it is asked. Null if there was none. */
export class RecoverySteps {
  readonly #database: DatabaseSync;

  constructor(stateDirectory: string, fundId: string) {
    this.#database = openToRead(fundFile(stateDirectory, fundId));
  }

  now(): string | null {
    const text = this.#database.prepare("SELECT recovery FROM fund").get()?.recovery;
    return typeof text === "string" ? z.object({ step: z.string() }).parse(JSON.parse(text)).step : null;
  }

  close(): void {
    this.#database.close();
  }
}

/** Names the files of a fund's archives of the months about now. */
function archiveFiles(stateDirectory: string, fundId: string): readonly string[] {
  const months = new Set<string>();
  for (let day = -DAYS_ABOUT_NOW; day <= DAYS_ABOUT_NOW; day++) months.add(monthOf(Date.now() + day * DAY_MS));
  const files = [...months].map((month) => objectFile(stateDirectory, "FundArchive", archiveName(fundId, month)));
  return files.filter((path) => existsSync(path));
}

type Amounts = Readonly<Record<keyof FundTotals, bigint>>;

/** The rows of one place. */
interface Rows {
  readonly sponsorships: ReadonlyMap<number, string>;
  readonly ledger: ReadonlyMap<number, Amounts>;
}

/** Reads one fund's file, and its archives. It sees what is committed. */
export class FundFiles {
  readonly #chain: Chain;
  readonly #state: string;
  readonly #fundId: string;
  readonly #fund: DatabaseSync;
  readonly #archives = new Map<string, DatabaseSync>();

  constructor(stateDirectory: string, chain: Chain, fundId: string) {
    this.#chain = chain;
    this.#state = stateDirectory;
    this.#fundId = fundId;
    this.#fund = openToRead(fundFile(stateDirectory, fundId));
  }

  close(): void {
    this.#fund.close();
    for (const archive of this.#archives.values()) archive.close();
  }

  /** How many rows of version 5 are left. Null if its tables are still the newest ones. */
  left(): number | null {
    if (!this.#hasTable("ledger_row")) return null;
    const tables = [this.#chain === "sui" ? "sponsorship" : "aptos_sponsorship", "ledger"];
    return tables.reduce((sum, name) => sum + (this.#hasTable(name) ? this.#count(name) : 0), 0);
  }

  /** How many sponsorships have left the fund. */
  archived(): number {
    return this.#counted().sponsorships;
  }

  /** The step of the archive that is under way. */
  move(): z.output<typeof moveSchema> | null {
    const row = this.#fund.prepare("SELECT move FROM archive_move").get();
    return row === undefined ? null : moveSchema.parse(JSON.parse(String(row.move)));
  }

  /** Whether an archive has the last row of the step under way. Null if there is no step. */
  isCopied(): boolean | null {
    const move = this.move();
    if (move === null) return null;
    const name = move.sponsorships.at(-1)?.reference ?? "";
    const query = "SELECT 1 FROM sponsorship WHERE name = ? UNION SELECT 1 FROM ledger WHERE number = ?";
    return this.#openArchives().some((archive) => archive.prepare(query).get(name, move.ledgerUpTo) !== undefined);
  }

  /**
   * Expects that every row is in exactly one table, and in one archive at most. Only the rows of the step under way may
   * be in both places. The fund counts the archived rows, and its totals are the sums of all rows.
   *
   * @returns the names of all sponsorships.
   */
  expectEachRowOnce(): ReadonlySet<string> {
    const fund = this.#rowsOfFund();
    const archived = this.#openArchives().map((archive) => this.#rowsOfArchive(archive));
    const move = this.#hasTable("archive_move") ? this.move() : null;
    const moving = new Set(move?.sponsorships.map(({ reference }) => reference));
    const sponsorships = new Map<number, string>();
    const ledger = new Map<number, Amounts>();
    const both = { sponsorships: 0, ledger: 0 };
    for (const rows of archived) {
      putAll("in two archives", sponsorships, rows.sponsorships);
      putAll("in two archives", ledger, rows.ledger);
    }
    const inArchives = { sponsorships: sponsorships.size, ledger: ledger.size };
    for (const [number, name] of fund.sponsorships)
      if (sponsorships.has(number)) {
        if (!moving.has(name)) throw new Error(`${name} is in both places`);
        both.sponsorships += 1;
      } else sponsorships.set(number, name);
    for (const [number, amounts] of fund.ledger)
      if (ledger.has(number)) {
        if (number > (move?.ledgerUpTo ?? 0)) throw new Error(`ledger row ${number} is in both places`);
        both.ledger += 1;
      } else ledger.set(number, amounts);
    expect(this.#counted(), "the fund counts what has moved").toEqual({
      sponsorships: inArchives.sponsorships - both.sponsorships,
      ledger: inArchives.ledger - both.ledger,
    });
    const names = new Set(sponsorships.values());
    expect(names.size, "each sponsorship has one number").toBe(sponsorships.size);
    expect(Math.max(...ledger.keys()), "no number of the ledger is missing").toBe(ledger.size);
    expect(sumOf(ledger.values()), "the totals are the sums of all rows").toEqual(this.#totals());
    return names;
  }

  #rowsOfFund(): Rows {
    const sponsorships = new Map<number, string>();
    const ledger = new Map<number, Amounts>();
    for (const query of SPONSORSHIPS[this.#chain])
      if (this.#hasTable(query.slice(query.lastIndexOf(" ") + 1)))
        putAll("in two tables", sponsorships, named(this.#fund, query));
    for (const table of ["ledger", "ledger_row"])
      if (this.#hasTable(table)) {
        const rows = this.#fund.prepare(`SELECT sequence, ${AMOUNTS} FROM ${table}`).all();
        putAll("in two tables", ledger, new Map(rows.map((row) => [Number(row.sequence), amountsOfRow(row)])));
      }
    return { sponsorships, ledger };
  }

  #rowsOfArchive(archive: DatabaseSync): Rows {
    const ledger = archive.prepare("SELECT number, record FROM ledger").all();
    return {
      sponsorships: named(archive, "SELECT number, name FROM sponsorship"),
      ledger: new Map(ledger.map(({ number, record }) => [Number(number), amountsOfRecord(String(record))])),
    };
  }

  #counted() {
    const contents = this.#hasTable("archive_month")
      ? this.#fund.prepare("SELECT content FROM archive_month").all()
      : [];
    const counted = contents.map(({ content }) => contentSchema.parse(JSON.parse(String(content))).sums);
    return {
      sponsorships: counted.reduce((sum, { sponsorships }) => sum + sponsorships, 0),
      ledger: counted.reduce((sum, { ledgerRows }) => sum + ledgerRows, 0),
    };
  }

  #totals(): Amounts {
    const totals = this.#fund.prepare(`SELECT ${AMOUNTS} FROM totals`).get();
    if (totals === undefined) throw new Error("the fund has no totals");
    return amountsOfRow(totals);
  }

  #openArchives(): readonly DatabaseSync[] {
    for (const path of archiveFiles(this.#state, this.#fundId))
      if (!this.#archives.has(path)) {
        const archive = openToRead(path);
        // The file is there before its tables.
        if (hasTable(archive, "treasury")) this.#archives.set(path, archive);
        else archive.close();
      }
    return [...this.#archives.values()];
  }

  #hasTable(name: string): boolean {
    return hasTable(this.#fund, name);
  }

  #count(table: string): number {
    return Number(this.#fund.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()?.count);
  }
}

const contentSchema = z.object({ sums: z.object({ sponsorships: z.int(), ledgerRows: z.int() }) });

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== undefined;
}

function named(database: DatabaseSync, query: string): ReadonlyMap<number, string> {
  const rows = database.prepare(query).all();
  return new Map(rows.map(({ number, name }) => [Number(number), nameOf(name)]));
}

/** Each kill reads the same tens of thousands of rows again. What a value says is worked out once. */
const names = new Map<string, string>();
const records = new Map<string, Amounts>();

function nameOf(stored: unknown): string {
  if (typeof stored === "string") return stored;
  if (!(stored instanceof Uint8Array)) throw new Error("a name is neither a text nor bytes");
  const key = Buffer.from(stored).toString("latin1");
  const name = names.get(key) ?? unpacked(stored);
  names.set(key, name);
  return name;
}

function amountsOfRecord(record: string): Amounts {
  const amounts = records.get(record) ?? decodeLedgerRow(record);
  records.set(record, amounts);
  return amounts;
}

type Row = NonNullable<ReturnType<ReturnType<DatabaseSync["prepare"]>["get"]>>;

function amountsOfRow(row: Row): Amounts {
  return {
    balanceAtoms: atomsOf(row.balance_atoms),
    addressBalanceAtoms: atomsOf(row.address_balance_atoms),
    inFlightAtoms: atomsOf(row.in_flight_atoms),
    accruedFeesAtoms: atomsOf(row.accrued_fees_atoms),
  };
}

/** Amounts are texts. A column that says nothing is 0. */
function atomsOf(stored: Row[string] | undefined): bigint {
  if (stored === null || stored === undefined) return 0n;
  if (typeof stored !== "string") throw new Error(`an amount is no text: ${typeof stored}`);
  return BigInt(stored);
}

/** Adds what is not there yet. An `expect` for each row would take most of a test's time. */
function putAll<Value>(what: string, to: Map<number, Value>, from: ReadonlyMap<number, Value>): void {
  for (const [number, value] of from) {
    if (to.has(number)) throw new Error(`row ${number} is ${what}`);
    to.set(number, value);
  }
}

function sumOf(all: Iterable<Amounts>): Amounts {
  const sum = { balanceAtoms: 0n, addressBalanceAtoms: 0n, inFlightAtoms: 0n, accruedFeesAtoms: 0n };
  for (const amounts of all) {
    sum.balanceAtoms += amounts.balanceAtoms;
    sum.addressBalanceAtoms += amounts.addressBalanceAtoms;
    sum.inFlightAtoms += amounts.inFlightAtoms;
    sum.accruedFeesAtoms += amounts.accruedFeesAtoms;
  }
  return sum;
}
