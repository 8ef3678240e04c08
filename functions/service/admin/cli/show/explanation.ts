import { formatCoin } from "../../../../../shared/coin-text.ts";
import type { ExplainedInWords } from "../../../../../shared/fund/explain/words/explain.ts";
import type { Explanation, Tone } from "../../../../../shared/fund/explain/words/explanation.ts";
import { chainOfName, timeText } from "../../../../../shared/fund/explain/words/readable.ts";
import { inert } from "../terminal/inert.ts";
import { type Screen, styled } from "../terminal/screen.ts";
import { widthOf, wrapped } from "../terminal/width.ts";
import { alignedAmounts } from "./cells.ts";

const MOST_COLUMNS = 100;
const INDENT = "  ";

const COLOURS: Readonly<Record<Tone, "green" | "yellow" | "red" | "cyan">> = {
  good: "green",
  waiting: "yellow",
  bad: "red",
  unknown: "cyan",
};

/** Returns rows of texts with their columns in line. The last column wraps. */
function inColumns(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  const heads = rows.map((row) => row.slice(0, -1));
  const widths = (heads[0] ?? []).map((_, index) => Math.max(...heads.map((row) => widthOf(row[index] ?? ""))));
  const before = widths.reduce((sum, width) => sum + width + INDENT.length, INDENT.length);
  return rows.flatMap((row) => {
    const head = widths.map((width, index) => (row[index] ?? "").padEnd(width) + INDENT).join("");
    const [first = "", ...rest] = wrapped(row.at(-1) ?? "", Math.max(30, columns - before));
    return [INDENT + head + first, ...rest.map((line) => " ".repeat(before) + line)].map((line) => line.trimEnd());
  });
}

function costRows({ costs, subject }: Explanation): readonly (readonly string[])[] {
  const chain = chainOfName(subject.network);
  const amounts = alignedAmounts(costs.map(({ atoms }) => (atoms === null ? "" : formatCoin(chain, atoms))));
  const width = Math.max(0, ...amounts.map((amount) => amount.length));
  return costs.map(({ label, note }, index) => [inert(label), (amounts[index] ?? "").padStart(width), inert(note)]);
}

function subjectRows({ subject }: Explanation): readonly (readonly string[])[] {
  const { digest, requestId, fundId, network, keyId, sender, targets } = subject;
  const named = { digest, "request id": requestId, network, fund: fundId, key: keyId, sender };
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [[name, inert(value)]])),
    ...targets.map((target) => ["calls", inert(target)]),
  ];
}

function linesOf(explanation: Explanation, screen: Screen): readonly string[] {
  const { tone, status, sentence, advice, steps } = explanation;
  const columns = screen.out.isTerminal ? Math.min(screen.out.columns(), MOST_COLUMNS) : MOST_COLUMNS;
  const section = (title: string, rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? [] : ["", styled(screen, "bold", title), ...inColumns(rows, columns)];
  return [
    styled(screen, ["bold", COLOURS[tone]], inert(status)),
    ...wrapped(inert(sentence), columns),
    ...(advice === null ? [] : ["", ...wrapped(`What to do: ${inert(advice)}`, columns)]),
    ...section(
      "When",
      steps.map(({ at, title, text }) => [inert(timeText(at)), inert(title), inert(text)]),
    ),
    ...section("What it cost", costRows(explanation)),
    ...section("What it is", subjectRows(explanation)),
  ];
}

/** Returns an explanation for a person: the sentence first, then the time line, then the cost. */
export function explanationLines({ explanations, notes }: ExplainedInWords, screen: Screen): readonly string[] {
  const each = explanations.flatMap((explanation, index) => [
    ...(index === 0 ? [] : ["", ""]),
    ...linesOf(explanation, screen),
  ]);
  return [...each, ...(notes.length === 0 ? [] : ["", ...notes.map(inert)])];
}
