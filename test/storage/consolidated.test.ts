import { expect, test } from "vitest";
import { CONSOLIDATED as ofAccessKey } from "../../shared/access/consolidated.ts";
import { CONSOLIDATED as ofFund } from "../../shared/fund/consolidated.ts";
import { dumpAfter, dumpOf, subjects } from "./consolidated.ts";

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
