import { expect, test } from "vitest";
import { excuses } from "./excuses.ts";

test("a crash excuses the honest reasons always, a late node three times, and nothing else", () => {
  const isExcused = excuses(new Set(["overloaded"]));
  const asked = ["overloaded", ...Array(4).fill("node_unavailable"), "overloaded", "corrupt_record", null];
  expect(asked.map(isExcused)).toEqual([true, true, true, true, false, true, false, false]);
});
