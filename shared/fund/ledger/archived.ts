import * as z from "zod";
import { type LedgerRow, ledgerKinds } from "./books.ts";

const atoms = z.string().transform(BigInt);
/** Later versions may append fields. */
const recordSchema = z.tuple([
  z.int(),
  z.enum(ledgerKinds),
  z.string(),
  z.string().nullable(),
  atoms,
  atoms,
  atoms,
  atoms,
]);

/** Encodes a ledger row as its archive keeps it. */
export function encodeLedgerRow(row: LedgerRow): string {
  const amounts = [row.balanceAtoms, row.addressBalanceAtoms, row.inFlightAtoms, row.accruedFeesAtoms];
  return JSON.stringify([row.atMs, row.kind, row.reference, row.keyId, ...amounts.map(String)]);
}

/** Decodes a ledger row from its archive. Throws if the record is not one. */
export function decodeLedgerRow(record: string): LedgerRow {
  const [atMs, kind, reference, keyId, balanceAtoms, addressBalanceAtoms, inFlightAtoms, accruedFeesAtoms] =
    recordSchema.parse(JSON.parse(record));
  return { atMs, kind, reference, keyId, balanceAtoms, addressBalanceAtoms, inFlightAtoms, accruedFeesAtoms };
}
