import * as z from "zod";
import type { FundObject } from "../../../../shared/bindings/fund.ts";
import { ANY_LEDGER_ROW, ANY_SPONSORSHIP, addSums, type GroupSum } from "../../../../shared/fund/lists/sums.ts";
import type { SummedPage } from "../../../../shared/paging.ts";
import { fund, rowsQuery, signedAtoms } from "../route/fields.ts";
import { beingUpdated, closeCursor, openCursor } from "../route/filters.ts";
import { type Answer, answer, noBody, notFound, type Route, route } from "../route/route.ts";
import { ledgerFilterOf, ledgerFilterQuery, sponsorshipFilterOf, sponsorshipFilterQuery } from "./lists.ts";

/** The calls of the fund for one answer. Each reads up to 10,000 rows. */
const CALLS = 10;

/** A sum has no pages. Its cursor continues the sum. */
const { cursor } = rowsQuery.shape;

/** The schema of the sum of some rows. */
const sumShape = {
  count: z.int(),
  amounts: z
    .record(z.string(), signedAtoms)
    .describe("the sum of each amount of the rows; those of fees are earned; total: charged, maintenance and fees"),
};

/** The schema of the sums of a list, in all and by group. */
export const sumsSchema = z.object({
  ...sumShape,
  groups: z
    .array(z.object({ name: z.string().describe("the state, kind or reason, and the rule"), ...sumShape }))
    .readonly(),
  nextCursor: z
    .string()
    .nullable()
    .describe("null: all rows are in the sum; otherwise the next call sums the others, and you add both"),
});

type Sums = z.input<typeof sumsSchema>;

/** Returns sums in the form of the admin API. */
export function showSums(sums: readonly GroupSum[], nextCursor: string | null): Sums {
  const show = ({ count, atoms }: Omit<GroupSum, "group">) => ({
    count,
    amounts: Object.fromEntries(Object.entries(atoms).map(([name, amount]) => [name, amount.toString()])),
  });
  const [whole = { count: 0, atoms: {} }] = addSums(sums.map((sum) => ({ ...sum, group: "" })));
  const groups = sums.map(({ group: name, ...sum }) => ({ name, ...show(sum) }));
  return { ...show(whole), groups, nextCursor };
}

/** Makes the route that adds up the rows that a filter selects. */
function sumRoute<Query extends z.ZodObject>(
  list: string,
  query: Query,
  read: (
    object: FundObject,
    query: z.output<Query>,
    from: string | null,
  ) => Answer<Promise<SummedPage<unknown, readonly GroupSum[]> | null>>,
): Route {
  return route({
    method: "GET",
    path: `/funds/:id/${list}/sum`,
    summary: `Add up the rows of the list ${list} that the filters select`,
    resource: fund,
    body: noBody,
    query,
    result: sumsSchema,
    status: 200,
    handle: async ({ env, id, query }): Promise<Answer<Sums>> => {
      const opened = openCursor(query);
      if (!opened.ok) return opened;
      let sums: readonly GroupSum[] = [];
      let from = opened.value;
      for (let calls = 0; calls < CALLS; calls += 1) {
        const asked = read(env.FUND.getByName(id), query, from);
        if (!asked.ok) return asked;
        const page = await asked.value;
        if (page === null) return notFound("fund");
        // A fund of an earlier build answers a page instead.
        if (page.sums === undefined || !page.isWholeFilter) return beingUpdated;
        sums = addSums([...sums, ...page.sums]);
        from = page.nextCursor;
        if (from === null) break;
      }
      return answer(showSums(sums, closeCursor(from, query)));
    },
  });
}

const WANTED = { limit: 1, wantsSums: true } as const;

/** Adds up the sponsorships and the ledger rows of a fund. */
export const sumRoutes: readonly Route[] = [
  sumRoute("sponsorships", sponsorshipFilterQuery.extend({ cursor }), (object, query, from) => {
    const filter = sponsorshipFilterOf(query);
    if (!filter.ok) return filter;
    return answer(object.sponsorships({ ...WANTED, cursor: from, filter: filter.value ?? ANY_SPONSORSHIP }));
  }),
  sumRoute("ledger", ledgerFilterQuery.extend({ cursor }), (object, query, from) => {
    const filter = ledgerFilterOf(query);
    if (!filter.ok) return filter;
    return answer(object.ledger({ ...WANTED, cursor: from, filter: filter.value ?? ANY_LEDGER_ROW }));
  }),
];
