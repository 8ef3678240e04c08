import * as z from "zod";
import { MAX_REFUSED_CALLS, type RefusedCall } from "../../../../shared/fund/explain/refused-call.ts";
import type { RefusalCount } from "../../../../shared/fund/explain/sqlite-refused-calls.ts";
import { utcDay } from "../../../../shared/fund/ledger/usage.ts";
import { addSums } from "../../../../shared/fund/lists/sums.ts";
import type { Page } from "../../../../shared/paging.ts";
import { atoms, fund, instant, iso, key, mapPage, PAGE_OF_WHOLE, rowsQuery } from "../route/fields.ts";
import { refuseQuery, spanQuery } from "../route/filters.ts";
import { listRoute } from "../route/list.ts";
import { answer, noBody, notFound, type Route, route } from "../route/route.ts";
import { showSums, sumsSchema } from "./sums.ts";

const DAY_MS = 86_400_000;
const MAX_WORD_CHARACTERS = 100;
/** The days that a call without `from` counts. */
const DEFAULT_DAYS = 30;
/** The most counters that one sum reads. A year of ten keys with five reasons each has some 18,000. */
const MAX_COUNTS = 20_000;

/** The schema of a word of a filter. It may be left out. */
export const word = z.string().min(1).max(MAX_WORD_CHARACTERS).exactOptional();
const dayText = z.iso.date();

/** The schema of a refused call. */
export const refusedCallSchema = z.object({
  at: instant,
  requestId: z.string().nullable().describe("the x-request-id of the answer"),
  keyId: z.string().describe("empty if an earlier build has sent the call"),
  sender: z.string().nullable(),
  method: z.string().describe("the method of the fund: admission if the call was refused before its method ran"),
  reason: z.string().describe("data.reason of the answer"),
  rule: z.string().nullable().describe("the field of the policy, or the limit, that refused"),
  policy: z.enum(["fund", "key"]).nullable().describe("the owner of the policy that refused"),
  targets: z.array(z.string()).readonly().describe("the first eight Move targets"),
  gasBudget: atoms.nullable().describe("null: a dry run was to set it"),
  digest: z.string().nullable().describe("the digest or hash that the call named"),
  details: z.string().describe("the text that the caller saw; its first 500 characters"),
});

/** Returns a refused call in the form of the admin API. */
export function showRefusedCall({
  atMs,
  scope,
  gasBudgetAtoms,
  ...call
}: RefusedCall): z.input<typeof refusedCallSchema> {
  return { ...call, at: iso(atMs), policy: scope, gasBudget: gasBudgetAtoms?.toString() ?? null };
}

/** The schema of a counter of refused calls. */
export const refusalCountSchema = z.object({
  day: dayText,
  keyId: z.string().describe("empty on a day past retentionDays, whose keys and rules are added up"),
  reason: z.string(),
  rule: z.string().nullable(),
  calls: z.int(),
});

/** Returns a counter in the form of the admin API. */
export function showRefusalCount({ day, ...count }: RefusalCount): z.input<typeof refusalCountSchema> {
  return { ...count, day: new Date(day * DAY_MS).toISOString().slice(0, 10) };
}

/** The query of counters by day. */
export const countQuery = rowsQuery.extend({
  from: dayText.nullable().default(null).describe("the first day, UTC: 29 days before to unless given"),
  to: dayText.nullable().default(null).describe("the last day, UTC: today unless given"),
});

/** Returns the days of a query of counters. */
export function daysOf({ from, to }: Pick<z.output<typeof countQuery>, "from" | "to">, nowMs: number) {
  const toDay = to === null ? utcDay(nowMs) : utcDay(Date.parse(to));
  return { fromDay: from === null ? toDay - DEFAULT_DAYS + 1 : utcDay(Date.parse(from)), toDay };
}

const countFilter = { keyId: key.idSchema.exactOptional(), reason: word };

const refusalFilterQuery = z.strictObject({
  ...spanQuery,
  keyId: key.idSchema.exactOptional(),
  sender: word,
  reason: word,
  rule: word,
  requestId: word,
});

function refusalFilterOf({ from, to, ...filter }: z.output<typeof refusalFilterQuery>) {
  return { ...filter, ...(from !== null && { fromMs: from }), ...(to !== null && { toMs: to }) };
}

/** Adds up refused calls by reason and rule. */
function sumOf(counts: readonly Pick<RefusalCount, "reason" | "rule" | "calls">[]) {
  const sums = counts.map(({ reason, rule, calls: count }) => ({
    group: rule === null ? reason : `${reason} ${rule}`,
    count,
    atoms: {},
  }));
  return showSums(addSums(sums), null);
}

/** Lists the refused calls of a fund. */
export const refusalRoutes: readonly Route[] = [
  listRoute({
    path: "/funds/:id/refusals",
    summary:
      "List the last 1,000 gas calls that a fund has refused, newest first. If one key has most of them, its oldest make room",
    resource: fund,
    query: rowsQuery.extend(refusalFilterQuery.shape),
    item: refusedCallSchema,
    handle: async ({ env, id, query: { limit, cursor, ...filter } }) => {
      const page = await env.FUND.getByName(id).refusals({ limit, cursor, ...refusalFilterOf(filter) });
      return page === null ? notFound("fund") : answer(mapPage(page, showRefusedCall));
    },
  }),
  route({
    method: "GET",
    path: "/funds/:id/refusals/sum",
    summary: "Count those of the last 1,000 refused gas calls that the filters select, by reason and rule",
    resource: fund,
    body: noBody,
    query: refusalFilterQuery,
    result: sumsSchema,
    status: 200,
    handle: async ({ env, id, query }) => {
      const all = { limit: MAX_REFUSED_CALLS, cursor: null };
      const page = await env.FUND.getByName(id).refusals({ ...all, ...refusalFilterOf(query) });
      return page === null ? notFound("fund") : answer(sumOf(page.items.map((call) => ({ ...call, calls: 1 }))));
    },
  }),
  listRoute({
    path: "/funds/:id/refusal-counts",
    summary: "Count the gas calls that a fund has refused, by day, key, reason and rule, the newest day first",
    resource: fund,
    query: countQuery.extend(countFilter),
    item: refusalCountSchema,
    handle: async ({ env, deps, id, query: { from, to, ...query } }) => {
      const days = daysOf({ from, to }, deps.clock.nowMs());
      const page = await env.FUND.getByName(id).refusalCounts({ ...query, ...days });
      return page === null ? notFound("fund") : answer(mapPage(page, showRefusalCount));
    },
  }),
  route({
    method: "GET",
    path: "/funds/:id/refusal-counts/sum",
    summary: "Count the gas calls that a fund has refused on the days that the filters select, by reason and rule",
    resource: fund,
    body: noBody,
    query: countQuery.omit({ limit: true, cursor: true }).extend(countFilter),
    result: sumsSchema,
    status: 200,
    handle: async ({ env, deps, id, query: { from, to, ...query } }) => {
      const days = daysOf({ from, to }, deps.clock.nowMs());
      const counts: RefusalCount[] = [];
      let cursor: string | null = null;
      do {
        const asked = { ...query, ...days, limit: PAGE_OF_WHOLE, cursor };
        const page: Page<RefusalCount> | null = await env.FUND.getByName(id).refusalCounts(asked);
        if (page === null) return notFound("fund");
        counts.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null && counts.length < MAX_COUNTS);
      if (cursor !== null) return refuseQuery({ path: "from", message: "selects too many counters: ask in parts" });
      return answer(sumOf(counts));
    },
  }),
];
