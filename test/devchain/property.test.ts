import fc from "fast-check";
import { expect, test } from "vitest";
import { liveThrough, type Tally } from "./property/history.ts";
import { histories } from "./property/plan.ts";

/** Few and long: half of what a short history costs is its beginning. The long suite lives through longer ones. */
const RUNS = 8;
const STEPS = 20;
const SEED = 20_260_801;

test("random histories keep supply, versions, rebates, balances and digests consistent", async () => {
  const tally: Tally = { succeeded: 0, failed: 0, refused: 0, short: 0 };
  const property = fc.asyncProperty(histories(STEPS), (steps) => liveThrough(steps, tally));
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  // Enough of each kind, or the property says nothing.
  expect(tally.succeeded).toBeGreaterThan(RUNS);
  expect(tally.failed).toBeGreaterThan(RUNS);
  expect(tally.refused).toBeGreaterThan(RUNS / 4);
  expect(tally.short).toBeGreaterThan(0);
}, 300_000);
