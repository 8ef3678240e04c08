/** Columns of one row, as SQLite returns it. */
export type Row<Columns> = Columns & Record<string, SqlStorageValue>;

/** Reads a stored word as one of those that exist. Throws for any other. */
export function oneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === text);
  if (value === undefined) throw new Error(`unknown state ${text} in storage`);
  return value;
}

const U64_DIGITS = 20;

/** Writes fixed-width digits, which sort as numbers: SQLite integers end at 2^63, and reach JavaScript as doubles. */
export function u64Text(value: bigint): string {
  return value.toString().padStart(U64_DIGITS, "0");
}

/** Reads stored digits. Null stays null. */
export function bigintOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
