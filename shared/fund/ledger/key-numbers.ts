/** Part of version 6. Rows name an access key by a small number. */
export const KEY_NUMBERS_MIGRATION_6 = `
  CREATE TABLE key_number (number INTEGER PRIMARY KEY, key_id TEXT NOT NULL UNIQUE) STRICT;
`;

/** Numbers the access keys of a fund's rows. A number is never given to another key. Memory keeps those that were read. */
export class KeyNumbers {
  readonly #sql: SqlStorage;
  readonly #onRollback: (undo: () => void) => void;
  readonly #numbers = new Map<string, number>();
  readonly #keyIds = new Map<number, string>();

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#onRollback = onRollback;
  }

  /** Returns the number of a key. A new key gets one. */
  numberOf(keyId: string): number {
    const known = this.find(keyId);
    if (known !== null) return known;
    const { number } = this.#sql
      .exec<{ number: number }>("INSERT INTO key_number (key_id) VALUES (?) RETURNING number", keyId)
      .one();
    this.#onRollback(() => {
      this.#numbers.delete(keyId);
      this.#keyIds.delete(number);
    });
    return this.#remember(keyId, number);
  }

  /** Finds the number of a key. Null if no row ever named it. */
  find(keyId: string): number | null {
    const known = this.#numbers.get(keyId);
    if (known !== undefined) return known;
    const [row] = this.#sql.exec<{ number: number }>("SELECT number FROM key_number WHERE key_id = ?", keyId).toArray();
    return row === undefined ? null : this.#remember(keyId, row.number);
  }

  /** Returns the key of a number. Throws if there is none. */
  keyIdOf(number: number): string {
    const known = this.#keyIds.get(number);
    if (known !== undefined) return known;
    const [row] = this.#sql
      .exec<{ key_id: string }>("SELECT key_id FROM key_number WHERE number = ?", number)
      .toArray();
    if (row === undefined) throw new Error(`no access key has number ${number}`);
    this.#remember(row.key_id, number);
    return row.key_id;
  }

  #remember(keyId: string, number: number): number {
    this.#numbers.set(keyId, number);
    this.#keyIds.set(number, keyId);
    return number;
  }
}
