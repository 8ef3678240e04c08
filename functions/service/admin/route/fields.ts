import * as z from "zod";
import { KEY_ID } from "../../../../shared/access/key-format.ts";
import { ATOMS_UNIT } from "../../../../shared/amounts.ts";
import type { Deps } from "../../../../shared/bindings/deps.ts";
import { toHex } from "../../../../shared/bytes.ts";
import { TOKEN_ID } from "../../../../shared/directory/token-format.ts";
import type { Page } from "../../../../shared/paging.ts";
import { CURSOR } from "../../../../shared/paging.ts";
import { LIST_CURSOR } from "./filters.ts";
import type { Resource } from "./route.ts";

/** The limit on names of projects, funds and keys. */
export const MAX_NAME_CHARACTERS = 100;

/** The items of a page, if the query names no limit. */
export const DEFAULT_PAGE = 20;

/** The most rows of one object that a page lists. */
export const MAX_PAGE = 200;

/** The rows of one call if a whole list is read. A hundred thousand rows then take a hundred calls. */
export const PAGE_OF_WHOLE = 1_000;

/** The page size if each item costs a subrequest. Cloudflare's free plan allows 50. */
export const MAX_PAGE_OF_OBJECTS = 40;

/** The random bytes of an id. */
export const ID_BYTES = 10;

/** A project in a path: `prj_` and 20 hex digits. */
export const project: Resource = { name: "project", idSchema: z.string().regex(/^prj_[0-9a-f]{20}$/) };

/** A fund in a path: `fund_` and 20 hex digits. */
export const fund: Resource = { name: "fund", idSchema: z.string().regex(/^fund_[0-9a-f]{20}$/) };

/** An access key in a path: `key_` and 20 hex digits. */
export const key: Resource = { name: "key", idSchema: z.string().regex(KEY_ID) };

/** A webhook in a path: `whk_` and 20 hex digits. */
export const webhook: Resource = { name: "webhook", idSchema: z.string().regex(/^whk_[0-9a-f]{20}$/) };

/** An operator's token in a path: `adm_` and 20 hex digits. It names the token, and opens nothing. */
export const token: Resource = { name: "token", idSchema: z.string().regex(TOKEN_ID) };

/** The prefix of an id, by the kind of its object. */
export type IdPrefix = "prj" | "fund" | "key" | "whk" | "adm";

/** Returns a random id. An id is the name of its object, so no index is needed between the two. */
export function newId(prefix: IdPrefix, deps: Deps): string {
  return idOf(prefix, deps.randomBytes(ID_BYTES));
}

/** Returns the id of these bytes. Only the first ten count. */
export function idOf(prefix: IdPrefix, bytes: Uint8Array): string {
  return `${prefix}_${toHex(bytes.subarray(0, ID_BYTES))}`;
}

/** The schema of a name: 1 to 100 characters, none of them a control character. */
export const nameSchema = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");

/** Returns whether a PATCH has a field. It changes the fields that are sent, so a PATCH without any is a mistake. */
export function hasField(body: object): boolean {
  return Object.keys(body).length > 0;
}

/** The refusal of a change that changes nothing. */
export const NO_FIELD = "names no field to change: name at least one";

/** Builds the query schema of a list that is read a page at a time. */
export function pageQuery(maxLimit: number, cursorForm = CURSOR) {
  return z.strictObject({
    limit: z.coerce.number().int().min(1).max(maxLimit).default(DEFAULT_PAGE),
    cursor: z.string().regex(cursorForm, "is not a cursor of this list: begin the list anew").nullable().default(null),
  });
}

/** The query of a list of one object's rows. */
export const rowsQuery = pageQuery(MAX_PAGE, LIST_CURSOR);

/** The query of a list whose items are objects. Each costs a call, so a page has fewer. */
export const objectsQuery = pageQuery(MAX_PAGE_OF_OBJECTS, LIST_CURSOR);

/** Returns the page with each item in its shown form. */
export function mapPage<Item, Shown, Rest extends Page<Item>>(page: Rest, show: (item: Item) => Shown) {
  return { ...page, items: page.items.map(show) };
}

/** The schema of an amount of MIST or octas. */
export const atoms = z
  .string()
  .regex(/^(0|[1-9][0-9]*)$/)
  .meta(ATOMS_UNIT)
  .describe("MIST or octas, as a decimal string");

/** The schema of a change of MIST or octas. It may be negative. */
export const signedAtoms = z
  .string()
  .regex(/^-?(0|[1-9][0-9]*)$/)
  .meta(ATOMS_UNIT)
  .describe("MIST or octas, as a decimal string; may be negative");

/** The schema of a time: ISO 8601, UTC. */
export const instant = z.iso.datetime();

/** Returns Unix milliseconds as an ISO 8601 instant. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
