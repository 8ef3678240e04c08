import { expect, test } from "vitest";
import { WrongTokens } from "../../shared/access/wrong-tokens.ts";

const START_MS = 1_800_000_000_000;

test("wrong tokens of a source are slowed from the tenth on, and the operator is told once an hour", () => {
  const wrong = new WrongTokens();
  const verdicts = Array.from({ length: 30 }, () => wrong.count("a", START_MS));
  expect(verdicts.filter(({ retryAfterMs }) => retryAfterMs === 0)).toHaveLength(10);
  expect(verdicts.map(({ isNews }) => isNews).indexOf(true)).toBe(9);
  expect(verdicts.filter(({ isNews }) => isNews)).toHaveLength(1);
  expect(wrong.count("b", START_MS)).toEqual({ retryAfterMs: 0, isNews: false });
  expect(wrong.count("a", START_MS + 1_000)).toEqual({ retryAfterMs: 0, isNews: false });
  expect(wrong.count("a", START_MS + 1_001).retryAfterMs).toBe(1_999);
});

test("8,000 wrong tokens of as many sources are slowed, too, and fill no memory", () => {
  const wrong = new WrongTokens();
  const verdicts = Array.from({ length: 8_000 }, (_, index) => wrong.count(`source ${index}`, START_MS));
  expect(verdicts.filter(({ retryAfterMs }) => retryAfterMs > 0).length).toBeGreaterThan(6_900);
  expect(verdicts.filter(({ isNews }) => isNews)).toHaveLength(1);
});
