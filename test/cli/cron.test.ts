import { expect, test } from "vitest";
import { cronMatches } from "../../shared/cli/cron.ts";

// A Friday, day 6 of the week as Cloudflare counts.
const at = new Date("2026-11-20T12:05:00Z");

test("the launcher fires a cron in the minutes that its expression names, in UTC", () => {
  for (const expression of [
    "* * * * *",
    "*/5 * * * *",
    "5 12 20 11 6",
    "0-10 * * * 2-6",
    "1,5 */6 * * *",
    "5/10 * * * *",
  ])
    expect([expression, cronMatches(expression, at)]).toEqual([expression, true]);
  for (const expression of ["*/10 * * * *", "0 * * * *", "5 12 20 11 1", "6-10 * * * *", "6/10 * * * *"])
    expect([expression, cronMatches(expression, at)]).toEqual([expression, false]);
});

test("an expression that it does not understand is an error, not a cron that never fires", () => {
  expect(() => cronMatches("* * * *", at)).toThrow();
  expect(() => cronMatches("* * * * FRI", at)).toThrow();
});
