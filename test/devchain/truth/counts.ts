import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Chain, Counts } from "./listed-differences.ts";

/** Each figure may get better only: more cases that agree, fewer rows. */
const PINNED: Readonly<Record<Chain, Counts>> = {
  Sui: { cases: 116, agree: 98, differ: 18, rows: 18, wideRows: 9 },
  Aptos: { cases: 490, agree: 484, differ: 6, rows: 5, wideRows: 4 },
};
const MEND =
  "Mend the development chain instead. If a node of today differs from the recorded one, name its source in the row, and raise the figure here with the reason in the commit.";

/** What is wrong with these counts, and what to do. Empty: they are the pinned ones, and the page shows them. */
export function wrongCounts(
  chain: Chain,
  counts: Counts,
  pinned = PINNED[chain],
  page = readPage(),
): readonly string[] {
  const worse = [
    ...(["differ", "rows", "wideRows"] as const).filter((name) => counts[name] > pinned[name]),
    ...(["cases", "agree"] as const).filter((name) => counts[name] < pinned[name]),
  ].map((name) => `${chain}: ${name} is ${counts[name]}, and may be no worse than ${pinned[name]}. ${MEND}`);
  if (worse.length > 0) return worse;
  const isPinned = Object.entries(counts).every(([name, count]) => pinned[name as keyof Counts] === count);
  const row = pageRow(chain, counts);
  return [
    ...(isPinned ? [] : [`${chain}: better than pinned. Pin this in counts.ts: ${JSON.stringify(counts)}`]),
    ...(page.includes(`\n${row}\n`) ? [] : [`test/devchain/truth/README.md must have the row: ${row}`]),
  ];
}

function pageRow(chain: Chain, { cases, agree, differ, rows, wideRows }: Counts): string {
  return `| ${[chain, cases, agree, differ, rows, wideRows].join(" | ")} |`;
}

function readPage(): string {
  return readFileSync(join(import.meta.dirname, "README.md"), "utf8");
}
