import fc from "fast-check";
import { expect, test } from "vitest";
import { addSums, sumPages } from "../../../shared/fund/lists/sums.ts";

const MOST_READS = 10;

/** Reads a list of numbers. A page has as many as it says, and may be empty. */
function listOf(pages: readonly (readonly number[])[]) {
  let reads = 0;
  const read = async ({ cursor }: { readonly cursor: string | null }) => {
    reads += 1;
    const at = Number(cursor ?? 0);
    const nextCursor = at + 1 < pages.length ? String(at + 1) : null;
    return { items: pages[at] ?? [], nextCursor, isFiltered: true } as const;
  };
  return { read, reads: () => reads };
}

const sumOf = (amount: number) => ({
  group: amount % 2 === 0 ? "even" : "odd",
  count: 1,
  atoms: { amount: BigInt(amount) },
});

test("the parts of a sum add up to the whole, and each does bounded work", async () => {
  const page = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 35 }), async (pages) => {
      const list = listOf(pages);
      const parts = [];
      for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
        const before = list.reads();
        const part: Awaited<ReturnType<typeof sumPages>> = await sumPages({ limit: 1, cursor }, list.read, sumOf);
        expect(list.reads() - before).toBeLessThanOrEqual(MOST_READS);
        expect(part).toMatchObject({ items: [], isFiltered: true });
        parts.push(...(part.sums ?? []));
        cursor = part.nextCursor;
      }
      const whole = new Map(addSums(parts).map(({ group, count, atoms }) => [group, [count, atoms.amount]]));
      for (const [group, isOf] of [
        ["even", 0],
        ["odd", 1],
      ] as const) {
        const expected = pages.flat().filter((amount) => Math.abs(amount % 2) === isOf);
        const sum = BigInt(expected.reduce((all, amount) => all + amount, 0));
        expect(whole.get(group)).toEqual(expected.length === 0 ? undefined : [expected.length, sum]);
      }
    }),
    { numRuns: 30 },
  );
});

test("a list that cannot be filtered yet has no sum", async () => {
  const read = async () => ({ items: [1], nextCursor: null });
  expect(await sumPages({ limit: 1, cursor: null }, read, sumOf)).toEqual({ items: [], nextCursor: null });
});
