import { describe, expect, test } from "vitest";
import { seenIn } from "../../../shared/chain/one-reply.ts";
import { isLateEnough } from "../../../shared/fund/sui/recover.ts";
import { isAfterSweeps } from "../../../shared/fund/sui/sweep.ts";

const CLOSED_AT_MS = 10_000;

function seenAt(timestampMs: number, epoch: bigint) {
  const checkpoints = { checkpoint: 1n, newestCheckpoint: 1n, lowestAvailable: 0n };
  return seenIn({ endpoint: "one.example", chain: "chain", timestampMs, epoch, ...checkpoints }, null);
}

function sweepOf(state: "complete" | "failed" | "dead", objectId: string, version: bigint) {
  return { state, bumpedCoins: [{ objectId, version }] };
}

describe("a reply counts for a recovery", () => {
  test("if it is of after the closure, to the second", () => {
    const least = { atMs: CLOSED_AT_MS, afterEpoch: null };
    expect(isLateEnough(seenAt(9_000, 0n), least)).toBe(true);
    expect(isLateEnough(seenAt(8_999, 0n), least)).toBe(false);
  });

  test("if its epoch is one in which no forgotten signature executes", () => {
    const least = { atMs: CLOSED_AT_MS, afterEpoch: 7n };
    expect(isLateEnough(seenAt(CLOSED_AT_MS, 8n), least)).toBe(true);
    expect(isLateEnough(seenAt(CLOSED_AT_MS, 7n), least)).toBe(false);
  });
});

describe("a listing counts after sweeps", () => {
  const listed = (objectId: string, version: bigint) => [{ objectId, version, digest: "", balanceMist: 1n }];

  test.each(["complete", "failed"] as const)("if it shows the coins of a %s one at higher versions", (state) => {
    expect(isAfterSweeps(listed("one", 6n), [sweepOf(state, "one", 5n)])).toBe(true);
    expect(isAfterSweeps(listed("one", 5n), [sweepOf(state, "one", 5n)])).toBe(false);
    expect(isAfterSweeps(listed("other", 5n), [sweepOf(state, "one", 5n)])).toBe(true);
  });

  test("whatever a dead one was to move", () => {
    expect(isAfterSweeps(listed("one", 5n), [sweepOf("dead", "one", 5n)])).toBe(true);
  });
});
