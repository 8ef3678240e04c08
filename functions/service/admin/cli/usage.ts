import type { Command } from "./command.ts";
import { exitCodes, exitMeanings } from "./exit-codes.ts";
import type { Flag } from "./flags.ts";
import { widthOf, wrapped } from "./terminal/width.ts";

const MOST_COLUMNS = 110;
const WIDEST_LABEL = 34;
const INDENT = "  ";

type Entry = readonly [label: string, text: string];

/** Returns lines with the labels on the left, and their texts beside them. */
function columnsOf(entries: readonly Entry[], columns: number): readonly string[] {
  const width = Math.min(WIDEST_LABEL, Math.max(0, ...entries.map(([label]) => widthOf(label))));
  const room = Math.max(20, Math.min(columns, MOST_COLUMNS) - width - 2 * INDENT.length);
  return entries.flatMap(([label, text]) => {
    const [first = "", ...rest] = wrapped(text, room);
    const isWide = widthOf(label) > width;
    const beside = INDENT + " ".repeat(width) + INDENT;
    return [
      (INDENT + label.padEnd(width) + (isWide ? "" : INDENT + first)).trimEnd(),
      ...(isWide ? [first, ...rest] : rest).map((line) => (beside + line).trimEnd()),
    ];
  });
}

function section(title: string, entries: readonly Entry[], columns: number): readonly string[] {
  return entries.length === 0 ? [] : ["", title, ...columnsOf(entries, columns)];
}

function flagEntry({ name, kind, hint, description, choices, isRequired }: Flag): Entry {
  const label = kind === "boolean" ? `--${name}` : `--${name} <${hint}>`;
  const isListed = choices.length === 0 || choices.every((choice) => hint.includes(choice));
  const parts = [isRequired ? "required" : "", description, isListed ? "" : `one of ${choices.join(", ")}`].filter(
    (part) => part !== "",
  );
  return [label, parts.join("; ")];
}

/** Returns the help of one command. */
export function commandUsage({ name, summary, positionals, flags, notes }: Command, columns: number): string {
  const words = positionals.map((word) => (word.isRequired ? `<${word.name}>` : `[${word.name}]`));
  const fields = flags.filter(({ field }) => field?.of === "body");
  const filters = flags.filter(({ field }) => field?.of === "query");
  const own = flags.filter(({ field }) => field === null);
  return [
    ...wrapped(`${summary}.`, Math.min(columns, MOST_COLUMNS)),
    "",
    ["Usage: gasworks", name, ...words, ...(flags.length > 0 ? ["[flags]"] : [])].join(" "),
    ...section(
      "Words",
      positionals.map((word): Entry => [word.name, word.description]),
      columns,
    ),
    ...section("Fields", fields.map(flagEntry), columns),
    ...section("Filters", filters.map(flagEntry), columns),
    ...section("Flags", own.map(flagEntry), columns),
    ...(notes.length > 0 ? ["", ...notes.flatMap((note) => wrapped(note, Math.min(columns, MOST_COLUMNS)))] : []),
  ].join("\n");
}

/** Returns the first sentence of a summary. */
function brief(summary: string): string {
  return summary.split(/(?<=\w)[.:;] /)[0] ?? summary;
}

/** Returns the help of a noun: its verbs. */
export function nounUsage(noun: string, commands: readonly Command[], columns: number): string {
  const entries = commands.map(({ name, summary }): Entry => [name, brief(summary)]);
  return [
    `Usage: gasworks ${noun} <verb>`,
    ...section("Verbs", entries, columns),
    "",
    `gasworks ${noun} <verb> --help explains one.`,
  ].join("\n");
}

/** Returns the help of everything. */
export function rootUsage(commands: readonly Command[], columns: number): string {
  const byNoun = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? name);
  const nouns = [...byNoun].filter(([noun, [first]]) => first !== undefined && first.name !== noun);
  const words = commands.filter(({ name }) => !name.includes(" "));
  const exits = Object.entries(exitMeanings).map(
    ([exit, meaning]): Entry => [String(exitCodes[exit as keyof typeof exitCodes]), meaning],
  );
  return [
    "The command line of a Gasworks service: its admin API as nouns and verbs.",
    "",
    "Usage: gasworks <noun> <verb> [words] [flags]",
    ...section(
      "Nouns",
      nouns.map(([noun, each]): Entry => [noun, each.map(({ name }) => name.split(" ")[1]).join(", ")]),
      columns,
    ),
    ...section(
      "Words",
      words.map(({ name, summary }): Entry => [name, brief(summary)]),
      columns,
    ),
    ...section("Exit codes", exits, columns),
    "",
    "gasworks <noun> <verb> --help explains one. Begin with gasworks login.",
  ].join("\n");
}
