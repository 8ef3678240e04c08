import type { Chain } from "../../../../../shared/networks.ts";
import { chainOf, networkSchema } from "../../../../../shared/networks.ts";
import { fieldOf, fieldsOf, isAtoms, type JsonSchema, nonNull } from "../json-schema.ts";
import type { TableLooks } from "../terminal/text-table.ts";
import { tableLines } from "../terminal/text-table.ts";
import { alignedAmounts, alignOf, cellOf } from "./cells.ts";

/** The reasons for the absence of a value, by its field. */
const ABSENT: Readonly<Record<string, string>> = { runwayDays: "needs a day of spending" };

/** One row of a list. */
export type Item = Readonly<Record<string, unknown>>;

/** A person copies an id, and a truncated time has no meaning. */
function isWhole(name: string, schema: JsonSchema): boolean {
  return name === "id" || nonNull(schema).format === "date-time";
}

/** Returns the chain of an item by its own network. Null if it names none. */
export function chainOfItem({ network }: Item): Chain | null {
  const known = networkSchema.safeParse(network);
  return known.success ? chainOf(known.data) : null;
}

/**
 * Returns the lines of a list.
 *
 * @param names the columns. Empty for all fields.
 * @param chain the chain of items that do not name their own.
 */
export function listLines(
  item: JsonSchema,
  items: readonly Item[],
  names: readonly string[],
  chain: Chain | null,
  looks: TableLooks,
): readonly string[] {
  const shown = (names.length > 0 ? names : fieldsOf(item).map(([name]) => name)).map((name) => {
    const schema = fieldOf(item, name) ?? {};
    const cells = items.map((row) => cellOf(schema, row[name] ?? ABSENT[name], chainOfItem(row) ?? chain));
    return { name, schema, cells: isAtoms(schema) ? alignedAmounts(cells) : cells };
  });
  const columns = shown.map(({ name, schema }) => ({
    title: name,
    align: alignOf(schema),
    isWhole: isWhole(name, schema),
  }));
  const rows = items.map((_, index) => shown.map(({ cells }) => cells[index] ?? ""));
  return tableLines(columns, rows, looks);
}
