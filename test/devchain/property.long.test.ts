import fc from "fast-check";
import { expect, test } from "vitest";
import { liveThrough, type Tally } from "./property/history.ts";
import { histories } from "./property/plan.ts";

const RUNS = 200;
const STEPS = 40;

test("long random histories keep supply, versions, rebates, balances and digests consistent", async () => {
  const tally: Tally = { succeeded: 0, failed: 0, refused: 0, short: 0 };
  const property = fc.asyncProperty(histories(STEPS), (steps) => liveThrough(steps, tally));
  await fc.assert(property, { numRuns: RUNS });
  expect(Math.min(tally.succeeded, tally.failed, tally.refused)).toBeGreaterThan(RUNS);
});
