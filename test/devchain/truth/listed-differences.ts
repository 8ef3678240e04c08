import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Compared, doesAgree } from "./cases.ts";
import type { Difference } from "./compare.ts";

export type Chain = "Sui" | "Aptos";

/** A row of the page of the development chain: a way in which it differs from a node, with its reason. */
export interface ListedDifference {
  readonly row: string;
  readonly chain: string;
  readonly asked: RegExp;
  readonly at: RegExp;
  /** A part of it stands for any text, so that it covers more than one place or question. */
  readonly isWide: boolean;
}

const HEADING = "### Differences from recorded nodes";
const CELLS = /^\| (Sui|Aptos) \| `([^`]+)` \| `([^`]+)` \| (\S.*) \|$/;

/** `*` stands for any text. */
function pattern(text: string): RegExp {
  const parts = text.split("*").map((part) => part.replace(/[.[\](){}+?^$|\\/]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** The table under its heading in `test/devchain/README.md`. */
export function listedDifferences(): readonly ListedDifference[] {
  const page = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const [, section = ""] = page.split(HEADING);
  const rows = section.split(/^##/m)[0]?.match(/^\| (?:Sui|Aptos) .*$/gm) ?? [];
  return rows.map((row) => {
    const [, chain = "", asked = "", at = ""] = CELLS.exec(row) ?? [];
    if (chain === "") throw new Error(`no such row of differences: ${row}`);
    return { row, chain, asked: pattern(asked), at: pattern(at), isWide: `${asked}${at}`.includes("*") };
  });
}

/** What the comparison of one chain has counted. */
export interface Counts {
  readonly cases: number;
  readonly agree: number;
  readonly differ: number;
  readonly rows: number;
  readonly wideRows: number;
}

export interface Verdict {
  readonly counts: Counts;
  /** Differences that no row gives a reason for. */
  readonly unlisted: readonly string[];
  /** Rows that no longer differ. */
  readonly settled: readonly string[];
}

/** Returns true if the difference has a row. */
export function isListed(chain: Chain, name: string, { at }: Difference, listed = listedDifferences()): boolean {
  return listed.some((row) => row.chain === chain && row.asked.test(name) && row.at.test(at));
}

/** Holds the differences of one chain against the rows of its page. */
export function judge(chain: Chain, cases: readonly Compared[], listed = listedDifferences()): Verdict {
  const rows = listed.filter((row) => row.chain === chain);
  const met = new Set<ListedDifference>();
  const unlisted = new Map<string, string[]>();
  for (const { name, differences, unanswered } of cases) {
    if (unanswered !== null) unlisted.set(`${name} without an answer`, [unanswered]);
    for (const { at, recorded, asked } of differences) {
      const of = rows.filter((row) => row.asked.test(name) && row.at.test(at));
      for (const row of of) met.add(row);
      const kind = `${name.replace(/^\d+ /, "")} at ${at || "."}`;
      const said = `${name}: a node says ${recorded}, here it is ${asked}`;
      if (of.length === 0) unlisted.set(kind, [...(unlisted.get(kind) ?? []), said]);
    }
  }
  const agree = cases.filter(doesAgree).length;
  return {
    counts: {
      cases: cases.length,
      agree,
      differ: cases.length - agree,
      rows: rows.length,
      wideRows: rows.filter(({ isWide }) => isWide).length,
    },
    unlisted: [...unlisted].map(([kind, [first = "", ...rest]]) => `${kind}: ${first} (and ${rest.length} more)`),
    settled: rows.filter((row) => !met.has(row)).map(({ row }) => row),
  };
}
