import type { Chain } from "../../../../../shared/networks.ts";
import { type Call, isOn, textOf } from "../command.ts";
import { isRecord } from "../flags.ts";
import { entryOf, fieldOf, type JsonSchema } from "../json-schema.ts";
import { inertJson, inertLines } from "../terminal/inert.ts";
import { type Screen, say, styled } from "../terminal/screen.ts";
import type { TableLooks } from "../terminal/text-table.ts";
import { type Item, listLines } from "./list.ts";
import { recordLines } from "./record.ts";

const JSON_INDENT = 2;

/** Prints a value as one JSON document. Its characters are inert, and it means the same. */
export function printJson({ out }: Pick<Screen, "out">, value: unknown, indent: number = JSON_INDENT): void {
  say(out, inertJson(JSON.stringify(value, null, indent)));
}

/** Returns how tables look on a screen. */
export function looksOf(screen: Screen): TableLooks {
  return {
    columns: screen.out.isTerminal ? screen.out.columns() : null,
    head: (text) => styled(screen, "bold", text),
  };
}

/** Returns the columns that a call names. The given ones if it names none. */
export function columnsOf(call: Call, given: readonly string[]): readonly string[] {
  const named = textOf(call, "columns");
  if (named === undefined) return given;
  return named === "all" ? [] : named.split(",");
}

/** The parts of an answer that matter to its looks. */
export interface Shown {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly columns: readonly string[];
  /** The chain of amounts, if the answer does not name its network. */
  readonly chain: Chain | null;
}

function isItems(value: unknown): value is readonly Item[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** Returns an answer for a person. A list is a table, and anything else is a list of names and values. */
export function answerLines({ schema, value, columns, chain }: Shown, looks: TableLooks): readonly string[] {
  if (typeof value === "string") return inertLines(value).trimEnd().split("\n");
  if (!isRecord(value)) return [];
  const { items, nextCursor, unreadable, ...rest } = value;
  if (!isItems(items)) return recordLines(schema, value, chain, looks);
  const item = entryOf(fieldOf(schema, "items") ?? {}) ?? {};
  return [
    ...(Object.keys(rest).length > 0 ? [...recordLines(schema, rest, chain, looks), ""] : []),
    ...(items.length > 0 ? listLines(item, items, columns, chain, looks) : ["nothing"]),
    ...(Array.isArray(unreadable) ? unreadable.map((id) => inertLines(`${id} cannot be read: the log has why`)) : []),
  ];
}

/** Prints an answer, as JSON or for a person. The place of the next page goes to the standard error. */
export function printAnswer(screen: Screen, call: Call, shown: Shown): void {
  if (isOn(call, "json")) {
    printJson(screen, shown.value);
    return;
  }
  for (const line of answerLines(shown, looksOf(screen))) say(screen.out, line);
  const { value } = shown;
  if (isRecord(value) && typeof value.nextCursor === "string")
    say(screen.err, inertLines(`There is more: --all, or --cursor ${value.nextCursor}`));
}
