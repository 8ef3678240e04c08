import type { ArchivedCondition, ArchivedRow } from "../../bindings/fund-archive.ts";
import type { Scanned, ScanStart } from "../../durable/scan.ts";

/** An item of a list, with its number in it. */
export interface NumberedItem<Item> {
  readonly number: number;
  readonly row: Item;
}

/** Reads the rows of a list that a filter selects, in the fund and in its archives. */
export interface FilteredRead<Item> {
  readonly inFund: (start: ScanStart) => Scanned<NumberedItem<Item>>;
  readonly where: readonly ArchivedCondition[];
  /** The place of the time in a record. */
  readonly timePlace: number;
  readonly decode: (record: string) => Item;
  /** Checks a row again. An archive of an earlier build may ignore a condition. Absent if every row fits. */
  readonly fits?: (item: Item) => boolean;
}

/** Decodes an archived row. */
export function numbered<Item>({ number, record }: ArchivedRow, decode: (record: string) => Item): NumberedItem<Item> {
  return { number, row: decode(record) };
}

/** Decodes the archived rows that fit. */
export function fittingRows<Item>(
  rows: readonly ArchivedRow[],
  { decode, fits = () => true }: FilteredRead<Item>,
): readonly NumberedItem<Item>[] {
  return rows.map((row) => numbered(row, decode)).filter(({ row }) => fits(row));
}
