import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lookUpOutcome } from "../../../shared/chain/sui/outcome.ts";
import { Deadline } from "../../../shared/deadline.ts";
import { done, type Outcome, refuse } from "../../../shared/errors.ts";

const SILENT = refuse("node_unavailable", "no node answered");
const MISS = done(null);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What these answers, one after the other, come to; the last one stays. */
async function lookUp(answers: readonly Outcome<string | null>[], leftMs?: number) {
  let asked = 0;
  const outcome = lookUpOutcome(new Deadline(leftMs), async () => answers[asked++] ?? answers.at(-1) ?? SILENT);
  await vi.runAllTimersAsync();
  return { outcome: await outcome, asked };
}

test("an outcome is looked up until a node shows it, and no further", async () => {
  expect(await lookUp([MISS, SILENT, done("found"), MISS])).toEqual({ outcome: done("found"), asked: 3 });
});

test("a digest that no node shows is looked up for seconds, and the last answer counts", async () => {
  const startMs = performance.now();
  expect(await lookUp([SILENT, MISS])).toEqual({ outcome: MISS, asked: 5 });
  expect(performance.now() - startMs).toBeGreaterThan(3_000);
  expect(await lookUp([MISS, SILENT])).toEqual({ outcome: SILENT, asked: 5 });
});

test("no look-up begins after the time of the call", async () => {
  expect(await lookUp([MISS], 600)).toEqual({ outcome: MISS, asked: 2 });
  expect(await lookUp([MISS], 0)).toMatchObject({ outcome: { ok: false }, asked: 0 });
});
