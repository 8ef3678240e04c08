import * as z from "zod";
import type { DailyRow } from "../../../../shared/fund/ledger/daily.ts";
import {
  MAX_SPEND_DAYS,
  SPEND_CURSOR,
  type SpendForm,
  type SpendQuery,
  type SpendView,
  spendForms,
  spentOf,
} from "../../../../shared/fund/ledger/spend.ts";
import { utcDay } from "../../../../shared/fund/ledger/usage.ts";
import {
  atoms,
  fund,
  instant,
  iso,
  MAX_PAGE,
  mapPage,
  PAGE_OF_WHOLE,
  pageQuery,
  signedAtoms,
} from "../route/fields.ts";
import { closeCursor, openCursor } from "../route/filters.ts";
import { answer, noBody, notFound, problem, type Route, route } from "../route/route.ts";

const DAY_MS = 86_400_000;
/** The days that a call without `from` reads. */
const DEFAULT_DAYS = 30;

const dayText = z.iso.date();

/** A cursor of the list, with the tag of its query. */
const TAGGED_CURSOR = new RegExp(`${SPEND_CURSOR.source.slice(0, -1)}-[0-9A-Za-z_-]{8}$`);

const querySchema = pageQuery(MAX_PAGE, TAGGED_CURSOR).extend({
  by: z.enum(spendForms).default("day"),
  from: dayText.nullable().default(null).describe("the first day, UTC: 29 days before to unless given"),
  to: dayText.nullable().default(null).describe("the last day, UTC: today unless given"),
});

const spendSchema = z.object({
  name: z
    .string()
    .describe("the day, the key's id, the sender or the Move target; (other) has the names beyond a day's bound"),
  sponsored: z.int().describe("sponsorships that ended: executed, abandoned and unresolvable"),
  executed: z.int().describe("the chain has executed them, with success or not"),
  failed: z.int().describe("those of executed that aborted"),
  abandoned: z.int().describe("they can never execute"),
  unresolvable: z.int().describe("no node shows how they ended"),
  charged: signedAtoms.describe("the chain's charges, rebates deducted"),
  fees: atoms.describe("the fees that they earned"),
  rebate: atoms.describe("the storage rebates within charged"),
  maintenance: atoms.describe("the gas of taking back abandoned ones"),
  spent: signedAtoms.describe("what left the fund or is owed to you: charged, maintenance and fees"),
});

/** The schema of the answer about spending. */
export const spendResultSchema = z.object({
  since: instant
    .nullable()
    .describe("ends of sponsorships are counted from this time on; earlier ones are in the ledger only"),
  by: z.enum(spendForms),
  from: dayText,
  to: dayText,
  total: z.int().describe("the number of items on all pages"),
  items: z.array(spendSchema).readonly(),
  nextCursor: z.string().nullable(),
});

const BEING_UPDATED = "the list has no next page while the service is being updated: repeat the call in a minute";

function dayName(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function showRow({ day, name, ...counts }: DailyRow, by: SpendForm): z.input<typeof spendSchema> {
  const { executed, failed, abandoned, unresolvable } = counts;
  return {
    name: by === "day" ? dayName(day) : name,
    sponsored: executed + abandoned + unresolvable,
    executed,
    failed,
    abandoned,
    unresolvable,
    charged: counts.chargedAtoms.toString(),
    fees: counts.feeAtoms.toString(),
    rebate: counts.rebateAtoms.toString(),
    maintenance: counts.maintenanceAtoms.toString(),
    spent: spentOf(counts).toString(),
  };
}

function showSpend(
  { sinceMs, isStable: _, ...page }: SpendView,
  { by, fromDay, toDay }: SpendQuery,
): z.input<typeof spendResultSchema> {
  const since = sinceMs === null ? null : iso(sinceMs);
  return {
    since,
    by,
    from: dayName(fromDay),
    to: dayName(toDay),
    ...mapPage(page, (row: DailyRow) => showRow(row, by)),
  };
}

const definition = route({
  method: "GET",
  path: "/funds/:id/spend",
  summary:
    "Read what ended sponsorships have cost, by day, or summed by key, sender or Move target, the largest first. Several pages are in the order of what was spent before today. A sponsorship counts on the UTC day of its end, and for each of its first eight targets",
  resource: fund,
  body: noBody,
  query: querySchema,
  result: spendResultSchema,
  status: 200,
  handle: async ({ env, deps, id, query, ofWholeList }) => {
    const { by, cursor } = query;
    const limit = ofWholeList ? PAGE_OF_WHOLE : query.limit;
    const toDay = query.to === null ? utcDay(deps.clock.nowMs()) : utcDay(Date.parse(query.to));
    const fromDay = query.from === null ? toDay - DEFAULT_DAYS + 1 : utcDay(Date.parse(query.from));
    if (fromDay > toDay) return refuseSpan("must not be after to");
    if (toDay - fromDay >= MAX_SPEND_DAYS[by])
      return refuseSpan(`must be at most ${MAX_SPEND_DAYS[by]} days before to, if by is ${by}: ask in parts`);
    const today = utcDay(deps.clock.nowMs());
    // Today's amounts give no rank, so the pages of another day may have another order.
    const filter = { by, fromDay, toDay, today: toDay >= today ? today : null };
    const place = openCursor({ ...filter, cursor });
    if (!place.ok) return place;
    const asked = { by, fromDay, toDay, today, limit, cursor: place.value };
    const view = await env.FUND.getByName(id).spend(asked);
    if (view === null) return notFound("fund");
    if (view.isStable !== true && cursor !== null)
      return { ok: false, error: { status: 503, detail: BEING_UPDATED, retryAfterSeconds: 60 } };
    return answer(showSpend({ ...view, nextCursor: closeCursor(view.nextCursor, filter) }, asked));
  },
});

/** Lists a fund's spending, by its daily counters. */
export const spendRoute: Route = { ...definition, columns: Object.keys(spendSchema.shape), isStreamed: true };

function refuseSpan(message: string) {
  return problem(400, "the query has invalid fields: see errors", [{ path: "from", message }]);
}
