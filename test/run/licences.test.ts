import { expect, test } from "vitest";
import { satisfies } from "./licences.ts";

const allowed = new Set(["MIT", "Apache-2.0"]);

test("an expression passes only when some choice of it needs allowed licences only", () => {
  expect(satisfies("MIT", allowed)).toBe(true);
  expect(satisfies("(MIT OR GPL-3.0-only)", allowed)).toBe(true);
  expect(satisfies("MIT AND Apache-2.0", allowed)).toBe(true);
  expect(satisfies("MIT AND GPL-3.0-only", allowed)).toBe(false);
  expect(satisfies("GPL-3.0-only", allowed)).toBe(false);
  expect(satisfies("(MIT AND (GPL-3.0-only OR Apache-2.0))", allowed)).toBe(false);
  expect(satisfies("SEE LICENSE IN LICENSE.txt", allowed)).toBe(false);
});
