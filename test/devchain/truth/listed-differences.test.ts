import { expect, test } from "vitest";
import { judge, listedDifferences } from "./listed-differences.ts";

const listed = [{ row: "a row", chain: "Sui", asked: /^\d+ A$/, at: /^\.b$/ }];
const differing = {
  name: "1 A",
  request: "",
  unanswered: null,
  differences: [{ at: ".b", recorded: "1", asked: "2" }],
};

test("a difference without a row, and a row without a difference, are named", () => {
  expect(judge("Sui", [differing], listed)).toEqual({
    summary: "Sui: 1 recorded cases, 0 agree, 1 differ in 1 listed ways",
    unlisted: [],
    settled: [],
  });
  expect(judge("Sui", [{ ...differing, name: "1 C" }], listed)).toMatchObject({
    unlisted: [expect.stringContaining("C at .b: 1 C: a node says 1, here it is 2")],
    settled: ["a row"],
  });
});

test("a case without an answer is named", () => {
  const { summary, unlisted } = judge("Sui", [{ ...differing, differences: [], unanswered: "timed out" }], []);
  expect(summary).toContain("1 recorded cases, 0 agree");
  expect(unlisted).toEqual([expect.stringContaining("1 A without an answer: timed out")]);
});

test("each row of the page has a chain, what is asked, where, and why", () => {
  expect(listedDifferences().length).toBeGreaterThan(0);
});
