import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONSOLIDATED as ofAccessKey } from "../../shared/access/consolidated.ts";
import { root } from "../../shared/cli/root.ts";
import { CONSOLIDATED as ofFund } from "../../shared/fund/consolidated.ts";
import { dumpAfter, dumpOf, sourceOf, subjects } from "./consolidated.ts";

test.each([
  ["fund", ofFund],
  ["access-key", ofAccessKey],
] as const)(
  "the script of a new %s makes the tables and rows that its migrations make",
  (name, { version, script }) => {
    const subject = subjects[name];
    expect(version).toBe(subject.version);
    const made = dumpAfter(script);
    expect(made).toBe(dumpOf(subject));
    expect(made).toContain("CREATE TABLE");
  },
);

test.each(Object.entries(subjects))("the generator ends the file of a new %s as it stands", async (_, subject) => {
  // Biome lays out the lines before it.
  const lastLine = (source: string) => source.trimEnd().split("\n").at(-1);
  expect(lastLine(sourceOf(subject))).toBe(lastLine(await readFile(join(root, subject.path), "utf8")));
});
