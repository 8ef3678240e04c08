/**
 * Looks up a word that a service of another build may have sent. Null if the table lacks it. A word such as
 * `constructor` is in no table.
 */
export function textOf<Value>(table: Readonly<Record<string, Value>>, word: string): Value | null {
  return Object.hasOwn(table, word) ? (table[word] ?? null) : null;
}
