/** A table of texts, each with a number as its primary key. */
export interface TextTable {
  readonly name: string;
  /** The unique column of the texts. */
  readonly column: string;
}

/**
 * Numbers the texts of a fund's rows. A number is never given to another text. Memory keeps the texts that were read.
 */
export class TextNumbers {
  readonly #sql: SqlStorage;
  readonly #table: TextTable;
  readonly #onRollback: (undo: () => void) => void;
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  #count: number | null = null;

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, table: TextTable, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#table = table;
    this.#onRollback = onRollback;
  }

  /** Returns the number of a text. A new text gets one. */
  numberOf(text: string): number {
    const known = this.find(text);
    if (known !== null) return known;
    const { name, column } = this.#table;
    const { number } = this.#sql
      .exec<{ number: number }>(`INSERT INTO ${name} (${column}) VALUES (?) RETURNING number`, text)
      .one();
    this.#count = null;
    this.#onRollback(() => {
      this.#numbers.delete(text);
      this.#texts.delete(number);
      this.#count = null;
    });
    return this.#remember(text, number);
  }

  /** Finds the number of a text. Null if no row ever named it. */
  find(text: string): number | null {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const { name, column } = this.#table;
    const [row] = this.#sql.exec<{ number: number }>(`SELECT number FROM ${name} WHERE ${column} = ?`, text).toArray();
    return row === undefined ? null : this.#remember(text, row.number);
  }

  /** Returns the text of a number. Throws for an unknown number. */
  textOf(number: number): string {
    const known = this.#texts.get(number);
    if (known !== undefined) return known;
    const { name, column } = this.#table;
    const [row] = this.#sql
      .exec<{ text: string }>(`SELECT ${column} AS text FROM ${name} WHERE number = ?`, number)
      .toArray();
    if (row === undefined) throw new Error(`${name} has no number ${number}`);
    this.#remember(row.text, number);
    return row.text;
  }

  /** Counts the texts. */
  count(): number {
    this.#count ??= this.#sql.exec<{ count: number }>(`SELECT COUNT(*) AS count FROM ${this.#table.name}`).one().count;
    return this.#count;
  }

  #remember(text: string, number: number): number {
    this.#numbers.set(text, number);
    this.#texts.set(number, text);
    return number;
  }
}
