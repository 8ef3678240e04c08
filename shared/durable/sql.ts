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

/**
 * Writes a limit into the text of a statement. SQLite plans by a bound limit, and so prepares the statement anew for
 * each call.
 *
 * @param count rows; one of a few numbers. Each makes a statement of its own, which the runtime keeps. Bind a limit that
 *   varies.
 * @throws if it is negative or no integer.
 */
export function limitedTo(count: number): string {
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`${count} is not a count of rows`);
  return `LIMIT ${count}`;
}

/** Reads stored digits. Null stays null. */
export function bigintOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

/**
 * Writes words as numbers, which take a byte. The numbers are part of the stored format: a new word gets a new one.
 * They begin at 2. SQLite stores 0 and 1 in no byte, so a row would grow when it leaves them.
 */
export class WordNumbers<Word extends string> {
  readonly #numbers: Readonly<Record<Word, number>>;
  readonly #words: ReadonlyMap<number, Word>;

  constructor(numbers: Readonly<Record<Word, number>>) {
    this.#numbers = numbers;
    const words = Object.keys(numbers) as Word[];
    this.#words = new Map(words.map((word) => [numbers[word], word]));
  }

  numberOf(word: Word): number {
    return this.#numbers[word];
  }

  /** Returns the number of any text. Null if it is not one of the words. */
  find(text: string): number | null {
    for (const [number, word] of this.#words) if (word === text) return number;
    return null;
  }

  /** Reads a stored number. Throws if no word has it. */
  wordOf(number: number): Word {
    const word = this.#words.get(number);
    if (word === undefined) throw new Error(`unknown state ${number} in storage`);
    return word;
  }
}

/** Returns true if a table exists. */
export function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).toArray().length > 0;
}
