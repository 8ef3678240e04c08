import { TextNumbers } from "./text-numbers.ts";

/** Part of version 6. Rows name an access key by a small number. */
export const KEY_NUMBERS_MIGRATION_6 = `
  CREATE TABLE key_number (number INTEGER PRIMARY KEY, key_id TEXT NOT NULL UNIQUE) STRICT;
`;

/** Numbers the access keys of a fund's rows. */
export class KeyNumbers extends TextNumbers {
  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, onRollback: (undo: () => void) => void) {
    super(sql, { name: "key_number", column: "key_id" }, onRollback);
  }

  /** Returns the key of a number. Throws for an unknown number. */
  keyIdOf(number: number): string {
    return this.textOf(number);
  }
}
