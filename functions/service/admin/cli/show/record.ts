import type { Chain } from "../../../../../shared/networks.ts";
import { isRecord } from "../flags.ts";
import { entryOf, fieldOf, isAtoms, type JsonSchema } from "../json-schema.ts";
import { inert } from "../terminal/inert.ts";
import type { TableLooks } from "../terminal/text-table.ts";
import { widthOf } from "../terminal/width.ts";
import { alignedAmounts, cellOf } from "./cells.ts";
import { chainOfItem, type Item, listLines } from "./list.ts";

/** One line of a record, or a table below it. */
interface Line {
  readonly name: string;
  readonly text: string;
  readonly isAmount: boolean;
  readonly below: readonly string[];
}

function isListOfRecords(value: unknown): value is readonly Item[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/** Returns whether a field of an item has fields of its own. A table has no room for them. */
function isNested(item: Item): boolean {
  return Object.values(item).some((value) => isRecord(value) || isListOfRecords(value));
}

function linesOf(
  schema: JsonSchema,
  record: Item,
  prefix: string,
  chain: Chain | null,
  looks: TableLooks,
): readonly Line[] {
  return Object.entries(record).flatMap(([field, value]): readonly Line[] => {
    const name = prefix + inert(field);
    const inner = fieldOf(schema, field) ?? {};
    if (isRecord(value) && Object.keys(value).length > 0) return linesOf(inner, value, `${name}.`, chain, looks);
    if (isListOfRecords(value) && value.some(isNested))
      return value.flatMap((item, index) => {
        const itemChain = chainOfItem(item) ?? chain;
        return linesOf(entryOf(inner) ?? {}, item, `${name}.${index + 1}.`, itemChain, looks);
      });
    if (isListOfRecords(value)) {
      const below = listLines(entryOf(inner) ?? {}, value, Object.keys(value[0] ?? {}), chain, looks);
      return [{ name, text: "", isAmount: false, below }];
    }
    return [{ name, text: cellOf(inner, value, chain), isAmount: isAtoms(inner), below: [] }];
  });
}

/** Returns the lines of one thing: a name and a value each. Lists within it are tables. */
export function recordLines(
  schema: JsonSchema,
  record: Item,
  chain: Chain | null,
  looks: TableLooks,
): readonly string[] {
  const lines = linesOf(schema, record, "", chainOfItem(record) ?? chain, looks);
  const width = Math.max(0, ...lines.map(({ name }) => widthOf(name)));
  const amounts = alignedAmounts(lines.map(({ text, isAmount }) => (isAmount ? text : "")));
  const widest = Math.max(0, ...amounts.map(widthOf));
  return lines.flatMap(({ name, text, isAmount, below }, index) => {
    const shown = isAmount && text !== "-" ? (amounts[index] ?? "").padStart(widest) : text;
    const label = looks.head(name) + " ".repeat(width - widthOf(name));
    return [`${label}  ${shown}`.trimEnd(), ...below.map((line) => `  ${line}`)];
  });
}
