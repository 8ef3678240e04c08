import fc from "fast-check";
import { expect, test } from "vitest";
import { cutScan, mergeScans, pageOfScan } from "../../../shared/fund/lists/merge-scans.ts";

interface Numbered {
  readonly number: number;
  readonly row: number;
}

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });

/** Scans a place as an object does: it examines few rows, and returns fewer. */
function scanOf(place: readonly number[], below: number, limit: number, examine: number) {
  const examined = place
    .filter((number) => number < below)
    .toSorted((a, b) => b - a)
    .slice(0, examine);
  const isWhole = place.filter((number) => number < below).length < examine;
  const fitting: readonly Numbered[] = examined.filter(isEven).map((number) => ({ number, row: number }));
  const rows = fitting.slice(0, limit);
  const reached = rows.length === limit ? rows.at(-1)?.number : isWhole ? null : examined.at(-1);
  return { rows, reached: reached ?? null };
}

function isEven(number: number): boolean {
  return number % 2 === 0;
}

test("pages over places that each examine a few rows hold each fitting row once, newest first", () => {
  const few = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(numbers, numbers, numbers, few, few, (fund, archive, unread, limit, examine) => {
      const found: number[] = [];
      let isRead = false;
      for (let cursor: string | null = "100"; cursor !== null; ) {
        const below: number = Number(cursor);
        const scanned = (place: readonly number[]) => scanOf(place, below, limit + 1, examine);
        let merged = mergeScans(scanned(fund), scanned(archive), limit + 1);
        // A page may leave a place to the next page. It then holds only numbers above that place.
        const highest = Math.max(0, ...unread.filter((number) => number < below));
        if (isRead || highest === 0) merged = mergeScans(merged, scanned(unread), limit + 1);
        else merged = cutScan(merged, highest);
        isRead = !isRead;
        const page = pageOfScan(merged, limit);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items);
        cursor = page.nextCursor;
      }
      const expected = [...new Set([...fund, ...archive, ...unread])].filter(isEven).toSorted((a, b) => b - a);
      expect(found).toEqual(expected);
    }),
  );
});
