import { describe, expect, test } from "vitest";
import type { ChainFacts } from "../../shared/chain/sui/node.ts";
import { freshness } from "../../shared/fund/chain-facts.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 10 * DAY_MS;

function facts(change: Partial<ChainFacts> = {}): ChainFacts {
  return {
    chainIdentifier: "chain",
    epoch: 7n,
    epochStartMs: NOW_MS - DAY_MS / 2,
    epochDurationMs: DAY_MS,
    referenceGasPriceMist: 1_000n,
    fetchedAtMs: NOW_MS,
    ...change,
  };
}

describe("freshness", () => {
  test.each([
    [0, "fresh"],
    [30_000, "fresh"],
    [30_001, "aging"],
    [300_000, "aging"],
    [300_001, "stale"],
  ] as const)("%i ms old is %s", (ageMs, expected) => {
    expect(freshness(facts(), NOW_MS + ageMs)).toBe(expected);
  });

  test("the end of the epoch makes facts stale at once: the reference price may have changed", () => {
    const ending = facts({ epochStartMs: NOW_MS - DAY_MS + 10 });
    expect(freshness(ending, NOW_MS + 9)).toBe("fresh");
    expect(freshness(ending, NOW_MS + 10)).toBe("stale");
  });

  test("an epoch that runs over its time does not make facts stale that were fetched after it should have ended", () => {
    const late = facts({ epochStartMs: NOW_MS - 2 * DAY_MS });
    expect(freshness(late, NOW_MS + 1)).toBe("fresh");
  });
});
