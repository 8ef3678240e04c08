import { expect, test } from "vitest";
import { wrongCounts } from "./counts.ts";
import { judge, listedDifferences } from "./listed-differences.ts";

const listed = [{ row: "a row", chain: "Sui", asked: /^\d+ A$/, at: /^\.b$/, isWide: false }];
const differing = {
  name: "1 A",
  request: "",
  unanswered: null,
  differences: [{ at: ".b", recorded: "1", asked: "2" }],
};

test("a difference without a row, and a row without a difference, are named", () => {
  expect(judge("Sui", [differing], listed)).toEqual({
    counts: { cases: 1, agree: 0, differ: 1, rows: 1, wideRows: 0 },
    unlisted: [],
    settled: [],
  });
  expect(judge("Sui", [{ ...differing, name: "1 C" }], listed)).toMatchObject({
    unlisted: [expect.stringContaining("C at .b: 1 C: a node says 1, here it is 2")],
    settled: ["a row"],
  });
});

test("a case without an answer is named", () => {
  const { counts, unlisted } = judge("Sui", [{ ...differing, differences: [], unanswered: "timed out" }], []);
  expect(counts).toMatchObject({ cases: 1, agree: 0 });
  expect(unlisted).toEqual([expect.stringContaining("1 A without an answer: timed out")]);
});

test("a row more, a wider row and a case that agrees no longer are refused, and a better count has to be pinned", () => {
  const pinned = { cases: 9, agree: 7, differ: 2, rows: 2, wideRows: 1 };
  const page = "\n| Sui | 9 | 7 | 2 | 2 | 1 |\n";
  const wrong = (change: Partial<typeof pinned>, shown = page) =>
    wrongCounts("Sui", { ...pinned, ...change }, pinned, shown);
  expect(wrong({})).toEqual([]);
  expect(wrong({ rows: 3 })).toEqual([expect.stringMatching(/rows is 3, and may be no worse than 2\. Mend/)]);
  expect(wrong({ wideRows: 2 })).toEqual([expect.stringContaining("wideRows is 2")]);
  expect(wrong({ agree: 6, differ: 3 })).toHaveLength(2);
  expect(wrong({ rows: 1 })).toEqual([
    expect.stringContaining("Pin this in counts.ts"),
    expect.stringContaining("| Sui | 9 | 7 | 2 | 1 | 1 |"),
  ]);
  expect(wrong({}, "\n")).toEqual([expect.stringContaining("must have the row: | Sui | 9 | 7 | 2 | 2 | 1 |")]);
});

test("each row of the page has a chain, what is asked, where, and why", () => {
  expect(listedDifferences().length).toBeGreaterThan(0);
});
