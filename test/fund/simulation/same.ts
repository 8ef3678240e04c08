import { expect } from "vitest";

/** Compares. Only a difference makes an `expect`, because millions of steps would each make one for every row. */
export function same(actual: unknown, expected: unknown, message: string): void {
  if (actual !== expected) expect(actual, message).toBe(expected);
}
