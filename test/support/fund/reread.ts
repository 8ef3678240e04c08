/**
 * Reads rows again and again, few of which change in between. A row is decoded once for each content that it has. To
 * hand over each of its columns, and to decode it, takes most of the time of a read.
 *
 * @param query selects the rows, in any order.
 * @param order its column by which they are sorted.
 * @returns a function that reads all rows. A row with the same columns is the same object each time.
 */
export function reread<Row extends object, Decoded>(
  sql: SqlStorage,
  query: string,
  order: string,
  decode: (row: Row) => Decoded,
): () => Decoded[] {
  const names = sql.exec(`SELECT * FROM (${query}) LIMIT 0`).columnNames;
  const sorted = `FROM (${query}) ORDER BY ${order}`;
  const text = names.map((name) => `quote(${name})`).join(" || ' ' || ");
  const known = new Map<string, Decoded>();
  return () =>
    sql
      .exec<{ text: string }>(`SELECT ${text} AS text ${sorted}`)
      .toArray()
      .map(({ text }, index) => {
        const seen = known.get(text);
        if (seen !== undefined) return seen;
        const one = sql.exec<Row & Record<string, SqlStorageValue>>(`SELECT * ${sorted} LIMIT 1 OFFSET ?`, index);
        const decoded = decode(one.one());
        known.set(text, decoded);
        return decoded;
      });
}
