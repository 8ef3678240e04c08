import { expect, test } from "vitest";
import { NOTHING_COUNTED } from "../../../shared/fund/ledger/daily.ts";
import { runwayDays } from "../../../shared/fund/ledger/runway.ts";

const DAY_MS = 86_400_000;
const TODAY = 20_000;
const NOON_MS = TODAY * DAY_MS + DAY_MS / 2;

/** Counters of a fund that has spent so much on each day before today, newest first. */
function counted(spentOnDay: Readonly<Record<number, bigint>>, sinceMs: number | null = 0) {
  return {
    sinceMs: () => sinceMs,
    days: (fromDay: number, toDay: number) =>
      Object.entries(spentOnDay)
        .filter(([ago]) => TODAY - Number(ago) >= fromDay && TODAY - Number(ago) <= toDay)
        .map(([, atoms]) => ({ ...NOTHING_COUNTED, chargedAtoms: atoms - 3n, feeAtoms: 2n, maintenanceAtoms: 1n })),
  };
}

test("a fund lasts for what it has available over what it spent a day in the last week", () => {
  const aWeek = counted(Object.fromEntries(Array.from({ length: 8 }, (_, ago) => [ago, ago === 0 ? 50n : 100n])));
  expect(runwayDays(1_000n, aWeek, NOON_MS)).toBe(10);
  expect(runwayDays(1_005n, aWeek, NOON_MS), "to a tenth, rounded down").toBe(10);
  expect(runwayDays(1_010n, aWeek, NOON_MS)).toBe(10.1);
  expect(runwayDays(-5n, aWeek, NOON_MS)).toBe(0);
  expect(runwayDays(750n, counted({ 8: 10_000n, 3: 750n }), NOON_MS), "a day before the week counts no more").toBe(7.5);
});

test("a young fund's rate is that of its own time, and within its first day there is none", () => {
  expect(runwayDays(100n, counted({ 1: 50n, 0: 50n }, NOON_MS - 2 * DAY_MS), NOON_MS)).toBe(2);
  expect(runwayDays(100n, counted({ 0: 50n }, NOON_MS - DAY_MS + 1), NOON_MS)).toBeNull();
  expect(runwayDays(100n, counted({ 0: 50n }, null), NOON_MS)).toBeNull();
});

test("a fund that spends nothing has no runway", () => {
  expect(runwayDays(100n, counted({}), NOON_MS)).toBeNull();
});
