import { expect, test } from "vitest";
import { type DailyRow, NOTHING_COUNTED } from "../../../shared/fund/ledger/daily.ts";
import { needsRanks, SPEND_CURSOR, type SpendQuery, spendView } from "../../../shared/fund/ledger/spend.ts";

const rowOf = (name: string, counts: Partial<DailyRow>): DailyRow => ({ ...NOTHING_COUNTED, day: 1, name, ...counts });
const query: SpendQuery = { by: "key", fromDay: 1, toDay: 2, limit: 2, cursor: null };

test("the name that spent most comes first: charges, fees and the gas of taking back", () => {
  const rows = [
    rowOf("gain", { chargedAtoms: -5n, rebateAtoms: 100n }),
    rowOf("charge", { chargedAtoms: 3n }),
    rowOf("none", {}),
    rowOf("all", { chargedAtoms: 1n, feeAtoms: 2n, maintenanceAtoms: 1n }),
    rowOf("also none", {}),
  ];
  const first = spendView(7, rows, query);
  expect(first).toMatchObject({ sinceMs: 7, total: 5, nextCursor: expect.stringMatching(SPEND_CURSOR) });
  const second = spendView(7, rows, { ...query, cursor: first.nextCursor });
  const third = spendView(7, rows, { ...query, cursor: second.nextCursor });
  const pages = [first, second, third].flatMap(({ items }) => items.map(({ name }) => name));
  expect(pages).toEqual(["all", "charge", "also none", "none", "gain"]);
  expect(third.nextCursor).toBe(null);
});

test("every name is on one page, although each of them spends meanwhile and another one begins", () => {
  const names = ["a", "b", "c", "d", "e"];
  const before = names.map((name, index) => rowOf(name, { chargedAtoms: BigInt(index) }));
  const shown: string[] = [];
  let rows: readonly DailyRow[] = before;
  let cursor: string | null = null;
  do {
    const page = spendView(7, rows, { ...query, toDay: 9, today: 9, cursor }, before);
    shown.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
    const grown = rows.map((row, index) => ({ ...row, chargedAtoms: row.chargedAtoms + 100n * BigInt(9 - index) }));
    rows = [...grown, rowOf(`${shown.length}`, { chargedAtoms: 1_000n })];
  } while (cursor !== null);
  expect(shown.filter((name) => names.includes(name))).toEqual(["e", "d", "c", "b", "a"]);
  expect(new Set(shown).size).toBe(shown.length);
});

test("only what grows meanwhile needs other ranks", () => {
  const growing = { ...query, toDay: 9, today: 9 };
  expect(needsRanks(growing, 3)).toBe(true);
  expect(needsRanks(growing, 2)).toBe(false);
  expect(needsRanks({ ...growing, cursor: "x31" }, 2)).toBe(true);
  expect(needsRanks({ ...growing, toDay: 8 }, 3)).toBe(false);
  expect(needsRanks({ ...growing, by: "day" }, 3)).toBe(false);
});

test("the number of an older build's cursor is a number of rows", () => {
  const rows = [rowOf("one", { chargedAtoms: 2n }), rowOf("two", { chargedAtoms: 1n })];
  expect(spendView(7, rows, { ...query, limit: 1, cursor: "1" }).items).toEqual(rows.slice(1));
});

test("days stay in their order", () => {
  const rows = [rowOf("", { day: 1 }), rowOf("", { day: 2, chargedAtoms: 9n })];
  expect(spendView(null, rows, { ...query, by: "day" }).items).toEqual(rows);
});
