import * as z from "zod";
import { endingNames, endings } from "../../../../shared/fund/endings.ts";
import { ledgerKinds } from "../../../../shared/fund/ledger/books.ts";
import {
  type LedgerFilter,
  type SponsorshipFilter,
  type SponsorshipOutcome,
  sponsorshipOutcomes,
} from "../../../../shared/fund/lists/filter.ts";
import { sponsorshipStates, UNRESOLVABLE } from "../../../../shared/fund/views.ts";
import type { FilteredPage } from "../../../../shared/paging.ts";
import { fund, key, mapPage, rowsQuery } from "../route/fields.ts";
import {
  addressSchema,
  beingUpdated,
  checkedFilter,
  filteredAnswer,
  optional,
  refuseQuery,
  spanOf,
  spanQuery,
  targetSchema,
} from "../route/filters.ts";
import { listRoute } from "../route/list.ts";
import { type Answer, notFound, type Route } from "../route/route.ts";
import { ledgerRowSchema, showLedgerRow, showSponsorship, sponsorshipSchema } from "./schema.ts";

const outcomes = Object.keys(sponsorshipOutcomes) as SponsorshipOutcome[];

/** The fields that select sponsorships. */
export const sponsorshipFilterQuery = z.strictObject({
  ...spanQuery,
  keyId: optional(key.idSchema),
  sender: optional(addressSchema),
  state: optional(z.enum([...sponsorshipStates, UNRESOLVABLE])),
  outcome: optional(
    z.enum([...outcomes, ...endingNames]).describe("the way in which it ended: a word of the list, or a group of them"),
  ),
  target: optional(targetSchema.describe("a Move target that it names, or the package or module of one")),
});

/** Returns the filter of a query. Null if the query names none. Refuses one that no sponsorship can meet. */
export function sponsorshipFilterOf({
  from,
  to,
  keyId,
  sender,
  state,
  outcome,
  target,
}: z.output<typeof sponsorshipFilterQuery>): Answer<SponsorshipFilter | null> {
  const ended = outcome && { ...endings, ...sponsorshipOutcomes }[outcome];
  const ending = endingNames.find((name) => name === outcome && name !== UNRESOLVABLE);
  if (state !== null && ended !== null && state !== ended)
    return refuseQuery({ path: "outcome", message: `is never that of the state ${state}: name one of the two` });
  const wanted = state ?? ended;
  const states = wanted === null ? null : [wanted];
  // Absent unless they select, because a fund of an earlier build ignores them.
  const later = { ...(ending !== undefined && { ending }), ...(target !== null && { target }) };
  return checkedFilter({ ...spanOf({ from, to }), keyId, sender, states, ...later });
}

/** The fields that select ledger rows. */
export const ledgerFilterQuery = z.strictObject({
  ...spanQuery,
  keyId: optional(key.idSchema),
  kind: optional(z.enum(ledgerKinds)),
  reference: optional(z.string().regex(/^[0-9A-Za-z]{1,100}$/, "must be a digest, a hash or an object id")),
});

/** Returns the filter of a query. Null if the query names none. */
export function ledgerFilterOf({ from, to, ...rest }: z.output<typeof ledgerFilterQuery>): Answer<LedgerFilter | null> {
  const { keyId, kind, reference } = rest;
  return checkedFilter({ ...spanOf({ from, to }), keyId, kind, reference });
}

/** Returns true if a fund of an earlier build has ignored a part of the filter. */
export function isIgnored(filter: SponsorshipFilter | null, { isWholeFilter }: FilteredPage<unknown>): boolean {
  return !isWholeFilter && (filter?.ending !== undefined || filter?.target !== undefined);
}

/** The lists of a fund's rows. */
export const fundListRoutes: readonly Route[] = [
  listRoute({
    path: "/funds/:id/sponsorships",
    summary:
      "List the sponsorships of a fund, newest first. A page of a filtered list may be short, or empty, and have a next one",
    resource: fund,
    query: rowsQuery.extend(sponsorshipFilterQuery.shape),
    item: sponsorshipSchema,
    handle: async ({ env, id, query }) => {
      const filter = sponsorshipFilterOf(query);
      if (!filter.ok) return filter;
      const { limit, cursor } = query;
      const page = await env.FUND.getByName(id).sponsorships({ limit, cursor, filter: filter.value });
      if (page === null) return notFound("fund");
      if (isIgnored(filter.value, page)) return beingUpdated;
      return filteredAnswer(mapPage(page, showSponsorship), filter.value);
    },
  }),
  listRoute({
    path: "/funds/:id/ledger",
    summary:
      "List every change of a fund's money, newest first. A page of a filtered list may be short, or empty, and have a next one",
    resource: fund,
    query: rowsQuery.extend(ledgerFilterQuery.shape),
    item: ledgerRowSchema,
    handle: async ({ env, id, query }) => {
      const filter = ledgerFilterOf(query);
      if (!filter.ok) return filter;
      const { limit, cursor } = query;
      const page = await env.FUND.getByName(id).ledger({ limit, cursor, filter: filter.value });
      return page === null ? notFound("fund") : filteredAnswer(mapPage(page, showLedgerRow), filter.value);
    },
  }),
];
