import { beforeEach, expect, test } from "vitest";
import type { UsedSupport } from "../../../shared/chain/aptos/node.ts";
import { givenUpAt, recordUsedSequence } from "../../../shared/fund/aptos/used-sequences.ts";
import { MemoryAptosFundStore } from "../../support/fund/memory-aptos-store.ts";
import { sequenceSeen } from "../../support/seen.ts";

const MINUTE_MS = 60_000;
const NOW_MS = 1_800_000_000_000;
const FIRST_VERSION = 100n;

let store: MemoryAptosFundStore;
beforeEach(() => {
  store = new MemoryAptosFundStore();
});

interface Look {
  readonly kind?: "used" | "unused";
  /** Of the ledger that is shown, after the start; by default as our clock. */
  readonly ledgerMinutes?: number;
  readonly version?: bigint;
  readonly expiresMinutes?: number;
  readonly support?: UsedSupport;
}

/** @returns whether the row is given up after a reply that comes so many minutes after the start. */
function look(
  minutes: number,
  { kind = "used", ledgerMinutes = minutes, version, expiresMinutes = 1, support = "agreed" }: Look = {},
) {
  const timeMs = NOW_MS + ledgerMinutes * MINUTE_MS;
  const ledger = {
    version: version ?? FIRST_VERSION + BigInt(Math.floor(ledgerMinutes * 10)),
    timestampMs: timeMs,
  };
  const seen = sequenceSeen(kind === "used" ? { kind, support } : { kind }, ledger);
  recordUsedSequence(store, "row", seen, NOW_MS + expiresMinutes * MINUTE_MS, NOW_MS + minutes * MINUTE_MS);
  return givenUpAt(store).has("row");
}

test("a row is given up by two replies that are ten minutes apart, at the version of the first", () => {
  expect([0, 5, 9.9, 10].map((minutes) => look(minutes))).toEqual([false, false, false, true]);
  expect(givenUpAt(store)).toEqual(new Map([["row", FIRST_VERSION]]));
});

test("one reply gives up nothing, however long ago it was", () => {
  look(0);
  expect(givenUpAt(store).size).toBe(0);
  expect(store.usedSequence("row")).toEqual({
    version: FIRST_VERSION,
    timeMs: NOW_MS,
    sinceMs: NOW_MS,
    isSaidAgain: false,
  });
});

test("a row that can still be executed is not given up, whatever is said of it", () => {
  const asked = [0, 10, 30, 59.9, 60];
  expect(asked.map((minutes) => look(minutes, { expiresMinutes: 60 }))).toEqual([false, false, false, false, true]);
});

test("an endpoint that stalls gives up nothing, nor does one whose ledger runs ahead of our clock", () => {
  expect([0, 10, 20, 60].map((minutes) => look(minutes, { ledgerMinutes: 0 }))).toEqual([false, false, false, false]);
  expect([60, 61].map((minutes) => look(minutes, { ledgerMinutes: minutes * 2 }))).toEqual([true, true]);
  store = new MemoryAptosFundStore();
  look(0);
  expect([1, 9].map((minutes) => look(minutes, { ledgerMinutes: 60 }))).toEqual([false, false]);
});

test("a number that a later ledger shows as unused begins anew", () => {
  look(0);
  expect(look(5, { kind: "unused" })).toBe(false);
  expect(store.used.size).toBe(0);
  expect([6, 10, 15.9, 16].map((minutes) => look(minutes))).toEqual([false, false, false, true]);
});

test("a ledger that is behind refutes nothing", () => {
  look(0);
  look(5, { kind: "unused", ledgerMinutes: -1, version: FIRST_VERSION - 1n });
  expect(look(10)).toBe(true);
});

test("a clock that was a year ahead keeps no row open for it", () => {
  look(365 * 24 * 60, { ledgerMinutes: 0 });
  expect([1, 10.9, 11].map((minutes) => look(minutes))).toEqual([false, false, true]);
});

test("one endpoint of several gives up nothing, however often it says so", () => {
  const alone = [0, 10, 20, 60].map((minutes) => look(minutes, { support: "alone" }));
  expect(alone).toEqual([false, false, false, false]);
  expect(look(61), "a second endpoint says so too").toBe(true);
});

test("a number that another endpoint has as unused begins anew", () => {
  look(0);
  expect(look(10, { support: "disputed" })).toBe(false);
  expect(store.used.size).toBe(0);
  expect([11, 20.9, 21].map((minutes) => look(minutes))).toEqual([false, false, true]);
});
