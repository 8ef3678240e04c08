import { describe, expect, test } from "vitest";
import { StuckRows } from "../../../shared/fund/stuck-rows.ts";
import { dueForRecycling, planRecycling } from "../../../shared/fund/sui/recycle-plan.ts";
import { recordNotFound } from "../../../shared/fund/sui/settle.ts";
import type { MemoryFundStore } from "../../support/fund/memory-sui-store.ts";
import { coin, digestOf, objectId, seen, sponsorship, storeOf } from "../simulation/rows.ts";

const SECOND_MS = 1_000;
const EXPIRES_AT_MS = 3_600_000;

/** Sponsorships that expired so many seconds after the hour, each with a coin in quarantine. */
function abandoned(...seconds: readonly number[]): MemoryFundStore {
  const store = storeOf();
  for (const [index, second] of seconds.entries()) abandon(store, index + 1, EXPIRES_AT_MS + second * SECOND_MS);
  return store;
}

function abandon(store: MemoryFundStore, serial: number, expiresAtMs: number): void {
  const digest = digestOf(`s${serial}x`);
  store.putSponsorship(sponsorship(`s${serial}x`, { state: "expired", gasObjectId: objectId(serial), expiresAtMs }));
  store.putCoin(coin(serial, { state: "quarantined", heldByDigest: digest }));
}

function due(store: MemoryFundStore, nowMs: number, stuck = new StuckRows()) {
  return dueForRecycling(store, nowMs, stuck);
}

function at(second: number): number {
  return EXPIRES_AT_MS + second * SECOND_MS;
}

function sameTime(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}

describe("what is due for recycling", () => {
  test("is nothing where nothing has expired", () => {
    expect(due(storeOf(), at(0))).toEqual({ digests: [], nextAtMs: null });
  });

  test("a single one waits ten seconds for a late user, and thirty more for company", () => {
    const store = abandoned(0);
    expect(due(store, at(40) - 1)).toEqual({ digests: [], nextAtMs: at(40) });
    expect(due(store, at(40))).toEqual({ digests: [digestOf("s1x")], nextAtMs: at(40) });
  });

  test("32 are worth a transaction as soon as their ten seconds are over", () => {
    const store = abandoned(...sameTime(32));
    expect(due(store, at(10) - 1)).toEqual({ digests: [], nextAtMs: at(10) });
    expect(due(store, at(10)).digests).toHaveLength(32);
    expect(due(abandoned(...sameTime(31)), at(10))).toEqual({ digests: [], nextAtMs: at(40) });
  });

  test("whoever has not had his ten seconds is left out, and looked at again at once", () => {
    const store = abandoned(0, 35);
    expect(due(store, at(40))).toEqual({ digests: [digestOf("s1x")], nextAtMs: at(40) });
  });

  test("what is being recycled already, or holds no coin, is not waiting", () => {
    const store = abandoned(0, 0);
    store.putCoin(coin(1, { state: "recycling", heldByDigest: digestOf("s1x") }));
    expect(due(store, at(40)).digests).toEqual([digestOf("s2x")]);
    store.putCoin(coin(2));
    expect(due(store, at(40))).toEqual({ digests: [], nextAtMs: null });
  });
});

test("nobody waits longer than the oldest may, however steadily others expire after it", () => {
  const store = storeOf();
  const waitedSeconds: number[] = [];
  for (let second = 0; second < 600; second++) {
    if (second % 5 === 0) {
      const serial = second + 1;
      const digest = digestOf(`s${serial}x`);
      store.putSponsorship(sponsorship(`s${serial}x`, { gasObjectId: objectId(serial), expiresAtMs: at(second) }));
      store.putCoin(coin(serial, { state: "held", heldByDigest: digest }));
      recordNotFound(store, digest, seen(null, { timestampMs: at(second) }), at(second), "by_schedule");
    }
    const dueAtMs = store.due.get("recycle ");
    if (dueAtMs === undefined || dueAtMs > at(second)) continue;
    const { digests } = due(store, at(second));
    for (const digest of digests) {
      const row = store.sponsorship(digest);
      if (row === null) continue;
      waitedSeconds.push(second - (row.expiresAtMs - EXPIRES_AT_MS) / SECOND_MS);
      store.putSponsorship({ ...row, state: "dead" });
      for (const held of store.coinsHeldBy(digest)) store.putCoin({ ...held, state: "free", heldByDigest: null });
    }
    store.setDue("recycle", "", due(store, at(second)).nextAtMs);
  }
  expect(waitedSeconds.length).toBeGreaterThan(100);
  expect(Math.max(...waitedSeconds)).toBeLessThanOrEqual(40);
});

describe("those that cannot be moved", () => {
  const STUCK = 600;
  const [bad, good] = [
    Array.from({ length: STUCK }, (_, index) => digestOf(`s${index + 1}x`)),
    digestOf(`s${STUCK + 1}x`),
  ];

  test("keep no other from its turn, however many they are and however early they expired", () => {
    const store = abandoned(...sameTime(STUCK), 1);
    const stuck = new StuckRows();
    const first = due(store, at(60), stuck).digests;
    expect(first).toHaveLength(512);
    expect(first).not.toContain(good);
    for (const digest of first) stuck.failed(digest, at(60));
    const second = due(store, at(60), stuck).digests;
    expect(new Set(second)).toEqual(new Set([...bad.slice(512), good]));
  });

  test("take no turn from what comes later, once their rest is over", () => {
    const store = abandoned(...sameTime(STUCK));
    const stuck = new StuckRows();
    for (const digest of bad) stuck.failed(digest, at(60));
    expect(due(store, at(60), stuck)).toEqual({ digests: [], nextAtMs: at(75) });
    abandon(store, STUCK + 1, at(100));
    expect(due(store, at(150), stuck).digests).toEqual([good]);
  });

  test("are tried again after 15 seconds, then later each time, at most ten minutes later, the longest rested first", () => {
    const store = abandoned(0, 0);
    const stuck = new StuckRows();
    const [one = "", two = ""] = bad;
    stuck.failed(two, at(50));
    let second = 60;
    const waitedSeconds: number[] = [];
    for (let failure = 0; failure < 8; failure++) {
      stuck.failed(one, at(second));
      const endsAtMs = stuck.restsUntilMs(one, at(second)) ?? 0;
      waitedSeconds.push((endsAtMs - at(second)) / SECOND_MS);
      second = (endsAtMs - EXPIRES_AT_MS) / SECOND_MS;
    }
    expect(waitedSeconds).toEqual([15, 30, 60, 120, 240, 480, 600, 600]);
    expect(due(store, at(second), stuck)).toEqual({ digests: [two, one], nextAtMs: at(second) });
    stuck.failed(one, at(second));
    expect(stuck.restsUntilMs(one, at(second) - 3_600_000), "the clock was an hour ahead").toBeNull();
    stuck.retain((digest) => digest === two);
    expect(stuck.has(one)).toBe(false);
  });
});

describe("a recycling", () => {
  test("takes the gas coin of each: a late user's execution merges the others away, and nothing shows that", () => {
    const store = abandoned(0);
    store.putSponsorship(sponsorship("s1x", { state: "expired", gasObjectId: objectId(7) }));
    store.putCoin(coin(7, { state: "quarantined", heldByDigest: digestOf("s1x") }));
    const { coins, digests } = planRecycling(store, [digestOf("s1x")]);
    expect(coins.map((taken) => taken.objectId)).toEqual([objectId(7)]);
    expect(digests).toEqual([digestOf("s1x")]);
  });

  test("leaves out what has been settled meanwhile", () => {
    const store = abandoned(0, 0, 0);
    store.putSponsorship(sponsorship("s1x", { state: "complete" }));
    store.putCoin(coin(2, { state: "recycling", heldByDigest: digestOf("s2x") }));
    const digests = [1, 2, 3, 4].map((serial) => digestOf(`s${serial}x`));
    expect(planRecycling(store, digests).digests).toEqual([digestOf("s3x")]);
  });
});
