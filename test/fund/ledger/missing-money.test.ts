import { beforeEach, expect, test } from "vitest";
import { type Doubt, type DoubtStore, MissingMoney } from "../../../shared/fund/ledger/missing-money.ts";
import { seenAt } from "../../support/seen.ts";

const MINUTE_MS = 60_000;
const NOW_MS = 1_800_000_000_000;

class MemoryDoubts implements DoubtStore {
  readonly doubts = new Map<string, Doubt>();
  #chainMs = 0;

  doubt(id: string): Doubt | null {
    return this.doubts.get(id) ?? null;
  }

  putDoubt(id: string, doubt: Doubt): void {
    this.doubts.set(id, doubt);
  }

  dropDoubt(id: string): void {
    this.doubts.delete(id);
  }

  chainMs(): number {
    return this.#chainMs;
  }

  setChainMs(chainMs: number): void {
    this.#chainMs = chainMs;
  }
}

let kept: MemoryDoubts;
let missing: MissingMoney;
beforeEach(() => {
  kept = new MemoryDoubts();
  missing = new MissingMoney(kept, 1);
});

/** As where an instance ends, and another one goes on with what is stored. */
function restart(): void {
  missing = new MissingMoney(kept, 1);
}

function isDisproved(booked: string, timestampMs: number, nowMs: number): boolean {
  return missing.disprove("coin", booked, seenAt(timestampMs), nowMs) !== null;
}

/** A miss `minutes` after the start, by an endpoint whose checkpoint is `lagMinutes` behind our clock. */
function miss(minutes: number, lagMinutes = 0, booked = "1"): boolean {
  const nowMs = NOW_MS + minutes * MINUTE_MS;
  return isDisproved(booked, nowMs - lagMinutes * MINUTE_MS, nowMs);
}

test("money is disproved by two misses, both five minutes later than what was booked", () => {
  expect([0, 4, 5, 6].map((minutes) => miss(minutes))).toEqual([false, false, false, true]);
});

test("an endpoint that stalls disproves nothing, however often it is asked", () => {
  for (let minutes = 0; minutes < 600; minutes += 10) expect(miss(minutes, minutes), `${minutes} min`).toBe(false);
});

test("an endpoint that lags disproves what its own checkpoints are late enough for", () => {
  const asked = [0, 5, 20, 24, 25, 26];
  expect(asked.map((minutes) => miss(minutes, 20))).toEqual([false, false, false, false, false, true]);
});

test("one reply that is read twice counts once", () => {
  miss(0);
  expect([miss(6), miss(6), miss(6)]).toEqual([false, false, false]);
});

test("money that an endpoint shows in between is doubted anew", () => {
  expect([miss(0), miss(6)]).toEqual([false, false]);
  missing.confirm("coin");
  expect([7, 11, 12, 13].map((minutes) => miss(minutes))).toEqual([false, false, false, true]);
});

test("money that effects have changed in between is doubted anew", () => {
  expect([miss(0), miss(6)]).toEqual([false, false]);
  expect([7, 11, 12, 13].map((minutes) => miss(minutes, 0, "2"))).toEqual([false, false, false, true]);
});

test("a clock that stands behind the chain's makes no miss count earlier", () => {
  missing.tell(seenAt(NOW_MS + 60 * MINUTE_MS), NOW_MS);
  const asked = [0, 20, 40, 64].map((minutes) => miss(minutes));
  expect(asked).toEqual([false, false, false, false]);
  expect([miss(65), miss(66)]).toEqual([false, true]);
});

test("a clock that was a year ahead for a moment keeps no doubt open for ever", () => {
  const yearMs = 365 * 24 * 60 * MINUTE_MS;
  expect(isDisproved("1", NOW_MS, NOW_MS + yearMs)).toBe(false);
  expect([1, 6, 7].map((minutes) => miss(minutes))).toEqual([false, false, true]);
});

test("an endpoint that says a later time than it is disproves nothing within five minutes of our clock", () => {
  const aheadMinutes = [0, 10, 11, 500_000, 600_000];
  const told = aheadMinutes.map((minutes, looks) => {
    const nowMs = NOW_MS + looks * 1_000;
    return isDisproved("1", NOW_MS + minutes * MINUTE_MS, nowMs);
  });
  expect(told).toEqual(told.map(() => false));
  expect([miss(4), miss(4.9)], "and an honest one no sooner").toEqual([false, false]);
});

test("an endpoint that says a time decades ahead keeps no doubt open for longer than an hour", () => {
  const decadesOn = seenAt(NOW_MS + 30 * 365 * 24 * 60 * MINUTE_MS);
  missing.tell(decadesOn, NOW_MS);
  expect([0, 64, 65, 66].map((minutes) => miss(minutes))).toEqual([false, false, false, true]);
  const liedMinute = 70;
  miss(liedMinute);
  expect(isDisproved("1", decadesOn.timestampMs, NOW_MS + (liedMinute + 6) * MINUTE_MS)).toBe(false);
  expect(miss(liedMinute + 6 + 61)).toBe(true);
});

test("what proves it outlives the instance that has seen it", () => {
  const told = [0, 5, 6].map((minutes) => {
    restart();
    return miss(minutes);
  });
  expect(told).toEqual([false, false, true]);
  expect(kept.doubts.size, "and is forgotten once it is proved").toBe(0);
});

test("how far the chain has come outlives the instance that was told, where our clock is behind", () => {
  missing.tell(seenAt(NOW_MS + 60 * MINUTE_MS), NOW_MS);
  restart();
  const asked = [0, 20, 40, 64].map((minutes) => miss(minutes));
  expect(asked).toEqual([false, false, false, false]);
  expect([miss(65), miss(66)]).toEqual([false, true]);
});

test("a miss by a clock that was a year ahead is no first one", () => {
  const yearMinutes = 365 * 24 * 60;
  expect([miss(0), miss(yearMinutes)], "a first miss that counts, by the wrong clock").toEqual([false, false]);
  restart();
  expect([6, 7].map((minutes) => miss(minutes))).toEqual([false, true]);
});

test("an unchanged doubt costs no write", () => {
  let writes = 0;
  const put = kept.putDoubt.bind(kept);
  kept.putDoubt = (id, doubt) => {
    writes += 1;
    put(id, doubt);
  };
  [0, 1, 2, 3].map((minutes) => miss(minutes));
  expect(writes).toBe(1);
});

test("of several endpoints, two have to miss it, each by a miss that counts", () => {
  missing = new MissingMoney(kept, 2);
  const missAt = (minutes: number, endpoint: string) => {
    const nowMs = NOW_MS + minutes * MINUTE_MS;
    return missing.disprove("coin", "1", seenAt(nowMs, endpoint), nowMs);
  };
  expect([0, 5, 6, 60].map((minutes) => missAt(minutes, "broken"))).toEqual([null, null, null, null]);
  expect(missing.besides("coin"), "whose word is known").toBe("broken");
  expect(missAt(61, "other")).toMatchObject({ endpoint: "broken" });
  expect([missAt(62, "early"), missAt(67, "late"), missAt(68, "late")], "a miss that comes too early").toEqual([
    null,
    null,
    null,
  ]);
  expect(missAt(69, "early")).toMatchObject({ endpoint: "late" });
});
