import { oneOf, type Row } from "../../durable/sql.ts";
import { type LedgerKind, type LedgerRow, ledgerKinds } from "./books.ts";

type LedgerTableRow = Row<{
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

/** A row with its number in the ledger. Numbers grow, and no number is used twice. */
export interface NumberedLedgerRow {
  readonly number: number;
  readonly row: LedgerRow;
}

function numbered(row: LedgerTableRow): NumberedLedgerRow {
  return {
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
  };
}

/** Stores the ledger rows of a fund that are not archived yet. */
export class SqliteLedger {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(row: LedgerRow): void {
    this.#sql.exec(
      `INSERT INTO ledger (at_ms, kind, reference, key_id, balance_atoms, address_balance_atoms, in_flight_atoms,
         accrued_fees_atoms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      row.atMs,
      row.kind,
      row.reference,
      row.keyId,
      row.balanceAtoms.toString(),
      row.addressBalanceAtoms.toString(),
      row.inFlightAtoms.toString(),
      row.accruedFeesAtoms.toString(),
    );
  }

  /** Lists rows with numbers below `below`, highest first. */
  below(below: number, limit: number): readonly NumberedLedgerRow[] {
    return this.#sql
      .exec<LedgerTableRow>("SELECT * FROM ledger WHERE sequence < ? ORDER BY sequence DESC LIMIT ?", below, limit)
      .toArray()
      .map(numbered);
  }

  /** Lists the oldest rows, oldest first. */
  oldest(limit: number): readonly NumberedLedgerRow[] {
    return this.#sql
      .exec<LedgerTableRow>("SELECT * FROM ledger ORDER BY sequence LIMIT ?", limit)
      .toArray()
      .map(numbered);
  }

  /** Deletes the rows up to a number. */
  removeUpTo(number: number): void {
    this.#sql.exec("DELETE FROM ledger WHERE sequence <= ?", number);
  }

  /** Returns the number of the last row before a time. 0 if there is none. */
  numberBefore(atMs: number): number {
    const [row] = this.#sql
      .exec<{ sequence: number }>("SELECT sequence FROM ledger WHERE at_ms < ? ORDER BY sequence DESC LIMIT 1", atMs)
      .toArray();
    return row?.sequence ?? 0;
  }
}
