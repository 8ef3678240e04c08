import { expect, test } from "vitest";
import { type DailyRow, NOTHING_COUNTED } from "../../../shared/fund/ledger/daily.ts";
import { type SpendQuery, spendView } from "../../../shared/fund/ledger/spend.ts";

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
  expect(first).toMatchObject({ sinceMs: 7, total: 5, nextCursor: "2" });
  const second = spendView(7, rows, { ...query, cursor: first.nextCursor });
  const third = spendView(7, rows, { ...query, cursor: second.nextCursor });
  const pages = [first, second, third].flatMap(({ items }) => items.map(({ name }) => name));
  expect(pages).toEqual(["all", "charge", "also none", "none", "gain"]);
  expect(third.nextCursor).toBe(null);
});

test("days stay in their order", () => {
  const rows = [rowOf("", { day: 1 }), rowOf("", { day: 2, chargedAtoms: 9n })];
  expect(spendView(null, rows, { ...query, by: "day" }).items).toEqual(rows);
});
