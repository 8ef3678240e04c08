import { expect, test } from "vitest";
import { conversionFailed, conversionSucceeded } from "../../../shared/fund/sui/conversion.ts";
import { MemoryFundStore } from "../../support/fund/memory-sui-store.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 1_900_000_000_000;
const WAITING_MIST = 5_000_000_000n;

/** A fund whose conversions have failed three times, for `first`. */
function failing() {
  const store = new MemoryFundStore();
  const fail = (cause: string, atMs: number) => conversionFailed(store, cause, WAITING_MIST, atMs);
  const told = [0, 1, 2].map((second) => fail("first", NOW_MS + second * 1_000));
  return { store, fail, told };
}

test("the third failure in a row is told, with what waits", () => {
  const { store, told } = failing();
  expect(told).toEqual([null, null, "first"]);
  expect(store.events).toEqual([{ type: "fund.conversion_refused", unconvertedAtoms: WAITING_MIST, cause: "first" }]);
  expect(store.conversions()).toMatchObject({ cause: "first", failingSinceMs: NOW_MS });
});

test("a cause is told once, and another one at most once an hour", () => {
  const { store, fail } = failing();
  const toldAtMs = NOW_MS + 2_000;
  expect(fail("first", toldAtMs + 5 * HOUR_MS)).toBe(null);
  expect(fail("second", toldAtMs + HOUR_MS - 1)).toBe(null);
  expect(store.conversions().cause).toBe("second");
  expect(fail("second", toldAtMs + HOUR_MS)).toBe("second");
  expect(fail("third", toldAtMs + HOUR_MS + 1)).toBe(null);
  expect(store.events).toHaveLength(2);
});

test("a clock that was ahead when it was told keeps nothing from being told for longer than an hour", () => {
  const { fail } = failing();
  expect(fail("second", NOW_MS - HOUR_MS)).toBe("second");
});

test("after a conversion that succeeds, three have to fail again, and the hour still holds", () => {
  const { store, fail } = failing();
  conversionSucceeded(store);
  expect(store.conversions()).toMatchObject({ failures: 0, cause: null, failingSinceMs: null });
  const laterMs = NOW_MS + 2 * HOUR_MS;
  expect([0, 1, 2].map((second) => fail("first", laterMs + second))).toEqual([null, null, "first"]);
  conversionSucceeded(store);
  expect([3, 4, 5].map((second) => fail("first", laterMs + second))).toEqual([null, null, null]);
});

test("the words of a node are kept up to a bound", () => {
  const { store, fail } = failing();
  fail("x".repeat(100_000), NOW_MS);
  expect(store.conversions().cause).toHaveLength(500);
});
