import * as z from "zod";
import type { Deps } from "../../../../shared/bindings/deps.ts";
import type { Page } from "../../../../shared/paging.ts";
import { MAX_PAGE_OF_OBJECTS, PAGE_OF_WHOLE } from "./fields.ts";
import { closeCursor, openCursor } from "./filters.ts";
import { type AdminRequest, type Answer, answer, noBody, type Resource, type Route, route } from "./route.ts";
import { UNREADABLE_COLUMN } from "./table.ts";

interface ListDefinition<Query extends z.ZodObject, Item extends z.ZodObject> {
  readonly path: string;
  readonly summary: string;
  readonly resource: Resource | null;
  readonly part?: Resource;
  readonly query: Query;
  readonly item: Item;
  /** True if each item is read from an object of its own, which may fail: see `readEach`. */
  readonly ofObjects?: true;
  /** False if CSV without a limit is one page: each page is work for a node. */
  readonly isStreamed?: boolean;
  handle(call: AdminRequest<undefined, z.output<Query>>): Promise<Answer<ListPage<z.input<Item>>>>;
}

/** A page of a list. `unreadable`: ids of rows whose object does not answer. They do not hide the others. */
export interface ListPage<Item> extends Page<Item> {
  readonly unreadable?: readonly string[];
}

/** Reads the object of each id. A failure is logged, with the id. */
export async function readEach<View>(
  page: Page<string>,
  { log }: Pick<Deps, "log">,
  read: (id: string) => Promise<View>,
): Promise<ListPage<View>> {
  const outcomes = await Promise.allSettled(page.items.map(read));
  const unreadable: string[] = [];
  const items = outcomes.flatMap((outcome, index) => {
    if (outcome.status === "fulfilled") return [outcome.value];
    const object = page.items[index] ?? "";
    log("object.unreadable", { object, error: String(outcome.reason) });
    unreadable.push(object);
    return [];
  });
  return { items, nextCursor: page.nextCursor, ...(unreadable.length > 0 && { unreadable }) };
}

const unreadable = z
  .array(z.string())
  .readonly()
  .optional()
  .describe("ids of listed objects that cannot be read: the log has the cause, as object.unreadable");

/**
 * Makes the route of a list, which answers a page at a time as JSON or CSV. The columns are the fields of the items,
 * and `unreadable` for objects. All fields of the query except `limit` and `cursor` are its filter. The cursor is bound
 * to it.
 */
export function listRoute<Query extends z.ZodObject, Item extends z.ZodObject>({
  item,
  ofObjects,
  isStreamed = true,
  handle,
  ...rest
}: ListDefinition<Query, Item>): Route {
  const pageOfWhole = ofObjects ? MAX_PAGE_OF_OBJECTS : PAGE_OF_WHOLE;
  const readPage = async (call: AdminRequest<undefined, z.output<Query>>): Promise<Answer<ListPage<z.input<Item>>>> => {
    const cursor = openCursor(call.query);
    if (!cursor.ok) return cursor;
    const limit = call.ofWholeList ? pageOfWhole : call.query.limit;
    const page = await handle({ ...call, query: { ...call.query, limit, cursor: cursor.value } });
    if (!page.ok) return page;
    return answer({ ...page.value, nextCursor: closeCursor(page.value.nextCursor, call.query) });
  };
  const result = z.object({ items: z.array(item).readonly(), nextCursor: z.string().nullable(), unreadable });
  const columns = [...Object.keys(item.shape), ...(ofObjects ? [UNREADABLE_COLUMN] : [])];
  const definition = route({ ...rest, method: "GET", body: noBody, result, status: 200, handle: readPage });
  return { ...definition, columns, isStreamed };
}
