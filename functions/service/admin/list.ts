import * as z from "zod";
import type { Page } from "../../../shared/paging.ts";
import { type Answer, type Call, noBody, type Resource, type Route, route } from "./route.ts";

interface ListDefinition<Query extends z.ZodObject, Item extends z.ZodObject> {
  readonly path: string;
  readonly summary: string;
  readonly resource: Resource | null;
  readonly part?: Resource;
  readonly query: Query;
  readonly item: Item;
  handle(call: Call<undefined, z.output<Query>>): Promise<Answer<Page<z.input<Item>>>>;
}

/** A list, a page at a time: as JSON, or as CSV whose columns are the fields of its items. */
export function listRoute<Query extends z.ZodObject, Item extends z.ZodObject>({
  item,
  ...rest
}: ListDefinition<Query, Item>): Route {
  const result = z.object({ items: z.array(item).readonly(), nextCursor: z.string().nullable() });
  const columns = Object.keys(item.shape);
  return { ...route({ ...rest, method: "GET", body: noBody, result, status: 200 }), columns };
}
