import * as z from "zod";
import { sha256Base64url } from "../../../../shared/crypto/sha256.ts";
import type { TimeSpan } from "../../../../shared/durable/scan.ts";
import type { FieldError } from "../../../../shared/http/problem.ts";
import type { FilteredPage, Page } from "../../../../shared/paging.ts";
import { type Answer, answer, problem } from "./route.ts";

const DAY_MS = 86_400_000;

const instantOrDay = z.union(
  [z.iso.datetime(), z.iso.date()],
  "must be a day or a time in UTC, such as 2026-11-23 or 2026-11-23T08:00:00Z",
);

/** The bounds of time of a list's query. A day counts from its beginning to its end. */
export const spanQuery = {
  from: instantOrDay
    .transform((text) => Date.parse(text))
    .nullable()
    .default(null)
    .describe("from this time or day on, UTC"),
  to: instantOrDay
    .transform((text) => Date.parse(text) + (text.includes("T") ? 0 : DAY_MS))
    .nullable()
    .default(null)
    .describe("before this time, or up to the end of this day, UTC"),
};

/** Returns the field of a query that may be left out. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().default(null);
}

/** The schema of an address of either chain. The result has lower-case digits. */
export const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be a whole address: 0x and 64 hex digits")
  .transform((text) => text.toLowerCase());

/** The schema of a Move target, module or package. The result has the package in full length. */
export const targetSchema = z
  .string()
  .regex(
    /^0x[0-9a-fA-F]{1,64}(::[A-Za-z_][0-9A-Za-z_]{0,127}){0,2}$/,
    "must be a package, or package::module, or package::module::function",
  )
  .transform((text) => {
    const [address = "", ...names] = text.split("::");
    return [`0x${address.slice(2).toLowerCase().padStart(64, "0")}`, ...names].join("::");
  });

/** The schema of a word of the audit log: an action, or the id of its target. */
export const wordSchema = z
  .string()
  .regex(/^[0-9A-Za-z_.:-]{1,100}$/, "must be an action or an id as the list shows it");

/** Returns the span of time of a query. */
export function spanOf({ from, to }: { readonly from: number | null; readonly to: number | null }): TimeSpan {
  return { fromMs: from, toMs: to };
}

/** Returns true if a time is in a span. */
export function isInSpan(atMs: number, { fromMs, toMs }: TimeSpan): boolean {
  return (fromMs === null || atMs >= fromMs) && (toMs === null || atMs < toMs);
}

/** Refuses a query because of one of its fields. */
export function refuseQuery(...errors: readonly FieldError[]) {
  return problem(400, "the query has invalid fields: see errors", errors);
}

/** Refuses a span of time that no row can be in. Null if the span is in order. */
function spanProblem({ fromMs, toMs }: TimeSpan) {
  const isEmpty = fromMs !== null && toMs !== null && fromMs >= toMs;
  return isEmpty ? refuseQuery({ path: "from", message: "must be before to" }) : null;
}

/** Returns true if a filter selects rows. A list without a filter is read unfiltered. */
export function selects(filter: object): boolean {
  return Object.values(filter).some((value) => value !== null);
}

/** Returns the filter if it selects anything, otherwise null. Refuses an empty span of time. */
export function checkedFilter<Filter extends TimeSpan>(filter: Filter): Answer<Filter | null> {
  return spanProblem(filter) ?? answer(selects(filter) ? filter : null);
}

/** Refuses a call whose object does not apply its filter, or does not sum, yet. */
export const beingUpdated: Answer<never> = {
  ok: false,
  error: {
    status: 503,
    detail: "the list cannot be filtered yet, because the service is being updated: repeat the call in a minute",
    retryAfterSeconds: 60,
  },
};

/**
 * Answers a page. Refuses a page that the object has not filtered. Such an object runs an earlier build during a
 * roll-out, or still moves rows of one.
 */
export function filteredAnswer<Item>(page: FilteredPage<Item>, filter: object | null): Answer<Page<Item>> {
  const { isFiltered = false, isWholeFilter: _, ...shown } = page;
  return filter === null || isFiltered ? answer(shown) : beingUpdated;
}

const TAG_CHARACTERS = 8;
/** A cursor of a list. If the list was filtered, the tag of its filter follows. */
export const LIST_CURSOR = /^[1-9][0-9]{0,14}(?:-[0-9A-Za-z_-]{8})?$/;
/** A cursor with a tag. */
const TAGGED = /^([0-9a-fx]+)-([0-9A-Za-z_-]{8})$/;

/** Returns the tag of a query's filter: equal filters have equal tags. Null without a filter. */
function tagOf({ limit: _, cursor: __, ...filter }: Readonly<Record<string, unknown>>): string | null {
  if (!selects(filter)) return null;
  const fields = Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256Base64url(JSON.stringify(fields)).slice(0, TAG_CHARACTERS);
}

/** Returns the object's own cursor. Refuses the cursor of another filter, since its rows would have a gap. */
export function openCursor(query: Readonly<Record<string, unknown>>): Answer<string | null> {
  const { cursor } = query;
  if (typeof cursor !== "string") return answer(null);
  const [, place = cursor, tag = null] = TAGGED.exec(cursor) ?? [];
  if (tag !== tagOf(query))
    return refuseQuery({ path: "cursor", message: "belongs to another filter: begin the list anew" });
  return answer(place);
}

/** Returns the cursor as callers get it. */
export function closeCursor(cursor: string | null, query: Readonly<Record<string, unknown>>): string | null {
  const tag = tagOf(query);
  return cursor === null || tag === null ? cursor : `${cursor}-${tag}`;
}
