import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../shared/cli/root.ts";
import { describeVariants, shortTest } from "./rounds.ts";

const refusals: unknown[] = [];

describeVariants(["first", "second"], 1, "among variants, %s", (variant) => {
  try {
    shortTest("in no suite", () => {});
  } catch (error) {
    refusals.push(error);
  }
  describe("deeper", () => {
    try {
      shortTest("in no suite", () => {});
    } catch (error) {
      refusals.push(error);
    }
    test("as it is in a suite among them", () => {
      expect(refusals.length, variant).toBe(4);
    });
  });
  test("a shortTest is refused when it is collected", () => {
    expect(refusals.length, variant).toBe(4);
    for (const error of refusals)
      expect(error).toMatchObject({ message: expect.stringMatching(/in no suite: use test/) });
  });
});

test("no file describes variants in another way, so that the refusal meets every one", () => {
  const folder = join(root, "test");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  const others = files.filter((name) =>
    /describe\.(each|for)\(\s*(named\()?variants\(/.test(readFileSync(join(folder, name), "utf8")),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(others).toEqual([]);
});
