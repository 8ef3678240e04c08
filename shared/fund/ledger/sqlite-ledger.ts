import { type NumberedTable, type Scanned, type ScanStart, scan } from "../../durable/scan.ts";
import { hasTable, oneOf, type Row, WordNumbers } from "../../durable/sql.ts";
import { keyCondition } from "../lists/conditions.ts";
import type { LedgerFilter } from "../lists/filter.ts";
import { newestOf, type OldTable, oldestOf } from "../old-rows.ts";
import { type Packed, pack, unpack } from "../packed.ts";
import { type LedgerKind, type LedgerRow, ledgerKinds } from "./books.ts";
import type { KeyNumbers } from "./key-numbers.ts";

/** The table of version 5, whose rows move to `ledger_row`. */
export const OLD_LEDGER = "ledger";

/** Part of version 6. The reference is packed. An amount that is zero takes no space. Sequence numbers continue. */
export const LEDGER_MIGRATION_6 = `
  CREATE TABLE ledger_row (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    reference ANY NOT NULL,
    key_number INTEGER,
    balance_atoms TEXT,
    address_balance_atoms TEXT,
    in_flight_atoms TEXT,
    accrued_fees_atoms TEXT
  ) STRICT;
  INSERT INTO ledger_row (sequence, at_ms, kind, reference)
    SELECT MAX(sequence), 0, 0, '' FROM ledger HAVING MAX(sequence) IS NOT NULL;
  DELETE FROM ledger_row;
`;

/**
 * Part of version 10. A sponsorship's row has the numbers of its ledger rows. So only the rows of other causes are in
 * this index, and a sponsorship pays for none. Its numbers of kinds are those of `reserve`, `release` and `charge`.
 */
export const LEDGER_MIGRATION_10 = `
  CREATE INDEX ledger_row_of_others ON ledger_row (reference) WHERE kind NOT IN (3, 4, 5);
`;

const kinds = new WordNumbers<LedgerKind>({
  deposit: 2,
  reserve: 3,
  release: 4,
  charge: 5,
  recycle: 6,
  split: 7,
  convert: 8,
  withdraw: 9,
  adjustment: 10,
  correction: 11,
});
const LEDGER_TABLE: NumberedTable = { name: "ledger_row", number: "sequence" };
/** The kinds of rows that no transaction of the fund causes. */
const OUTSIDE: readonly LedgerKind[] = ["deposit", "adjustment", "correction"];

type OldLedgerRow = Row<{
  sequence: number;
  at_ms: number;
  kind: string;
  reference: string;
  key_id: string | null;
  balance_atoms: string;
  address_balance_atoms: string;
  in_flight_atoms: string;
  accrued_fees_atoms: string;
}>;

type LedgerTableRow = Row<{
  sequence: number;
  at_ms: number;
  kind: number;
  reference: ArrayBuffer | string;
  key_number: number | null;
  balance_atoms: string | null;
  address_balance_atoms: string | null;
  in_flight_atoms: string | null;
  accrued_fees_atoms: string | null;
}>;

/** A row with its number in the ledger. Numbers only grow, and are never reused. */
export interface NumberedLedgerRow {
  readonly number: number;
  readonly row: LedgerRow;
}

/** One change of the address balance in the ledger. Negative if money went out. */
export interface AddressBalanceChange {
  readonly sequence: number;
  readonly reference: string;
  readonly changeAtoms: bigint;
}

/**
 * Stores the ledger rows of a fund that are not archived yet. Rows of version 5 stay in their own table until they have moved, under the same sequence numbers.
 * So each reader joins both tables.
 */
export class SqliteLedger implements OldTable {
  readonly name = OLD_LEDGER;
  readonly #sql: SqlStorage;
  readonly #keys: KeyNumbers;
  #hasOld: boolean | null = null;

  constructor(sql: SqlStorage, keys: KeyNumbers) {
    this.#sql = sql;
    this.#keys = keys;
  }

  /** Adds a row and returns its number. */
  add(row: LedgerRow): number {
    return this.#insert(null, row);
  }

  /** Lists rows with numbers below `below`, highest first. */
  below(below: number, limit: number): readonly NumberedLedgerRow[] {
    const where = "WHERE sequence < ? ORDER BY sequence DESC LIMIT ?";
    return newestOf(this.#rows(where, below, limit), this.#oldRows(where, below, limit), limit);
  }

  /** Lists rows that a filter selects. Does not read rows of version 5. */
  scan(filter: LedgerFilter, start: ScanStart): Scanned<NumberedLedgerRow> {
    const { kind, reference } = filter;
    const where = [
      ...keyCondition(filter.keyId, this.#keys),
      ...(kind === null ? [] : [{ sql: "kind = ?", bindings: [kinds.numberOf(kind)] }]),
      ...(reference === null ? [] : [{ sql: "reference = ?", bindings: [pack(reference)] }]),
    ];
    const span = { ...filter, column: "at_ms" };
    const { rows, reached } = scan<LedgerTableRow>(this.#sql, "*", LEDGER_TABLE, where, span, start);
    return { rows: rows.map((row) => this.#rowOf(row)), reached };
  }

  /** Lists the oldest rows, oldest first. */
  oldest(limit: number): readonly NumberedLedgerRow[] {
    const where = "ORDER BY sequence LIMIT ?";
    return oldestOf(this.#rows(where, limit), this.#oldRows(where, limit), limit);
  }

  /** Deletes the rows up to a number. */
  removeUpTo(number: number): void {
    this.#sql.exec("DELETE FROM ledger_row WHERE sequence <= ?", number);
    if (this.hasOld()) this.#sql.exec(`DELETE FROM ${OLD_LEDGER} WHERE sequence <= ?`, number);
  }

  /** Returns the number of the last row before a time. 0 without such a row. */
  numberBefore(atMs: number): number {
    const last = (table: string) =>
      this.#sql
        .exec<{ sequence: number }>(
          `SELECT sequence FROM ${table} WHERE at_ms < ? ORDER BY sequence DESC LIMIT 1`,
          atMs,
        )
        .toArray()[0]?.sequence ?? 0;
    return Math.max(last("ledger_row"), this.hasOld() ? last(OLD_LEDGER) : 0);
  }

  /** Returns the changes of the address balance by the fund's transactions, in rows after this sequence, oldest first. */
  addressBalanceChangesAfter(sequence: number): readonly AddressBalanceChange[] {
    const after = "WHERE sequence > ?";
    return [
      ...this.#rows(`${after} AND address_balance_atoms IS NOT NULL`, sequence),
      ...this.#oldRows(`${after} AND address_balance_atoms <> '0'`, sequence),
    ]
      .filter(({ row }) => !OUTSIDE.includes(row.kind))
      .sort((a, b) => a.number - b.number)
      .map(({ number, row: { reference, addressBalanceAtoms } }) => ({
        sequence: number,
        reference,
        changeAtoms: addressBalanceAtoms,
      }));
  }

  /** Lists the rows of a coin or of a transaction of the fund's own, oldest first. */
  ofReference(reference: string): readonly LedgerRow[] {
    const rows = this.#rows("WHERE reference = ? AND kind NOT IN (3, 4, 5) ORDER BY sequence", pack(reference));
    return [...this.#oldRows("WHERE reference = ? ORDER BY sequence", reference), ...rows].map(({ row }) => row);
  }

  /** Lists the last rows that changed the address balance, newest first. */
  lastAddressBalanceRows(limit: number): readonly LedgerRow[] {
    const newest = "ORDER BY sequence DESC LIMIT ?";
    const rows = this.#rows(`WHERE address_balance_atoms IS NOT NULL ${newest}`, limit);
    const old = this.#oldRows(`WHERE address_balance_atoms <> '0' ${newest}`, limit);
    return newestOf(rows, old, limit).map(({ row }) => row);
  }

  hasOld(): boolean {
    this.#hasOld ??= hasTable(this.#sql, OLD_LEDGER);
    return this.#hasOld;
  }

  moveSome(limit: number): number {
    const rows = this.#oldRows("ORDER BY sequence LIMIT ?", limit);
    for (const { number, row } of rows) this.#insert(number, row);
    const last = rows.at(-1);
    if (last !== undefined) this.#sql.exec("DELETE FROM ledger WHERE sequence <= ?", last.number);
    return rows.length;
  }

  forgetOld(): void {
    this.#hasOld = null;
  }

  #insert(number: number | null, row: LedgerRow): number {
    const inserted = this.#sql.exec<{ sequence: number }>(
      `INSERT INTO ledger_row (sequence, at_ms, kind, reference, key_number, balance_atoms, address_balance_atoms,
         in_flight_atoms, accrued_fees_atoms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING sequence`,
      number,
      row.atMs,
      kinds.numberOf(row.kind),
      pack(row.reference),
      row.keyId === null ? null : this.#keys.numberOf(row.keyId),
      textOf(row.balanceAtoms),
      textOf(row.addressBalanceAtoms),
      textOf(row.inFlightAtoms),
      textOf(row.accruedFeesAtoms),
    );
    return inserted.one().sequence;
  }

  #rows(where: string, ...bindings: (SqlStorageValue | Packed)[]): readonly NumberedLedgerRow[] {
    const rows = this.#sql.exec<LedgerTableRow>(`SELECT * FROM ledger_row ${where}`, ...bindings).toArray();
    return rows.map((row) => this.#rowOf(row));
  }

  #rowOf(row: LedgerTableRow): NumberedLedgerRow {
    return {
      number: row.sequence,
      row: {
        atMs: row.at_ms,
        kind: kinds.wordOf(row.kind),
        reference: unpack(row.reference),
        keyId: row.key_number === null ? null : this.#keys.keyIdOf(row.key_number),
        balanceAtoms: BigInt(row.balance_atoms ?? 0),
        addressBalanceAtoms: BigInt(row.address_balance_atoms ?? 0),
        inFlightAtoms: BigInt(row.in_flight_atoms ?? 0),
        accruedFeesAtoms: BigInt(row.accrued_fees_atoms ?? 0),
      },
    };
  }

  #oldRows(where: string, ...bindings: SqlStorageValue[]): readonly NumberedLedgerRow[] {
    if (!this.hasOld()) return [];
    const rows = this.#sql.exec<OldLedgerRow>(`SELECT * FROM ${OLD_LEDGER} ${where}`, ...bindings).toArray();
    return rows.map((row) => ({
      number: row.sequence,
      row: {
        atMs: row.at_ms,
        kind: oneOf<LedgerKind>(row.kind, ledgerKinds),
        reference: row.reference,
        keyId: row.key_id,
        balanceAtoms: BigInt(row.balance_atoms),
        addressBalanceAtoms: BigInt(row.address_balance_atoms),
        inFlightAtoms: BigInt(row.in_flight_atoms),
        accruedFeesAtoms: BigInt(row.accrued_fees_atoms),
      },
    }));
  }
}

function textOf(amount: bigint): string | null {
  return amount === 0n ? null : amount.toString();
}
